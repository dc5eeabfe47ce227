#include "learner/objective/first_order.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "attention/forward/matrix_product.h"
#include "base/numeric/decompositions.h"
#include "learner/objective/blocks.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {
namespace {

constexpr const char* reading = "first_order_examples";  // as progress has it

// Entries (a, b) with b <= a of symmetric d x d matrices.
Index triangle(Index d) {
  return d * (d + 1) / 2;
}

// Whether the d^2 x d^2 matrix of A takes fewer multiplications than passes over the examples.
bool as_matrix(Index d, Index k, Index count, int products) {
  return triangle(d) <= products * 2 * k * count;
}

// The mean of each example's tokens, d x count.
RowMatrix token_means(const Block& block) {
  RowMatrix means = block.token(0);
  for (Index j = 1; j < block.k; ++j) means += block.token(j);
  return means / static_cast<double>(block.k);
}

RowMatrix label_sums(const Block& block) {
  RowMatrix sums = block.label(0);
  for (Index r = 1; r < block.k; ++r) sums += block.label(r);
  return sums;
}

// Of the least squares fit of y_r by x_r and mean(X).
struct NormalEquations {
  Matrix gram, right, labels;  // 2 d x 2 d, 2 d x d, d x d; of gram, the blocks on and below the diagonal
  double rows = 0;

  explicit NormalEquations(Index d)
      : gram(Matrix::Zero(2 * d, 2 * d)), right(Matrix::Zero(2 * d, d)), labels(Matrix::Zero(d, d)) {}
  void add(const Block& block) {
    const Index d = block.d();
    const RowMatrix means = token_means(block);
    add_product(gram.topLeftCorner(d, d), block.x, block.x.transpose());
    gram.bottomRightCorner(d, d).noalias() += static_cast<double>(block.k) * means * means.transpose();
    add_product(right.topRows(d), block.x, block.y.transpose());
    add_product(right.bottomRows(d), means, label_sums(block).transpose());
    add_product(labels, block.y, block.y.transpose());
    rows += static_cast<double>(block.x.cols());
  }
  void operator+=(const NormalEquations& other) {
    gram += other.gram, right += other.right, labels += other.labels, rows += other.rows;
  }
  // sum_r x_r mean^T = k mean mean^T.
  Matrix solution(const StopToken& stop) {
    const Index d = right.cols();
    gram.bottomLeftCorner(d, d) = gram.bottomRightCorner(d, d);
    gram.topRightCorner(d, d) = gram.bottomRightCorner(d, d);
    return ridge_solve(gram, right, stop);
  }
};

// (sum_r u_r u_r^T / rows + floor)^(-1/2), symmetric, for the residuals u of a solution.
Matrix whitening(const NormalEquations& sum, const Matrix& solution) {
  constexpr double of_residuals = 1e-6, of_labels = 1e-8;
  const Matrix residuals = (sum.labels - solution.transpose() * sum.right) / sum.rows;
  const double floor =
      of_residuals * std::max(0.0, residuals.trace()) + of_labels * sum.labels.trace() / sum.rows;
  const auto [values, vectors] = symmetric_eigen(residuals);
  const double least =
      std::max(floor / static_cast<double>(residuals.cols()), std::numeric_limits<double>::min());
  const Vector scales = (values.array().max(0) + least).rsqrt();
  return vectors * scales.asDiagonal() * vectors.transpose();
}

// C(X) of each example, a column each.
void take_spreads(const Block& block, RowMatrix& spreads) {
  const Index d = block.d(), count = block.count;
  const RowMatrix means = token_means(block);
  spreads.resize(triangle(d), count);
  for (Index a = 0; a < d; ++a)
    for (Index b = 0; b <= a; ++b) {
      auto row = spreads.row(triangle(a) + b).array();
      row = -means.row(a).array() * means.row(b).array();
      for (Index j = 0; j < block.k; ++j)
        row += block.token(j).row(a).array() * block.token(j).row(b).array() / static_cast<double>(block.k);
    }
}

// S = sum_r x_r u_r^T of each example, a column each.
void take_sums(const Block& block, const RowMatrix& residual, RowMatrix& sums) {
  const Index d = block.d(), count = block.count;
  sums.setZero(d * d, count);
  for (Index c = 0; c < d; ++c)
    for (Index f = 0; f < d; ++f)
      for (Index r = 0; r < block.k; ++r)
        sums.row(c * d + f).array() +=
            block.token(r).row(c).array() * residual.row(f).segment(r * count, count).array();
}

// So many rows of a block's tokens stay in a core's cache.
void for_few_features(Index d, const auto& body) {
  constexpr Index few = 32;
  for (Index first = 0; first < d; first += few) body(first, std::min(few, d - first));
}

}  // namespace

