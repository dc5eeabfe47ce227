#include "learner/objective/factored_squares.h"

#include <algorithm>
#include <cmath>

#include "attention/forward/token_products.h"
#include "base/run/parallel.h"
#include "learner/objective/blocks.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr std::size_t curvature_blocks = 8;

double bytes_of_attended(const Factors& factors, Index k, Index columns) {
  return 8.0 * static_cast<double>(factors.m * (2 * factors.form + 2 * factors.value + k) * columns);
}

void softmax_of_columns(Eigen::Ref<RowMatrix> logits) {
  const Eigen::RowVectorXd largest = logits.colwise().maxCoeff();
  logits.rowwise() -= largest;
  logits = logits.array().exp();
  const Eigen::RowVectorXd sums = logits.colwise().sum();
  logits.array().rowwise() /= sums.array();
}

void add_ridge(Matrix& a) {
  a.diagonal().array() += 1e-8 * (a.trace() / static_cast<double>(a.rows()) + 1e-300);
}

}  // namespace

Layer Factors::layer(const Stacked& parameters) const {
  Layer out{parameters.cols(), {}};
  for (Index i = 0; i < m; ++i) {
    const auto q = parameters.middleRows(i * form, form), k = parameters.middleRows((m + i) * form, form);
    const auto v = parameters.middleRows(2 * m * form + i * value, value),
               o = parameters.middleRows(2 * m * form + (m + i) * value, value);
    out.heads.push_back({q.transpose() * k, v.transpose() * o});
  }
  return out;
}

std::int64_t counting_bound(const Factors& factors, Index d, Index k) {
  return (factors.unknowns(d) + k * d - 1) / (k * d);
}

std::int64_t pattern_bound(const Factors& factors, Index d, Index k) {
  const Index weights = k * (k - 1);
  return (factors.form * (2 * d - factors.form) + weights - 1) / weights;
}

FactoredSquares::FactoredSquares(const std::vector<Block>& blocks, const Factors& factors,
                                 const Stacked& parameters, double kept_bytes, const StopToken& stop)
    : blocks_(blocks),
      factors_(factors),
      stop_(stop),
      parameters_(parameters),
      loss_(Stacked::Zero(parameters.rows(), parameters.cols())) {
  std::size_t kept = 0;
  for (const Block& block : blocks) {
    kept_bytes -= bytes_of_attended(factors, block.k, block.x.cols());
    if (kept_bytes < 0) break;
    ++kept;
  }
  kept_.resize(kept);
  linearise();
}

void FactoredSquares::move_to(const Stacked& parameters) {
  parameters_ = parameters;
  linearise();
}

void FactoredSquares::attend(const Block& block, Attended& at) const {
  const Index k = block.k, columns = k * block.count;
  at.qkv.noalias() = parameters_.topRows(outputs()) * block.x;
  at.p.resize(factors_.m * k, columns);
  at.hidden.resize(factors_.m * factors_.value, columns);
  for (Index i = 0; i < factors_.m; ++i) {
    auto p = at.p.middleRows(i * k, k);
    token_products(at.qkv.middleRows(query(i), factors_.form), at.qkv.middleRows(key(i), factors_.form), k,
                   block.count, p);
    softmax_of_columns(p);
    token_mixtures(p, at.qkv.middleRows(value(i), factors_.value), k, block.count,
                   at.hidden.middleRows(i * factors_.value, factors_.value));
  }
}

const FactoredSquares::Attended& FactoredSquares::attended(std::size_t block, Scratch& scratch) const {
  if (block < kept_.size()) return kept_[block];
  attend(blocks_[block], scratch.attended);
  return scratch.attended;
}

