#include "learner/factors/factored_squares.h"

#include <algorithm>
#include <utility>

#include "attention/forward/matrix_product.h"
#include "attention/forward/token_products.h"
#include "base/run/parallel.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {
namespace {

// What may be kept in single precision, over what may be kept in all: without it products in double have to
// compute again what heads make of a block, and take four times as long.
constexpr double most_of_single = 2;

// Of what heads make of a token.
Index rows_of_attended(const Factors& factors, Index k) {
  return factors.m * (2 * factors.form + 2 * factors.value + k);
}

void softmax_of_columns(Eigen::Ref<RowMatrix> logits) {
  const Eigen::RowVectorXd largest = logits.colwise().maxCoeff();
  logits.rowwise() -= largest;
  logits = logits.array().exp();
  const Eigen::RowVectorXd sums = logits.colwise().sum();
  logits.array().rowwise() /= sums.array();
}

// From its lower triangle.
void make_symmetric(Matrix& a) {
  a.triangularView<Eigen::StrictlyUpper>() = a.transpose();
}

}  // namespace

FactoredSquares::FactoredSquares(const std::vector<Block>& blocks, const Factors& factors,
                                 const Stacked& parameters, double kept_bytes, const StopToken& stop,
                                 Outputs outputs)
    : LinearisedOnBlocks(blocks, Stacked::Zero(parameters.rows(), parameters.cols()), stop),
      factors_(factors),
      parameters_(parameters) {
  const PassShape shape = pass_shape(factors.m);
  const double in_single =
      SingleFactoredProducts::bytes(shape, factors, static_cast<std::int64_t>(blocks.size()) * block_size);
  if (in_single > 0 && in_single <= most_of_single * kept_bytes) {
    single_ = SingleFactoredProducts(blocks, factors);
    kept_bytes -= in_single;
  }
  kept_.resize(blocks_within(kept_bytes, rows_of_attended(factors, shape.k)));
  if (outputs == Outputs::fitted) fit_outputs();
  linearise(outputs == Outputs::fitted);
}

void FactoredSquares::move_to(const Stacked& parameters) {
  parameters_ = parameters;
  linearise(false);
}

Stacked FactoredSquares::move_to_best(const Stacked& parameters) {
  parameters_ = parameters;
  fit_outputs();
  linearise(true);
  return parameters_;
}

void FactoredSquares::attend(const Block& block, Attended& at) const {
  const Index k = block.k, columns = k * block.count;
  set_product(at.qkv, parameters_.topRows(factors_.outputs()), block.x);
  at.p.resize(factors_.m * k, columns);
  at.hidden.resize(factors_.m * factors_.value, columns);
  for (Index i = 0; i < factors_.m; ++i) {
    auto p = at.p.middleRows(i * k, k);
    token_products(at.qkv.middleRows(factors_.query(i), factors_.form),
                   at.qkv.middleRows(factors_.key(i), factors_.form), k, block.count, p);
    softmax_of_columns(p);
    token_mixtures(p, at.qkv.middleRows(factors_.values(i), factors_.value), k, block.count,
                   at.hidden.middleRows(i * factors_.value, factors_.value));
  }
}

const FactoredSquares::Attended& FactoredSquares::attended(std::size_t block, Scratch& scratch) const {
  if (block < kept_.size()) return kept_[block];
  attend(blocks_[block], scratch.attended);
  return scratch.attended;
}

// As attended(), at another point than before.
const FactoredSquares::Attended& FactoredSquares::attend_again(std::size_t block, Scratch& scratch) {
  Attended& here = block < kept_.size() ? kept_[block] : scratch.attended;
  attend(blocks_[block], here);
  return here;
}

void FactoredSquares::set_residual(const Block& block, const Attended& at, Scratch& scratch) const {
  scratch.residual = -block.y;
  add_product(scratch.residual, parameters_.bottomRows(at.hidden.rows()).transpose(), at.hidden);
}

// By the normal equations of what the O_i that are there leave: a ridge then draws towards these.
void FactoredSquares::fit_outputs() {
  const Index d = parameters_.cols(), hidden = factors_.m * factors_.value;
  struct Sums {
    Matrix gram, gradient;
    void operator+=(const Sums& other) { gram += other.gram, gradient += other.gradient; }
  };
  Sums sums =
      summed(Sums{Matrix::Zero(hidden, hidden), Matrix::Zero(hidden, d)}, [&](Sums& part, std::size_t b) {
        Scratch& scratch = scratch_.local();
        const Attended& here = attend_again(b, scratch);
        set_residual(blocks_[b], here, scratch);
        part.gram.selfadjointView<Eigen::Lower>().rankUpdate(here.hidden);
        add_product(part.gradient, here.hidden, scratch.residual.transpose());
      });
  make_symmetric(sums.gram);
  add_ridge(sums.gram);
  parameters_.bottomRows(hidden) -= Cholesky(std::move(sums.gram), stop_).solve(sums.gradient);
}