Matrix as_columns(const Matrix& stacked) {
  const Index d = stacked.cols(), count = stacked.rows() / d;
  Matrix out(d * d, count);
  for (Index i = 0; i < count; ++i) out.col(i) = stacked.middleRows(i * d, d).reshaped();
  return out;
}

Matrix as_stack(const Matrix& columns, Index d) {
  Matrix out(columns.cols() * d, d);
  for (Index i = 0; i < columns.cols(); ++i) out.middleRows(i * d, d) = columns.col(i).reshaped(d, d);
  return out;
}

struct FirstOrder::Scratch {
  FloatMatrix head, logits, mixtures, product;
};

FirstOrder::FirstOrder(const ExampleRange& examples, Index count, int products, const RunContext& context,
                       const FirstOrder* like)
    : context_(context), products_(products) {
  const bool matrix = as_matrix(examples.source.d(), examples.source.k(), count, products);
  fit_linear_part(examples, !matrix, like);
  if (matrix) make_matrix(examples);
}

// Examples are read once where they are kept: their labels first stand where the residuals will be.
void FirstOrder::fit_linear_part(const ExampleRange& examples, bool keep, const FirstOrder* like) {
  const Index d = examples.source.d();
  if (keep) kept_.resize(static_cast<std::size_t>(blocks_of(examples.count)));
  const auto add = [&](NormalEquations& part, std::int64_t first, const Block& block) {
    if (like)
      part.rows += static_cast<double>(block.x.cols());
    else
      part.add(block);
    if (!keep) return;
    Kept& kept = kept_[static_cast<std::size_t>((first - examples.first) / block_size)];
    kept.k = block.k, kept.columns = whole_lanes(block.count);
    take_columns(block.x, block.k, block.count, kept.columns, kept.x);
    take_columns(block.y, block.k, block.count, kept.columns, kept.residual);
  };
  NormalEquations sum =
      reduce_blocks(examples,
                    Reduction{NormalEquations(d), add,
                              [](NormalEquations& left, const NormalEquations& right) { left += right; }},
                    context_, reading);
  if (like) {
    whitening_ = like->whitening_, of_token_ = like->of_token_, of_mean_ = like->of_mean_;
  } else {
    const Matrix linear = sum.solution(context_.stop);
    whitening_ = whitening(sum, linear);
    of_token_ = linear.topRows(d) * whitening_, of_mean_ = linear.bottomRows(d) * whitening_;
  }
  rows_ = sum.rows;
  const FloatMatrix whiten = whitening_.cast<float>(), token = of_token_.transpose().cast<float>(),
                    mean = of_mean_.transpose().cast<float>();
  parallel_for_each_index(static_cast<std::int64_t>(kept_.size()), [&](std::int64_t b) {
    context_.stop.check();
    Kept& kept = kept_[static_cast<std::size_t>(b)];
    const Index k = kept.k, n = kept.columns;
    FloatMatrix residual;
    set_product(residual, whiten, kept.residual);
    residual.noalias() -= token * kept.x;
    FloatMatrix means = kept.x.leftCols(n);
    for (Index j = 1; j < k; ++j) means += kept.x.middleCols(j * n, n);
    const FloatMatrix of_means = mean * (means / static_cast<float>(k));
    for (Index r = 0; r < k; ++r) residual.middleCols(r * n, n) -= of_means;
    kept.residual = residual;
  });
}

// A(Theta^T)_af = sum_bc C_ab Theta_cb S_cf, summed over the examples: the entries are those of one product
// of all C and all S.
void FirstOrder::make_matrix(const ExampleRange& examples) {
  const Index d = of_mean_.rows();
  struct Factors {
    RowMatrix residual, spreads, sums;
  };
  tbb::enumerable_thread_specific<Factors> scratch;
  const auto add = [&](Matrix& part, std::int64_t, const Block& block) {
    auto& [residual, spreads, sums] = scratch.local();
    residual.noalias() = whitening_ * block.y;
    residual.noalias() -= of_token_.transpose() * block.x;
    const RowMatrix of_means = of_mean_.transpose() * token_means(block);
    for (Index r = 0; r < block.k; ++r) residual.middleCols(r * block.count, block.count) -= of_means;
    take_spreads(block, spreads);
    take_sums(block, residual, sums);
    add_product(part, spreads, sums.transpose());
  };
  const Matrix moments = reduce_blocks(examples,
                                       Reduction{Matrix(Matrix::Zero(triangle(d), d * d)), add,
                                                 [](Matrix& left, const Matrix& right) { left += right; }},
                                       context_, reading) /
                         rows_;
  matrix_.resize(d * d, d * d);
  for (Index a = 0; a < d; ++a)
    for (Index b = 0; b < d; ++b)
      for (Index f = 0; f < d; ++f)
        for (Index c = 0; c < d; ++c)
          matrix_(a + d * f, b + d * c) = moments(triangle(std::max(a, b)) + std::min(a, b), c * d + f);
}