void FactoredSquares::linearise() {
  loss_ = deterministic_reduce(
      static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
      Loss(Stacked::Zero(parameters_.rows(), parameters_.cols())),
      [&](Loss& part, std::int64_t b) {
        stop_.check();
        const auto at = static_cast<std::size_t>(b);
        const Block& block = blocks_[at];
        Scratch& scratch = scratch_.local();
        Attended& here = at < kept_.size() ? kept_[at] : scratch.attended;
        attend(block, here);
        part.total += block.y.squaredNorm();
        scratch.residual = -block.y;
        scratch.residual.noalias() += parameters_.bottomRows(here.hidden.rows()).transpose() * here.hidden;
        part.error += scratch.residual.squaredNorm();
        add_adjoint(block, here, scratch, part.gradient);
      },
      [](Loss& left, const Loss& right) { left += right; });
  unit_ = std::max(loss_.total, 1e-300);
  loss_.gradient /= unit_;
}

// J^T u for u = scratch.residual.
void FactoredSquares::add_adjoint(const Block& block, const Attended& at, Scratch& scratch,
                                  Stacked& sum) const {
  const Index k = block.k, count = block.count, columns = k * count, hidden = at.hidden.rows();
  const auto [m, form, rank] = factors_;
  sum.bottomRows(hidden).noalias() += at.hidden * scratch.residual.transpose();
  scratch.hidden.noalias() = parameters_.bottomRows(hidden) * scratch.residual;
  scratch.change.resize(outputs(), columns);
  scratch.logits.resize(k, columns);
  for (Index i = 0; i < m; ++i) {
    const auto p = at.p.middleRows(i * k, k);
    const auto pull = scratch.hidden.middleRows(i * rank, rank);
    token_mixtures_adjoint(p, pull, k, count, scratch.change.middleRows(value(i), rank));
    token_products(pull, at.qkv.middleRows(value(i), rank), k, count, scratch.logits);
    softmax_jacobian(p, scratch.logits);
    token_mixtures(scratch.logits, at.qkv.middleRows(key(i), form), k, count,
                   scratch.change.middleRows(query(i), form));
    token_mixtures_adjoint(scratch.logits, at.qkv.middleRows(query(i), form), k, count,
                           scratch.change.middleRows(key(i), form));
  }
  sum.topRows(outputs()).noalias() += scratch.change * block.x.transpose();
}

void FactoredSquares::add_normal_product(std::size_t b, const Stacked& v, Stacked& sum) const {
  stop_.check();
  const Block& block = blocks_[b];
  Scratch& scratch = scratch_.local();
  const Attended& at = attended(b, scratch);
  const Index k = block.k, count = block.count, columns = k * count, hidden = at.hidden.rows();
  const auto [m, form, rank] = factors_;
  scratch.change.noalias() = v.topRows(outputs()) * block.x;
  scratch.hidden.resize(hidden, columns);
  scratch.logits.resize(k, columns);
  scratch.extra.resize(k, columns);
  for (Index i = 0; i < m; ++i) {
    const auto p = at.p.middleRows(i * k, k);
    auto moved = scratch.hidden.middleRows(i * rank, rank);
    token_products(scratch.change.middleRows(query(i), form), at.qkv.middleRows(key(i), form), k, count,
                   scratch.logits);
    token_products(at.qkv.middleRows(query(i), form), scratch.change.middleRows(key(i), form), k, count,
                   scratch.extra);
    scratch.logits += scratch.extra;
    softmax_jacobian(p, scratch.logits);
    token_mixtures(scratch.logits, at.qkv.middleRows(value(i), rank), k, count, moved);
    add_token_mixtures(p, scratch.change.middleRows(value(i), rank), k, count, moved);
  }
  scratch.residual.noalias() = parameters_.bottomRows(hidden).transpose() * scratch.hidden;
  scratch.residual.noalias() += v.bottomRows(hidden).transpose() * at.hidden;
  add_adjoint(block, at, scratch, sum);
}

