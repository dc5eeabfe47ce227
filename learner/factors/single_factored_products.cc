#include "learner/factors/single_factored_products.h"

#include <tbb/enumerable_thread_specific.h>

#include "attention/forward/matrix_product.h"
#include "learner/objective/blocks.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {
namespace {

// dl_rj = p_rj (dl_rj - sum_j p_rj dl_rj), in place: a row for each j.
void pattern_jacobian(const Eigen::Ref<const FloatMatrix>& p, FloatMatrix& dl) {
  const Eigen::RowVectorXf mean = p.cwiseProduct(dl).colwise().sum();
  dl.rowwise() -= mean;
  dl.array() *= p.array();
}

}  // namespace

SingleFactoredProducts::SingleFactoredProducts(const std::vector<Block>& blocks, const Factors& factors)
    : factors_(factors) {
  for (const Block& block : blocks) {
    Kept& kept = blocks_.emplace_back(Kept{block.k, block.count, whole_lanes(block.count), {}, {}, {}, {}});
    take_columns(block.x, block.k, block.count, kept.columns, kept.x);
  }
}

void SingleFactoredProducts::attend(std::size_t block, const RowMatrix& qkv, const RowMatrix& patterns,
                                    const RowMatrix& hidden) {
  Kept& kept = blocks_[block];
  take_columns(qkv, kept.k, kept.count, kept.columns, kept.qkv);
  take_columns(patterns.unaryExpr(&without_denormals), kept.k, kept.count, kept.columns, kept.patterns);
  take_columns(hidden, kept.k, kept.count, kept.columns, kept.hidden);
}

// J v into scratch.residual.
void SingleFactoredProducts::tangent(const Kept& block, const FloatMatrix& parameters, const FloatMatrix& v,
                                     Scratch& scratch) const {
  const auto [m, form, rank] = factors_;
  const Index k = block.k, n = block.columns, hidden = m * rank;
  const FloatMatrix &qkv = block.qkv, &change = scratch.change;
  set_product(scratch.change, v.topRows(factors_.outputs()), block.x);
  scratch.hidden.resize(hidden, k * n);
  for (Index i = 0; i < m; ++i) {
    const Index query = factors_.query(i), key = factors_.key(i), value = factors_.values(i);
    const auto p = block.patterns.middleRows(i * k, k);
    const auto logit = [&](Index row, Index j) { return &scratch.logits(j, row * n); };
    scratch.logits.setZero(k, k * n);
    add_pair_products(k, tokens_of(change, query, n), k, tokens_of(qkv, key, n), form, n, logit);
    add_pair_products(k, tokens_of(qkv, query, n), k, tokens_of(change, key, n), form, n, logit);
    pattern_jacobian(p, scratch.logits);
    // For each j what its logit's change makes of its value, and its pattern of its value's change.
    for (Index row = 0; row < k; ++row)
      set_weighted_sum(
          2 * k,
          [&](Index t) {
            return t % 2 == 0 ? &scratch.logits(t / 2, row * n) : &block.patterns(i * k + t / 2, row * n);
          },
          [&](Index t) { return token_rows_of(t % 2 == 0 ? qkv : change, value, t / 2, n); }, rank, n,
          token_rows_of(scratch.hidden, i * rank, row, n));
  }
  set_product(scratch.residual, parameters.bottomRows(hidden).transpose(), scratch.hidden);
  add_product(scratch.residual, v.bottomRows(hidden).transpose(), block.hidden);
}

// J^T u for u = scratch.residual, into scratch.gradient.
void SingleFactoredProducts::adjoint(const Kept& block, const FloatMatrix& parameters,
                                     Scratch& scratch) const {
  const auto [m, form, rank] = factors_;
  const Index k = block.k, n = block.columns, hidden = m * rank;
  const FloatMatrix& qkv = block.qkv;
  FloatMatrix &change = scratch.change, &pull = scratch.hidden;
  scratch.gradient.resize(factors_.rows(), block.x.rows());
  set_product(scratch.gradient.bottomRows(hidden), block.hidden, scratch.residual.transpose());
  set_product(pull, parameters.bottomRows(hidden), scratch.residual);
  for (Index i = 0; i < m; ++i) {
    const Index query = factors_.query(i), key = factors_.key(i), value = factors_.values(i);
    const auto p = block.patterns.middleRows(i * k, k);
    const auto logit = [&](Index row, Index j) { return &scratch.logits(j, row * n); };
    const auto pulled = tokens_of(pull, i * rank, n);
    scratch.logits.setZero(k, k * n);
    add_pair_products(k, pulled, k, tokens_of(qkv, value, n), rank, n, logit);
    for (Index j = 0; j < k; ++j)
      set_weighted_sum(
          k, [&](Index row) { return &block.patterns(i * k + j, row * n); }, pulled, rank, n,
          token_rows_of(change, value, j, n));
    pattern_jacobian(p, scratch.logits);
    for (Index row = 0; row < k; ++row)
      set_weighted_sum(
          k, [&](Index j) { return logit(row, j); }, tokens_of(qkv, key, n), form, n,
          token_rows_of(change, query, row, n));
    for (Index j = 0; j < k; ++j)
      set_weighted_sum(
          k, [&](Index row) { return logit(row, j); }, tokens_of(qkv, query, n), form, n,
          token_rows_of(change, key, j, n));
  }
  set_product(scratch.gradient.topRows(factors_.outputs()), change, block.x.transpose());
}

Stacked SingleFactoredProducts::product(const Stacked& parameters, const Stacked& v,
                                        const StopToken& stop) const {
  const FloatMatrix at = parameters.cast<float>(), direction = v.cast<float>();
  tbb::enumerable_thread_specific<Scratch> scratch;
  const Stacked zero = Stacked::Zero(v.rows(), v.cols());
  return sum_over_blocks(blocks_.size(), zero, stop, [&](Stacked& part, std::size_t b) {
    Scratch& own = scratch.local();
    tangent(blocks_[b], at, direction, own);
    adjoint(blocks_[b], at, own);
    part += own.gradient.cast<double>();
  });
}

double SingleFactoredProducts::bytes(const PassShape& shape, const Factors& factors, std::int64_t examples) {
  const Index rows = shape.d + factors.outputs() + factors.m * (shape.k + factors.value);
  return 4.0 * static_cast<double>(rows * shape.k * whole_lanes(block_size)) *
         static_cast<double>(blocks_of(examples));
}

double SingleFactoredProducts::product_bytes(const PassShape& shape, const Factors& factors,
                                             std::int64_t examples) {
  const Index d = shape.d, hidden = factors.m * factors.value,
              rows = factors.outputs() + hidden + shape.k + d, parameters = factors.rows() * d;
  const double scratch = 4.0 * static_cast<double>(rows * shape.k * whole_lanes(block_size) + parameters),
               sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  return static_cast<double>(parameters) * (2 * 4 + 8 * (sums + 1)) + threads() * scratch;
}

}  // namespace hardhead::learner