// `is_attended`: what is kept of the blocks is that of this point.
void FactoredSquares::linearise(bool is_attended) {
  set_loss([&](Loss& part, std::size_t b) {
    const Block& block = blocks_[b];
    Scratch& scratch = scratch_.local();
    const Attended& here = is_attended ? attended(b, scratch) : attend_again(b, scratch);
    if (!single_.empty()) single_.attend(b, here.qkv, here.p, here.hidden);
    part.total += block.y.squaredNorm();
    set_residual(block, here, scratch);
    part.error += scratch.residual.squaredNorm();
    add_adjoint(block, here, scratch, part.gradient);
  });
}

// J^T u for u = scratch.residual.
void FactoredSquares::add_adjoint(const Block& block, const Attended& at, Scratch& scratch,
                                  Stacked& sum) const {
  const Index k = block.k, count = block.count, columns = k * count, hidden = at.hidden.rows();
  const auto [m, form, rank] = factors_;
  add_product(sum.bottomRows(hidden), at.hidden, scratch.residual.transpose());
  set_product(scratch.hidden, parameters_.bottomRows(hidden), scratch.residual);
  scratch.change.resize(factors_.outputs(), columns);
  scratch.logits.resize(k, columns);
  for (Index i = 0; i < m; ++i) {
    const auto p = at.p.middleRows(i * k, k);
    const auto pull = scratch.hidden.middleRows(i * rank, rank);
    token_mixtures_adjoint(p, pull, k, count, scratch.change.middleRows(factors_.values(i), rank));
    token_products(pull, at.qkv.middleRows(factors_.values(i), rank), k, count, scratch.logits);
    softmax_jacobian(p, scratch.logits);
    token_mixtures(scratch.logits, at.qkv.middleRows(factors_.key(i), form), k, count,
                   scratch.change.middleRows(factors_.query(i), form));
    token_mixtures_adjoint(scratch.logits, at.qkv.middleRows(factors_.query(i), form), k, count,
                           scratch.change.middleRows(factors_.key(i), form));
  }
  add_product(sum.topRows(factors_.outputs()), scratch.change, block.x.transpose());
}

void FactoredSquares::add_normal_product(std::size_t b, const Stacked& v, Stacked& sum) const {
  const Block& block = blocks_[b];
  Scratch& scratch = scratch_.local();
  const Attended& at = attended(b, scratch);
  const Index k = block.k, count = block.count, columns = k * count, hidden = at.hidden.rows();
  const auto [m, form, rank] = factors_;
  set_product(scratch.change, v.topRows(factors_.outputs()), block.x);
  scratch.hidden.resize(hidden, columns);
  scratch.logits.resize(k, columns);
  scratch.extra.resize(k, columns);
  for (Index i = 0; i < m; ++i) {
    const auto p = at.p.middleRows(i * k, k);
    auto moved = scratch.hidden.middleRows(i * rank, rank);
    token_products(scratch.change.middleRows(factors_.query(i), form),
                   at.qkv.middleRows(factors_.key(i), form), k, count, scratch.logits);
    token_products(at.qkv.middleRows(factors_.query(i), form),
                   scratch.change.middleRows(factors_.key(i), form), k, count, scratch.extra);
    scratch.logits += scratch.extra;
    softmax_jacobian(p, scratch.logits);
    token_mixtures(scratch.logits, at.qkv.middleRows(factors_.values(i), rank), k, count, moved);
    add_token_mixtures(p, scratch.change.middleRows(factors_.values(i), rank), k, count, moved);
  }
  set_product(scratch.residual, parameters_.bottomRows(hidden).transpose(), scratch.hidden);
  add_product(scratch.residual, v.bottomRows(hidden).transpose(), at.hidden);
  add_adjoint(block, at, scratch, sum);
}

Stacked FactoredSquares::normal_product(const Stacked& v) const {
  return relative_sum([&](Stacked& part, std::size_t b) { add_normal_product(b, v, part); });
}

Stacked FactoredSquares::rough_normal_product(const Stacked& v) const {
  if (single_.empty()) return normal_product(v);
  return single_.product(parameters_, v, stop_) / unit_;
}