Stacked FactoredSquares::normal_product(const Stacked& v) const {
  return deterministic_reduce(
             static_cast<std::int64_t>(blocks_.size()), blocks_a_run,
             Stacked(Stacked::Zero(v.rows(), v.cols())),
             [&](Stacked& part, std::int64_t b) { add_normal_product(static_cast<std::size_t>(b), v, part); },
             [](Stacked& left, const Stacked& right) { left += right; }) /
         unit_;
}

// Sums over one row of each example, row n mod k of example n: of L L^T with L = C_r V (O O^T)^1/2, where
// C_r V = sum_j p_j (x_j - z) v_j^T, and of z z^T.
void FactoredSquares::add_curvatures(Index head, std::size_t b, Matrix& form, Matrix& second) const {
  stop_.check();
  const Block& block = blocks_[b];
  const Attended& at = attended(b, scratch_.local());
  const Index d = block.d(), k = block.k, rank = factors_.value;
  const Matrix o = parameters_.middleRows(outputs() + head * rank, rank);
  const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(o * o.transpose()).operatorSqrt();
  Matrix left(d, rank * block.count), means(d, block.count), tokens(d, k), values(rank, k);
  for (Index n = 0; n < block.count; ++n) {
    const Vector p = at.p.col(block.column(n % k, n)).segment(head * k, k);
    for (Index j = 0; j < k; ++j) {
      tokens.col(j) = block.x.col(block.column(j, n));
      values.col(j) = p(j) * at.qkv.col(block.column(j, n)).segment(value(head), rank);
    }
    means.col(n) = tokens * p;
    tokens.colwise() -= Vector(means.col(n));
    left.middleCols(n * rank, rank).noalias() = tokens * (values.transpose() * root);
  }
  form.noalias() += left * left.transpose();
  second.noalias() += means * means.transpose();
}

// Each factor's block is rows (x) columns: a matrix that mixes the r rows of the factor, and one for its d
// columns.
struct FactoredSquares::Metric final : Preconditioner {
  struct Side {
    Matrix matrix;
    Cholesky factor;
    void settle(const StopToken& stop) {
      add_ridge(matrix);
      factor = Cholesky(matrix, stop);
    }
  };
  struct Part {
    Index first;
    const Side *rows, *columns;  // no columns: the identity
  };

  Stacked mapped(const Stacked& v, const auto& on_left) const {
    Stacked out(v.rows(), v.cols());
    for (const Part& part : parts) {
      const Index rows = part.rows->matrix.rows();
      Matrix image = on_left(*part.rows, v.middleRows(part.first, rows));
      if (part.columns) image = on_left(*part.columns, image.transpose()).transpose().eval();
      out.middleRows(part.first, rows) = image;
    }
    return out;
  }
  Stacked apply(const Stacked& v) const override {
    return mapped(v, [](const Side& side, const Matrix& right) -> Matrix { return side.matrix * right; });
  }
  Stacked solve(const Stacked& v) const override {
    return mapped(v, [](const Side& side, const Matrix& right) { return side.factor.solve(right); });
  }

  std::vector<Side> sides;  // of each head: rows of Q, K, V, columns of K, V; last the rows of all O
  std::vector<Part> parts;
};

