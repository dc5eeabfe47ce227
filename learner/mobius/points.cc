#include "learner/mobius/points.h"

#include <utility>
#include <vector>

#include "attention/forward/matrix_product.h"

namespace hardhead::learner::mobius {

Points ask_flips(ValueOracle& oracle, const Matrix& w_sum, std::span<const Index> features, const Matrix& x) {
  const Index count = x.rows(), d = x.cols();
  Matrix flipped = x;
  for (const Index f : features) flipped.col(f) *= -1;
  Block block(d, 2, count);
  block.x.leftCols(count) = x.transpose();
  block.x.rightCols(count) = flipped.transpose();
  oracle.ask(block);
  Points out{Matrix(2 * count, d), Matrix(2 * count, d)};
  out.z << x, -flipped;
  out.v << (block.label(0).transpose() - x * w_sum) / -2, (block.label(1).transpose() - flipped * w_sum) / 2;
  return out;
}

SignRows::SignRows(Matrix signs, const Matrix& w_sum) : x(std::move(signs)) {
  attention::set_product(image, x, w_sum);
}

// x1 = x + (1 - x_j) e_j and x2 = x1 - 2 e_j, so that their products with W_sum are those of x and multiples
// of row j.
Matrix ask_feature(ValueOracle& oracle, const Matrix& w_sum, Index j, const SignRows& rows) {
  const Index count = rows.x.rows(), d = rows.x.cols();
  Block block(d, 2, count);
  block.x.leftCols(count) = rows.x.transpose();
  block.x.rightCols(count) = block.x.leftCols(count);
  block.x.row(j).leftCols(count).setOnes();
  block.x.row(j).rightCols(count).setConstant(-1);
  oracle.ask(block);
  const Vector up = 1 - rows.x.col(j).array(), down = up.array() - 2;
  Matrix out(2 * count, d);
  for (Index f = 0; f < d; ++f) {
    out.col(f).head(count) = (rows.image.col(f) + w_sum(j, f) * up - block.label(0).row(f).transpose()) / 2;
    out.col(f).tail(count) = (block.label(1).row(f).transpose() - rows.image.col(f) - w_sum(j, f) * down) / 2;
  }
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