// Adds, for head i, the sum of z z^T over one row of each example, row n mod k of example n, to the lower
// triangle.
void FactoredSquares::add_second_moment(Index i, const Block& block, const Attended& at, Matrix& sum) const {
  RowMatrix p(block.k, block.count);
  for (Index n = 0; n < block.count; ++n)
    p.col(n) = at.p.col(block.column(n % block.k, n)).segment(i * block.k, block.k);
  RowMatrix means = RowMatrix::Zero(block.d(), block.count);
  for (Index j = 0; j < block.k; ++j) means.array() += block.token(j).array().rowwise() * p.row(j).array();
  sum.selfadjointView<Eigen::Lower>().rankUpdate(means);
}

// Sums over all blocks: of z z^T for each head, and of the hidden features.
std::vector<Matrix> FactoredSquares::moments() const {
  const Index d = parameters_.cols(), heads = factors_.m, hidden = heads * factors_.value;
  std::vector<Matrix> zero(static_cast<std::size_t>(heads), Matrix::Zero(d, d));
  zero.push_back(Matrix::Zero(hidden, hidden));
  std::vector<Matrix> sums = summed(zero, [&](std::vector<Matrix>& part, std::size_t b) {
    const Attended& at = attended(b, scratch_.local());
    for (Index i = 0; i < heads; ++i) add_second_moment(i, blocks_[b], at, part[static_cast<std::size_t>(i)]);
    part.back().selfadjointView<Eigen::Lower>().rankUpdate(at.hidden);
  });
  for (Matrix& sum : sums) make_symmetric(sum);
  return sums;
}

std::vector<ThetaCurvature> FactoredSquares::curvatures() const {
  std::vector<Matrix> grams;  // O O^T
  for (Index i = 0; i < factors_.m; ++i) {
    const auto o = parameters_.middleRows(factors_.output(i), factors_.value);
    grams.push_back(o * o.transpose());
  }
  using Sums = std::vector<ThetaCurvature>;
  const Sums zero(grams.size(), ThetaCurvature(parameters_.cols()));
  return summed(zero, [&](Sums& part, std::size_t b) {
    const Block& block = blocks_[b];
    const Attended& at = attended(b, scratch_.local());
    RowMatrix images;
    for (Index i = 0; i < factors_.m; ++i) {
      const auto head = static_cast<std::size_t>(i);
      const auto values = at.qkv.middleRows(factors_.values(i), factors_.value);
      set_product(images, grams[head], values);
      part[head].add(block, at.p.middleRows(i * block.k, block.k), values, images);
    }
  });
}

// Each factor's block is rows (x) columns: a matrix that mixes the r rows of the factor, and one for its d
// columns. To these is added t t^T for each head, with a vector t of its Q and K.
struct FactoredSquares::Metric final : Preconditioner {
  struct Part {
    Index first;
    const RidgedMatrix *rows, *columns;  // no columns: the identity
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
    Stacked out = mapped(
        v, [](const RidgedMatrix& side, const Matrix& right) -> Matrix { return side.matrix * right; });
    for (const Common& one : common) one.t.add_to(out, one.t.dot(v));
    return out;
  }
  // By Sherman and Morrison for each head: no two of the t have an entry in common.
  Stacked solve(const Stacked& v) const override {
    Stacked out = without_common(v);
    for (const Common& one : common) one.solved.add_to(out, -one.t.dot(out) / (1 + one.t_solved));
    return out;
  }
  Stacked without_common(const Stacked& v) const {
    return mapped(v, [](const RidgedMatrix& side, const Matrix& right) { return side.factor.solve(right); });
  }

  // Of a head: rows of Q^T, and rows of K^T.
  struct QueryAndKey {
    Index query, key;
    Matrix q, k;

    double dot(const Stacked& v) const {
      return q.cwiseProduct(v.middleRows(query, q.rows())).sum() +
             k.cwiseProduct(v.middleRows(key, k.rows())).sum();
    }
    void add_to(Stacked& v, double factor) const {
      v.middleRows(query, q.rows()) += factor * q;
      v.middleRows(key, k.rows()) += factor * k;
    }
  };
  struct Common {
    QueryAndKey t, solved;  // t and M^-1 t without t t^T
    double t_solved;        // their product
  };

  void add_common(QueryAndKey t, Stacked zero) {
    t.add_to(zero, 1);
    const Stacked solved = without_common(zero);
    QueryAndKey of_solved{t.query, t.key, solved.middleRows(t.query, t.q.rows()),
                          solved.middleRows(t.key, t.k.rows())};
    const double product = t.dot(solved);
    common.push_back({std::move(t), std::move(of_solved), product});
  }