Matrix FirstOrder::image(const Matrix& matrices) const {
  if (matrix_.size() == 0) return mapped(matrices, &Kept::x, &Kept::residual);
  report(1);
  return as_stack(matrix_ * as_columns(matrices), matrices.cols());
}

Matrix FirstOrder::adjoint(const Matrix& matrices) const {
  if (matrix_.size() == 0) return mapped(matrices, &Kept::residual, &Kept::x);
  report(1);
  return as_stack(matrix_.transpose() * as_columns(matrices), matrices.cols());
}

// 1 ends the product. Where there are more of them than usual, another one is to come.
void FirstOrder::report(double share_of_product) const {
  if (products_ == 0) return;
  const double done = products_done_ + share_of_product;
  context_.progress.report("first_order", done / std::max<double>(products_, done + 1));
  if (share_of_product == 1) ++products_done_;
}

// Of each matrix T the sum of t u^T over all rows, where t_r = sum_j dl_rj x_j for T times `from`, and u is
// `onto`.
Matrix FirstOrder::mapped(const Matrix& matrices, FloatMatrix Kept::* from, FloatMatrix Kept::* onto) const {
  const Index d = matrices.cols();
  const FloatMatrix given = matrices.cast<float>();
  tbb::enumerable_thread_specific<Scratch> scratches;
  const auto blocks = static_cast<std::int64_t>(kept_.size()), often = (blocks + 19) / 20;
  std::atomic<std::int64_t> done = 0;
  const Matrix zero = Matrix::Zero(given.rows(), d);
  const Matrix sum = sum_over_blocks(kept_.size(), zero, context_.stop, [&](Matrix& part, std::size_t b) {
    const Kept& block = kept_[b];
    Scratch& scratch = scratches.local();
    for (Index row = 0; row < given.rows(); row += d) {
      context_.stop.check();
      set_product(scratch.head, given.middleRows(row, d), block.*from);
      mix(block, scratch);
      set_product(scratch.product, scratch.mixtures, (block.*onto).transpose());
      part.middleRows(row, d) += scratch.product.cast<double>();
    }
    if (const std::int64_t finished = ++done; finished % often == 0 && finished < blocks)
      report(static_cast<double>(finished) / static_cast<double>(blocks));
  });
  report(1);
  return sum / rows_;
}

// The columns sum_j dl_rj x_j with l_rj = <t_r, x_j> for the rows t of scratch.head, and dl = uniform
// attention's change.
void FirstOrder::mix(const Kept& block, Scratch& scratch) {
  const Index k = block.k, n = block.columns, d = block.x.rows();
  const auto logit = [&](Index row, Index j) { return &scratch.logits(j, row * n); };
  scratch.logits.setZero(k, k * n);
  for_few_features(d, [&](Index first, Index count) {
    add_pair_products(k, tokens_of(scratch.head, first, n), k, tokens_of(block.x, first, n), count, n, logit);
  });
  const Eigen::RowVectorXf mean = scratch.logits.colwise().mean();
  scratch.logits.rowwise() -= mean;
  scratch.logits /= static_cast<float>(k);
  scratch.mixtures.resize(d, k * n);
  for_few_features(d, [&](Index first, Index count) {
    for (Index row = 0; row < k; ++row)
      set_weighted_sum(
          k, [&](Index j) { return logit(row, j); }, tokens_of(block.x, first, n), count, n,
          token_rows_of(scratch.mixtures, first, row, n));
  });
}

double FirstOrder::bytes(const PassShape& shape, std::int64_t examples, int products) {
  const auto [d, k, count, signs] = shape;
  const double square = static_cast<double>(d * d), all = static_cast<double>(count) * square,
               tokens = static_cast<double>(d * k * whole_lanes(block_size)),
               means = static_cast<double>(d * block_size);
  const double linear = reduce_blocks_bytes(d, k, examples, 8 * 7 * square, 8 * 3 * means) + 8 * 20 * square;
  if (as_matrix(d, k, count, products)) {
    const auto pairs = static_cast<double>(triangle(d));
    const double factors = 8 * (tokens + 2 * means + static_cast<double>(block_size) * (pairs + square));
    const double moments = reduce_blocks_bytes(d, k, examples, 8 * pairs * square, factors);
    return 2 * 8 * square + std::max(linear, moments + 8 * square * square) + 4 * 8 * all;
  }
  const auto blocks = static_cast<double>(blocks_of(examples));
  const double kept = blocks * 4 * 2 * tokens,
               scratch = 4 * (2 * tokens + static_cast<double>(k * k * whole_lanes(block_size)) + square),
               sums = static_cast<double>(most_partial_results(blocks_of(examples), blocks_a_run));
  const double product = (8 * (sums + 2) + 4) * all + threads() * scratch;
  return kept + 3 * 8 * square + std::max(linear + threads() * 4 * (tokens + 3 * means), product);
}

}  // namespace hardhead::learner
