#include "learner/phases/w_sum.h"

#include <tbb/enumerable_thread_specific.h>

#include "attention/forward/matrix_product.h"
#include "attention/samples/reduce_blocks.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {
namespace {

// Over examples, of the sums of all rows of X and of Y.
struct Moments {
  Matrix xx, xy;
  double mean_yy = 0, yy = 0;
};

constexpr Serializer<Moments> moments_wire{[](const Moments& sums, std::string& to) {
                                             for (const Matrix* m : {&sums.xx, &sums.xy})
                                               put(to, m->data(), static_cast<std::size_t>(m->size()));
                                             put(to, &sums.mean_yy, 1);
                                             put(to, &sums.yy, 1);
                                           },
                                           [](std::string_view& from, const Moments& identity) {
                                             Moments sums = identity;
                                             for (Matrix* m : {&sums.xx, &sums.xy})
                                               take(from, m->data(), static_cast<std::size_t>(m->size()));
                                             take(from, &sums.mean_yy, 1);
                                             take(from, &sums.yy, 1);
                                             return sums;
                                           }};

Moments moments(const SampleSource& source, std::int64_t examples, const RunContext& context) {
  const Index d = source.d(), k = source.k();
  tbb::enumerable_thread_specific<Block> row_sums;  // as of one token
  return reduce_blocks({source, 0, examples},
                       Reduction{Moments{Matrix::Zero(d, d), Matrix::Zero(d, d)},
                                 [&](Moments& part, std::int64_t, const Block& block) {
                                   Block& sums = row_sums.local();
                                   sums.resize(d, 1, block.count);
                                   RowMatrix &x = sums.x, &y = sums.y;
                                   x = block.token(0);
                                   y = block.label(0);
                                   for (Index a = 1; a < k; ++a) {
                                     x += block.token(a);
                                     y += block.label(a);
                                   }
                                   add_product(part.xx, x, x.transpose());
                                   add_product(part.xy, x, y.transpose());
                                   part.mean_yy += y.squaredNorm();
                                   part.yy += block.y.squaredNorm();
                                 },
                                 [](Moments& left, const Moments& right) {
                                   left.xx += right.xx;
                                   left.xy += right.xy;
                                   left.mean_yy += right.mean_yy;
                                   left.yy += right.yy;
                                 },
                                 &moments_wire},
                       context, "w_sum");
}

CrudeWSum judged(Matrix estimate, const Moments& sum, std::int64_t examples) {
  CrudeWSum out;
  out.explained_by_chance = static_cast<double>(estimate.rows()) / static_cast<double>(examples);
  // Mean rows that are only rounding errors of Y explain nothing.
  if (sum.mean_yy > 1e-24 * sum.yy)
    out.explained = estimate.cwiseProduct(2 * sum.xy - sum.xx * estimate).sum() / sum.mean_yy;
  out.estimate = std::move(estimate);
  return out;
}

}  // namespace

CrudeWSum estimate_w_sum(const SampleSource& source, std::int64_t examples, const RunContext& context) {
  const Moments sum = moments(source, examples, context);
  return judged(ridge_solve(sum.xx, sum.xy, context.stop), sum, examples);
}

CrudeWSum gradient_step_w_sum(const SampleSource& source, std::int64_t examples, const RunContext& context) {
  const Moments sum = moments(source, examples, context);
  Matrix step = sum.xy / static_cast<double>(source.k() * examples);
  if (has_constant_feature(source.inputs())) step.bottomRows(1) /= static_cast<double>(source.k());
  return judged(std::move(step), sum, examples);
}

double w_sum_bytes(Index d, Index k, std::int64_t examples) {
  // Sums of tokens and of labels in each thread; the normal equations' matrix, its copy and its factor.
  const double matrix = layer_bytes(d, 1) / 2;
  return reduce_blocks_bytes(d, k, examples, 2 * matrix, example_bytes(d, 1, block_size)) + 4 * matrix;
}

}  // namespace hardhead::learner
