#include "learner/w_sum.h"

#include "attention/reduce_blocks.h"
#include "learner/ridge_solve.h"

namespace hardhead::learner {

using namespace attention;

CrudeWSum estimate_w_sum(const SampleSource& source, std::int64_t examples, const RunControl& control) {
  const Index d = source.d(), k = source.k();
  struct Moments {
    Matrix xx, xy;
    double mean_yy = 0, yy = 0;
  };
  const Moments sum = reduce_blocks(
      source, 0, examples, Moments{Matrix::Zero(d, d), Matrix::Zero(d, d)}, control, "w_sum",
      [&](Moments& part, std::int64_t, const Block& block) {
        RowMatrix x = block.token(0), y = block.label(0);
        for (Index a = 1; a < k; ++a) x += block.token(a), y += block.label(a);
        part.xx.noalias() += x * x.transpose();
        part.xy.noalias() += x * y.transpose();
        part.mean_yy += y.squaredNorm();
        part.yy += block.y.squaredNorm();
      },
      [](Moments& left, const Moments& right) {
        left.xx += right.xx;
        left.xy += right.xy;
        left.mean_yy += right.mean_yy;
        left.yy += right.yy;
      });

  CrudeWSum out;
  out.estimate = ridge_solve(sum.xx, sum.xy);
  out.explained_by_chance = static_cast<double>(d) / static_cast<double>(examples);
  // Mean rows that are only rounding errors of Y explain nothing.
  if (sum.mean_yy > 1e-24 * sum.yy) out.explained = out.estimate.cwiseProduct(sum.xy).sum() / sum.mean_yy;
  return out;
}

}  // namespace hardhead::learner
