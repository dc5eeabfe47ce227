#include "learner/mobius/points.h"

#include <vector>

namespace hardhead::learner::mobius {

Points Points::joined(const Points& more) const {
  Points out{Matrix(z.rows() + more.z.rows(), z.cols()), Matrix(v.rows() + more.v.rows(), v.cols())};
  out.z << z, more.z;
  out.v << v, more.v;
  return out;
}

Points ask_flips(ValueOracle& oracle, const Matrix& w_sum, std::span<const Index> features, const Matrix& x) {
  const Index count = x.rows(), d = x.cols();
  Matrix flipped = x;
  for (const Index f : features) flipped.col(f) *= -1;
  attention::Block block(d, 2, count);
  block.x.leftCols(count) = x.transpose();
  block.x.rightCols(count) = flipped.transpose();
  oracle.ask(block);
  Points out{Matrix(2 * count, d), Matrix(2 * count, d)};
  out.z << x, -flipped;
  out.v << (block.label(0).transpose() - x * w_sum) / -2, (block.label(1).transpose() - flipped * w_sum) / 2;
  return out;
}

Matrix draw_signs(const Stream& stream, std::uint64_t first, Index count, Index d,
                  std::span<const Index> features) {
  Matrix out(count, d);
  std::vector<double> signs(static_cast<std::size_t>(d));
  for (Index n = 0; n < count; ++n) {
    stream.signs(first + static_cast<std::uint64_t>(n), signs);
    out.row(n) = Eigen::Map<const Eigen::RowVectorXd>(signs.data(), d);
  }
  for (const Index f : features) out.col(f).setOnes();
  return out;
}

}  // namespace hardhead::learner::mobius
