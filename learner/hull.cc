#include "learner/hull.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace hardhead::learner {

using namespace attention;

Matrix AffineHull::point(const Vector& coordinates) const {
  Matrix theta = offset;
  for (std::size_t l = 0; l < directions.size(); ++l)
    theta += coordinates(static_cast<Index>(l)) * directions[l];
  return theta;
}

double AffineHull::distance(const Matrix& theta) const {
  Matrix rest = theta - offset;
  for (const Matrix& direction : directions) rest -= direction.cwiseProduct(rest).sum() * direction;
  return rest.norm();
}

AffineHull linear_span(const AffineHull& hull) {
  AffineHull span{Matrix::Zero(hull.offset.rows(), hull.offset.cols()), hull.directions};
  if (const double norm = hull.offset.norm(); norm > 0) span.directions.push_back(hull.offset / norm);
  return span;
}

std::int64_t fewest_rows(Index d, Index k) {
  return (d * d + k - 2) / (k - 1);
}

namespace {

// Left sides (rows of d^2 numbers, column-major vec of Theta, and room for one more) and right sides.
struct Equations {
  RowMatrix left;  // the last column is left for the caller
  Vector right;
};

Equations equations(const Harvest& h) {
  const Block& block = h.examples;
  const Index d = block.d(), k = block.k, n = block.count;
  Equations out{RowMatrix(n * k, d * d + 1), Vector(n * k)};
  out.left.col(d * d).setZero();
  parallel_for_each_index(n, [&](std::int64_t e) {
    const Vector p = h.patterns.col(e);
    const Vector log_p = p.array().log();
    const double mean_log = p.dot(log_p);
    const Vector row = block.x.col(block.column(h.rows[static_cast<std::size_t>(e)].row, e));
    Matrix tokens(d, k);
    for (Index a = 0; a < k; ++a) tokens.col(a) = block.x.col(block.column(a, e));
    const Vector mean = tokens * p;
    for (Index a = 0; a < k; ++a) {
      const double weight = std::sqrt(p(a));
      const Matrix form = weight * row * (tokens.col(a) - mean).transpose();
      out.left.row(e * k + a).head(d * d) = form.reshaped().transpose();
      out.right(e * k + a) = weight * (log_p(a) - mean_log);
    }
  });
  return out;
}

// left^T left / rows, tile by tile: tiles are independent, so the sum's order never changes.
Matrix second_moment(const RowMatrix& left, const RunControl& control) {
  constexpr Index tile = 128;
  const Index size = left.cols(), tiles = (size + tile - 1) / tile;
  Matrix moment(size, size);
  parallel_for_each_index(tiles * tiles, [&](std::int64_t t) {
    const Index i = t / tiles, j = t % tiles;
    if (j > i) return;
    control.check();
    const Index rows = std::min(tile, size - i * tile), columns = std::min(tile, size - j * tile);
    moment.block(i * tile, j * tile, rows, columns).noalias() =
        left.middleCols(i * tile, rows).transpose() * left.middleCols(j * tile, columns);
  });
  moment.triangularView<Eigen::StrictlyUpper>() = moment.transpose();
  return moment / static_cast<double>(left.rows());
}

// The smallest eigenvalues of a symmetric matrix, ascending, and their vectors: subspace iteration with the
// inverse of (moment + ridge), Rayleigh-Ritz values of the matrix itself.
struct Bottom {
  Vector values;
  Matrix vectors;
};

Bottom bottom_eigenspace(const Matrix& moment, Index count, double ridge, const RunControl& control) {
  constexpr int most_rounds = 60;
  constexpr double tolerance = 1e-6;
  const Index size = moment.rows();
  const Eigen::LLT<Matrix> factor(moment + ridge * Matrix::Identity(size, size));
  Matrix start(size, count);
  for (Index i = 0; i < size; ++i)  // any start in general position
    for (Index j = 0; j < count; ++j) start(i, j) = std::sin(static_cast<double>((i + 1) * (2 * j + 1)));
  Bottom out{Vector::Zero(count), start};
  for (int round = 0; round < most_rounds; ++round) {
    control.check();
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

HullEstimate estimate_hull(const Harvest& harvest, const HullOptions& options, const RunControl& control) {
  const Index d = harvest.examples.d(), size = d * d;
  Equations eq = equations(harvest);
  // The homogeneous column: right sides at the scale of an average left column.
  const double unit =
      std::sqrt(eq.left.squaredNorm() / static_cast<double>(size) / std::max(eq.right.squaredNorm(), 1e-300));
  eq.left.col(size) = -unit * eq.right;
  const Matrix moment = second_moment(eq.left, control);
  const double scale = moment.trace() / static_cast<double>(size + 1);

  const Index most = std::min<Index>(std::max(options.max_heads, options.heads.value_or(1)) + 4, size);
  const Bottom bottom = bottom_eigenspace(moment, most, 1e-13 * scale, control);
  const Vector& values = bottom.values;

  HullEstimate out;
  out.eigenvalues.assign(values.data(), values.data() + most);
  Index heads = options.heads.value_or(1);
  if (!options.heads)
    for (Index m = 1, last = std::min(options.max_heads, most - 1); m <= last; ++m)
      if (values(m) / values(m - 1) > values(heads) / values(heads - 1)) heads = m;
  out.gap = values(heads) / values(heads - 1);

  // Of the bottom m vectors (Theta, t), the combinations with t = 0 span the directions.
  const Vector t = bottom.vectors.row(size).head(heads);
  const Matrix rotation = Eigen::HouseholderQR<Matrix>(t).householderQ();
  const Matrix directions = bottom.vectors.topLeftCorner(size, heads) * rotation.rightCols(heads - 1);

  const Eigen::LLT<Matrix> factor(moment.topLeftCorner(size, size) +
                                  1e-13 * scale * Matrix::Identity(size, size));
  Vector offset = factor.solve(-moment.col(size).head(size)) / unit;
  offset -= directions * (directions.transpose() * offset);
  out.residual =
      (eq.left.leftCols(size) * offset - eq.right).norm() / std::sqrt(static_cast<double>(eq.right.size()));
  out.hull.offset = offset.reshaped(d, d);
  for (Index l = 0; l + 1 < heads; ++l) out.hull.directions.push_back(directions.col(l).reshaped(d, d));
  return out;
}

}  // namespace hardhead::learner
