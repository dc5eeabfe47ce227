#include "learner/phases/hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learner/certificate/equations.h"
#include "learner/insufficient_data.h"
#include "learner/objective/cholesky.h"

namespace hardhead::learner {

using namespace attention;

std::int64_t fewest_rows(Index d, Index k) {
  return (d * d + k - 2) / (k - 1);
}

namespace {

// The smallest eigenvalues of a symmetric matrix, ascending, and their vectors: subspace iteration with the
// inverse of (moment + ridge), whose Cholesky factor is given, and Rayleigh-Ritz values of the matrix itself.
struct Bottom {
  Vector values;
  Matrix vectors;
};

Bottom bottom_eigenspace(const Matrix& moment, const Cholesky& factor, Index count, double ridge,
                         const RunContext& context) {
  constexpr int most_rounds = 60;
  constexpr double tolerance = 1e-6;
  const Index size = moment.rows();
  Matrix start(size, count);
  for (Index i = 0; i < size; ++i)  // any start in general position
    for (Index j = 0; j < count; ++j) start(i, j) = std::sin(static_cast<double>((i + 1) * (2 * j + 1)));
  Bottom out{Vector::Zero(count), start};
  for (int round = 0; round < most_rounds; ++round) {
    context.stop.check();
    const Matrix basis = Eigen::HouseholderQR<Matrix>(factor.solve(out.vectors)).householderQ() *
                         Matrix::Identity(size, count);
    const Eigen::SelfAdjointEigenSolver<Matrix> ritz(basis.transpose() * moment * basis);
    const bool settled = (ritz.eigenvalues() - out.values).cwiseAbs().maxCoeff() <=
                         tolerance * ritz.eigenvalues().cwiseAbs().maxCoeff();
    out = {ritz.eigenvalues().cwiseMax(ridge), basis * ritz.eigenvectors()};
    if (settled) break;
  }
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
  Matrix moment = second_moment(harvest, context);
  weigh_unseen(moment);
  // The homogeneous column: right sides at the scale of an average left column.
  const double unit = std::sqrt(moment.diagonal().head(size).mean() / std::max(moment(size, size), 1e-300));
  moment.col(size) *= unit;
  moment.row(size) *= unit;
  const double ridge = 1e-13 * moment.trace() / static_cast<double>(size + 1);
  const Cholesky factor(moment + ridge * Matrix::Identity(size + 1, size + 1), context.stop);

  const Index most = std::min<Index>(std::max(options.max_heads, options.heads.value_or(1)) + 4, size);
  const Bottom bottom = bottom_eigenspace(moment, factor, most, ridge, context);
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
  const Matrix rotation = Eigen::HouseholderQR<Matrix>(t).householderQ();
  const Matrix directions = bottom.vectors.topLeftCorner(size, heads) * rotation.rightCols(heads - 1);

  // The leading block of a Cholesky factor is the factor of the leading block.
  const auto leading = factor.factor().topLeftCorner(size, size).triangularView<Eigen::Lower>();
  Vector offset = leading.solve(-moment.col(size).head(size) / unit);
  offset = leading.transpose().solve(offset);
  offset -= directions * (directions.transpose() * offset);
  out.hull.offset = offset.reshaped(d, d);
  out.residual = equation_residual(harvest, out.hull.offset, context);
  for (Index l = 0; l + 1 < heads; ++l) out.hull.directions.emplace_back(directions.col(l).reshaped(d, d));
  return out;
}

double hull_bytes(Index d, Index most_heads) {
  // The second moment beside the products that it is made of, then beside its factor; the bottom eigenspace.
  constexpr double moments = 2.25, bases = 8;
  const double size = static_cast<double>(d * d + 1);
  return 8 * (moments * size * size + bases * size * static_cast<double>(most_heads + 5)) +
         equations_bytes(d);
}

}  // namespace hardhead::learner
