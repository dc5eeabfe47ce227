#include "learner/phases/hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric/decompositions.h"
#include "learner/certificate/equations.h"
#include "learner/certificate/moment_operator.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/symmetric_solvers.h"
#include "learner/recorder.h"

namespace hardhead::learner {

std::int64_t fewest_rows(Index d, Index k) {
  return (d * d + k - 2) / (k - 1);
}

namespace {

// From here on the moment's products with vectors cost less than the moment itself.
constexpr Index by_products_from = 64;

// Any start in general position.
Matrix some_vectors(Index size, Index count) {
  return Matrix::NullaryExpr(
      size, count, [](Index i, Index j) { return std::sin(static_cast<double>((i + 1) * (2 * j + 1))); });
}

// Subspace iteration with the inverse of (moment + ridge), whose Cholesky factor is given, and Rayleigh-Ritz
// values of the matrix itself.
Eigenpairs bottom_eigenspace(const Matrix& moment, const Cholesky& factor, Index count,
                             const StopToken& stop) {
  constexpr int most_rounds = 60;
  constexpr double tolerance = 1e-6;
  Eigenpairs out{Vector::Zero(count), some_vectors(moment.rows(), count)};
  for (int round = 0; round < most_rounds; ++round) {
    stop.check();
    const Matrix basis = orthonormal(factor.solve(out.vectors));
    const Eigenpairs ritz = symmetric_eigen(basis.transpose() * moment * basis);
    const bool settled =
        (ritz.values - out.values).cwiseAbs().maxCoeff() <= tolerance * ritz.values.cwiseAbs().maxCoeff();
    out = {ritz.values, basis * ritz.vectors};
    if (settled) break;
  }
  return out;
}

// What a hull is read off: the bottom of the second moment, and the Theta that solves its equations best.
struct Solved {
  Eigenpairs bottom;
  Vector least_squares;
};

Solved solved_by_factor(const Harvest& harvest, Index count, const RunContext& context) {
  const Index size = harvest.examples.d() * harvest.examples.d();
  Matrix moment = second_moment(harvest, context);
  weigh_unseen(moment);
  // The homogeneous column: right sides at the scale of an average left column.
  const double unit = std::sqrt(moment.diagonal().head(size).mean() / std::max(moment(size, size), 1e-300));
  moment.col(size) *= unit;
  moment.row(size) *= unit;
  const double ridge = 1e-13 * moment.trace() / static_cast<double>(size + 1);
  const Cholesky factor(moment + ridge * Matrix::Identity(size + 1, size + 1), context.stop);
  Solved out{bottom_eigenspace(moment, factor, count, context.stop), {}};
  out.bottom.values = out.bottom.values.cwiseMax(ridge);
  // The leading block of a Cholesky factor is the factor of the leading block.
  const auto leading = factor.factor().topLeftCorner(size, size).triangularView<Eigen::Lower>();
  out.least_squares = leading.solve(-moment.col(size).head(size) / unit);
  out.least_squares = leading.transpose().solve(out.least_squares);
  return out;
}

Solved solved_by_products(const Harvest& harvest, Index count, const StopToken& stop) {
  const MomentOperator moment(harvest, stop);
  const Index size = moment.size() - 1;
  const auto with_t = [&](const Matrix& thetas) {
    Matrix out = Matrix::Zero(size + 1, thetas.cols());
    out.topRows(size) = thetas;
    return out;
  };
  const SymmetricOperator all{[&](const Matrix& v) { return moment.product(v); },
                              [&](const Matrix& v) { return moment.precondition(v); }},
      left{[&](const Matrix& v) -> Matrix { return moment.product(with_t(v)).topRows(size); },
           [&](const Matrix& v) -> Matrix { return moment.precondition(with_t(v)).topRows(size); }};
  Solved out{smallest_eigenpairs(all, some_vectors(size + 1, count), stop), {}};
  out.bottom.values = out.bottom.values.cwiseMax(1e-13 * moment.scale());
  const Vector right = moment.product(Vector::Unit(size + 1, size)).col(0).head(size);
  out.least_squares = conjugate_gradients(left, -right / moment.unit(), stop);
  return out;
}

}  // namespace

void check_heads(Index d, const HullOptions& options) {
  if (const Index heads = options.heads.value_or(1); heads >= d * d)
    throw InsufficientData{
        fmt::format("{} heads of {} x {} entries: their affine hull is all there is", heads, d, d)};
}

HullEstimate estimate_hull(const Harvest& harvest, const HullOptions& options, const RunContext& context) {
  const Index d = harvest.examples.d(), size = d * d;
  check_heads(d, options);
  const Index most = std::min<Index>(std::max(options.max_heads, options.heads.value_or(1)) + 4, size);
  const Solved solved = d < by_products_from ? solved_by_factor(harvest, most, context)
                                             : solved_by_products(harvest, most, context.stop);
  const Eigenpairs& bottom = solved.bottom;
  const Vector& values = bottom.values;

  HullEstimate out;
  out.spectrum.assign(values.data(), values.data() + most);
  Index heads = options.heads.value_or(1);
  if (!options.heads)
    for (Index m = 1, last = std::min(options.max_heads, most - 1); m <= last; ++m)
      if (values(m) / values(m - 1) > values(heads) / values(heads - 1)) heads = m;
  out.gap = values(heads) / values(heads - 1);

  // Of the bottom m vectors (Theta, t), the combinations with t = 0 span the directions.
  const Vector t = bottom.vectors.row(size).head(heads);
  const Matrix rotation = householder_q(t);
  const Matrix directions = bottom.vectors.topLeftCorner(size, heads) * rotation.rightCols(heads - 1);

  Vector offset = solved.least_squares;
  offset -= directions * (directions.transpose() * offset);
  out.hull.offset = offset.reshaped(d, d);
  out.residual = equation_residual(harvest, out.hull.offset, context);
  for (Index l = 0; l + 1 < heads; ++l) out.hull.directions.emplace_back(directions.col(l).reshaped(d, d));
  return out;
}

double hull_bytes(Index d, Index k, std::int64_t rows, Index most_heads) {
  const Index vectors = most_heads + 5;
  if (d >= by_products_from)
    return smallest_eigenpairs_bytes(d * d + 1, vectors) + moment_operator_bytes(d, k, rows, vectors);
  // The second moment beside the products that it is made of, then beside its factor; the bottom eigenspace.
  constexpr double moments = 2.25, bases = 8;
  const double size = static_cast<double>(d * d + 1);
  return 8 * (moments * size * size + bases * size * static_cast<double>(vectors)) + equations_bytes(d);
}

double hull_operations(Index d, Index k, std::int64_t rows, Index most_heads) {
  const double size = static_cast<double>(d * d), all = static_cast<double>(rows);
  if (d < by_products_from) return all * size * size / 4 + size * size * size / 6;
  constexpr double blocks = 22, steps = 60;  // as many as are usual
  const double vectors = blocks * static_cast<double>(most_heads + 4) + steps;
  return vectors * all * (2 * size + 2 * static_cast<double>((k - 1) * d));
}

}  // namespace hardhead::learner