std::unique_ptr<const Linearised::Preconditioner> FactoredSquares::preconditioner() const {
  const Index d = parameters_.cols(), hidden = factors_.m * factors_.value, m = factors_.m;
  const Index form = factors_.form, rank = factors_.value;
  const auto sampled = static_cast<std::int64_t>(std::min(blocks_.size(), curvature_blocks));
  double rows = 0, looked_at = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    rows += static_cast<double>(blocks_[b].x.cols());
    if (b < curvature_blocks) looked_at += static_cast<double>(blocks_[b].count);
  }
  auto out = std::make_unique<Metric>();
  out->sides.resize(static_cast<std::size_t>(5 * m + 1));
  parallel_for_each_index(m, [&](std::int64_t i) {
    Matrix curvature = Matrix::Zero(d, d), second = Matrix::Zero(d, d);
    for (std::int64_t b = 0; b < sampled; ++b)
      add_curvatures(i, static_cast<std::size_t>(b), curvature, second);
    const double scale = rows / looked_at / unit_;
    const auto q = parameters_.middleRows(query(i), form), k = parameters_.middleRows(key(i), form),
               o = parameters_.middleRows(outputs() + i * rank, rank);
    Metric::Side* side = &out->sides[static_cast<std::size_t>(5 * i)];
    side[0].matrix = scale * k * curvature * k.transpose();
    side[1].matrix = scale * q * q.transpose();
    side[2].matrix = scale * o * o.transpose();
    side[3].matrix = curvature;
    side[4].matrix = second;
    for (int s = 0; s < 5; ++s) side[s].settle(stop_);
  });
  Metric::Side& output = out->sides.back();
  output.matrix =
      deterministic_reduce(
          static_cast<std::int64_t>(blocks_.size()), blocks_a_run, Matrix(Matrix::Zero(hidden, hidden)),
          [&](Matrix& part, std::int64_t b) {
            stop_.check();
            const Attended& at = attended(static_cast<std::size_t>(b), scratch_.local());
            part.noalias() += at.hidden * at.hidden.transpose();
          },
          [](Matrix& left, const Matrix& right) { left += right; }) /
      unit_;
  output.settle(stop_);
  for (Index i = 0; i < m; ++i) {
    const Metric::Side* side = &out->sides[static_cast<std::size_t>(5 * i)];
    out->parts.push_back({query(i), &side[0], nullptr});
    out->parts.push_back({key(i), &side[1], &side[3]});
    out->parts.push_back({value(i), &side[2], &side[4]});
  }
  out->parts.push_back({outputs(), &output, nullptr});
  return out;
}

Stacked fit_outputs(const std::vector<Block>& blocks, const Factors& factors, const Matrix& inner,
                    const StopToken& stop) {
  const Index outputs = factors.m * factors.value;
  Stacked parameters = Stacked::Zero(factors.rows(), inner.cols());
  parameters.topRows(inner.rows()) = inner;
  // At O = 0 the gradient and the preconditioner of the O_i are those of the least squares problem.
  const FactoredSquares zero(blocks, factors, parameters, 0, stop);
  parameters.bottomRows(outputs) = -zero.preconditioner()->solve(zero.gradient()).bottomRows(outputs);
  return parameters;
}

FactoredSquares::Bytes FactoredSquares::bytes(const PassShape& shape, const Factors& factors,
                                              std::int64_t examples, double kept_bytes) {
  const auto [d, k, m, signs] = shape;
  const auto [heads, form, rank] = factors;
  const std::int64_t blocks = blocks_of(examples);
  const auto columns = static_cast<double>(k * block_size);
  const double of_block = bytes_of_attended(factors, k, k * block_size),
               parameters = 8 * static_cast<double>(factors.rows() * d),
               square = 8 * static_cast<double>(d * d), hidden = static_cast<double>(heads * rank);
  const double scratch =
      of_block + 8 * columns * static_cast<double>(d + heads * (2 * form + 2 * rank) + 2 * k);
  const auto sums = static_cast<double>(most_partial_results(blocks, blocks_a_run));
  const double curvature =
      threads() * (4 * square + 8 * static_cast<double>(d * (rank + 1) * block_size + 4 * rank * rank));
  const double metric =
      2 * (8 * hidden * hidden + static_cast<double>(heads) *
                                     (2 * square + 8 * static_cast<double>(2 * form * form + rank * rank)));
  return {.itself = 2 * parameters + std::min(kept_bytes, of_block * static_cast<double>(blocks)) +
                    threads() * scratch,
          .preconditioner = metric,
          .work = std::max({(sums + 3) * parameters, curvature, (sums + 2) * 8 * hidden * hidden})};
}

}  // namespace hardhead::learner
