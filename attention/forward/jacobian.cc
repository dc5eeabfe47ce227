#include "attention/forward/jacobian.h"

#include "attention/forward/forward.h"

namespace hardhead::attention {

Matrix jacobian(const Layer& layer, const Block& block) {
  layer.validate();
  const Index d = layer.d, k = block.k, half = layer.m() * d * d;
  Matrix out = Matrix::Zero(k * d * block.count, 2 * half);
  Forward::Workspace attended;
  for (Index i = 0; i < layer.m(); ++i) {
    const Head& head = layer.heads[static_cast<std::size_t>(i)];
    attend_one(head.theta, block, attended);
    for (Index n = 0; n < block.count; ++n) {
      const auto tokens = block.x(Eigen::all, Eigen::seqN(n, k, block.count));
      for (Index r = 0; r < k; ++r) {
        const Index column = block.column(r, n), row = (n * k + r) * d;
        const Vector z = attended.z.col(column);
        const Matrix around = tokens.colwise() - z;
        const Matrix effect =
            around * attended.p.col(column).asDiagonal() * (around.transpose() * head.w).eval();  // C W_i
        for (Index e = 0; e < d; ++e) {
          out.row(row + e).segment(i * d * d, d * d) =
              (block.x.col(column) * effect.col(e).transpose()).reshaped().transpose();
          out.row(row + e).segment(half + i * d * d + e * d, d) = z.transpose();
        }
      }
    }
  }
  return out;
}

}  // namespace hardhead::attention