  std::vector<Common> common;
  std::vector<RidgedMatrix> sides;  // of each head: rows of Q, K, V, columns of K, V; last the rows of all O
  std::vector<Part> parts;
};

std::unique_ptr<const Linearised::Preconditioner> FactoredSquares::preconditioner() const {
  const Index m = factors_.m, form = factors_.form, rank = factors_.value;
  const auto tokens = static_cast<double>(blocks_.front().k);
  auto out = std::make_unique<Metric>();
  out->sides.resize(static_cast<std::size_t>(5 * m + 1));
  std::vector<ThetaCurvature> curvature = curvatures();
  std::vector<Matrix> moment = moments();
  parallel_for_each_index(m, [&](std::int64_t i) {
    const auto q = parameters_.middleRows(factors_.query(i), form),
               k = parameters_.middleRows(factors_.key(i), form),
               o = parameters_.middleRows(factors_.output(i), rank);
    const auto head = static_cast<std::size_t>(i);
    RidgedMatrix* side = &out->sides[5 * head];
    side[0] = RidgedMatrix(k * curvature[head].spread * k.transpose() / unit_, stop_);
    side[1] = RidgedMatrix(q * q.transpose() / unit_, stop_);
    side[2] = RidgedMatrix(tokens / unit_ * o * o.transpose(), stop_);
    side[3] = RidgedMatrix(std::move(curvature[head].spread), stop_);
    side[4] = RidgedMatrix(std::move(moment[head]), stop_);
  });
  RidgedMatrix& output = out->sides.back();
  output = RidgedMatrix(moment.back() / unit_, stop_);
  for (Index i = 0; i < m; ++i) {
    const RidgedMatrix* side = &out->sides[static_cast<std::size_t>(5 * i)];
    out->parts.push_back({factors_.query(i), &side[0], nullptr});
    out->parts.push_back({factors_.key(i), &side[1], &side[3]});
    out->parts.push_back({factors_.values(i), &side[2], &side[4]});
  }
  out->parts.push_back({factors_.outputs(), &output, nullptr});
  for (Index i = 0; i < m; ++i) {
    const double scale = common_scale();
    const Matrix& common = curvature[static_cast<std::size_t>(i)].common;
    out->add_common(
        {factors_.query(i), factors_.key(i), scale * parameters_.middleRows(factors_.key(i), form) * common,
         scale * parameters_.middleRows(factors_.query(i), form) * common.transpose()},
        Stacked::Zero(parameters_.rows(), parameters_.cols()));
  }
  return out;
}

FactoredSquares::Bytes FactoredSquares::bytes(const PassShape& shape, const Factors& factors,
                                              std::int64_t examples, double kept_bytes) {
  const auto [d, k, m, signs] = shape;
  const auto [heads, form, rank] = factors;
  const std::int64_t blocks = blocks_of(examples);
  const auto columns = static_cast<double>(k * block_size);
  const double of_block = 8.0 * static_cast<double>(rows_of_attended(factors, k) * k * block_size),
               parameters = 8 * static_cast<double>(factors.rows() * d),
               square = 8 * static_cast<double>(d * d), hidden = static_cast<double>(heads * rank);
  const double scratch =
      of_block + 8 * columns * static_cast<double>(d + heads * (2 * form + 2 * rank) + 2 * k);
  const auto sums = static_cast<double>(most_partial_results(blocks, blocks_a_run));
  const double single = SingleFactoredProducts::bytes(shape, factors, blocks * block_size);
  const bool rough = single <= most_of_single * kept_bytes;
  const double in_single = rough ? single : 0,
               in_double = std::clamp(kept_bytes - in_single, 0.0, of_block * static_cast<double>(blocks));
  const double moments = static_cast<double>(heads) * square + 8 * hidden * hidden,
               curvatures = static_cast<double>(2 * heads) * square,
               of_examples =
                   4.0 * static_cast<double>(block_size * (2 * (k + 1) * d + 4 * k * (k + rank)) + d * d);
  const double metric =
      2 * (8 * hidden * hidden +
           static_cast<double>(heads) *
               (2 * square + 8 * static_cast<double>(2 * form * form + rank * rank + 2 * form * d)));
  return {.itself = 2 * parameters + in_single + in_double + threads() * scratch,
          .preconditioner = metric,
          .work = std::max({(sums + 3) * parameters,
                            (sums + 2) * std::max(moments, curvatures) + curvatures + threads() * of_examples,
                            rough ? SingleFactoredProducts::product_bytes(shape, factors, examples) : 0.0})};
}

}  // namespace hardhead::learner
