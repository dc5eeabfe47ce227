#include "learner/net.h"

#include <algorithm>
#include <cmath>

#include "attention/forward.h"
#include "base/parallel.h"
#include "learner/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// All points of a grid with `axis` points a coordinate, in the ball of the given radius.
std::vector<Vector> grid(Index dimension, Index axis, double radius) {
  std::vector<Vector> points;
  const Index half = axis / 2;
  const double spacing = half > 0 ? radius / static_cast<double>(half) : 0;
  Vector digits = Vector::Constant(dimension, -static_cast<double>(half));
  while (true) {
    if (digits.norm() <= static_cast<double>(half)) points.push_back(spacing * digits);
    Index l = 0;
    while (l < dimension && digits(l) == static_cast<double>(half)) digits(l++) = -static_cast<double>(half);
    if (l == dimension) return points;
    digits(l) += 1;
  }
}

// Fits heads with given attention forms by least squares, column block by column block: the mean tokens z of
// the heads held fixed are kept, so that trying another head costs one head's attention and products.
class Trials {
 public:
  Trials(const std::vector<Block>& blocks, const AffineHull& hull) : blocks_(blocks), hull_(hull) {
    for (const Block& block : blocks_) yy_ += block.y.squaredNorm();
  }

  void fix(const std::vector<Vector>& heads) {
    fixed_ = static_cast<Index>(heads.size());
    const Index d = hull_.offset.rows(), size = fixed_ * d;
    z_.assign(blocks_.size(), RowMatrix());
    zz_ = Matrix::Zero(size, size);
    zy_ = Matrix::Zero(size, d);
    Forward::Workspace ws;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      z_[b].resize(size, blocks_[b].x.cols());
      for (Index i = 0; i < fixed_; ++i) {
        attend_one(hull_.point(heads[static_cast<std::size_t>(i)]), blocks_[b], ws);
        z_[b].middleRows(i * d, d) = ws.z;
      }
      zz_.noalias() += z_[b] * z_[b].transpose();
      zy_.noalias() += z_[b] * blocks_[b].y.transpose();
    }
  }

  // Relative error left when `head` joins the fixed ones.
  double error_with(const Vector& head) const {
    const Index d = hull_.offset.rows(), old = fixed_ * d, size = old + d;
    Matrix zz = Matrix::Zero(size, size), zy = Matrix::Zero(size, d);
    zz.topLeftCorner(old, old) = zz_;
    zy.topRows(old) = zy_;
    const Matrix theta = hull_.point(head);
    Forward::Workspace ws;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      attend_one(theta, blocks_[b], ws);
      zz.bottomLeftCorner(d, old).noalias() += ws.z * z_[b].transpose();
      zz.bottomRightCorner(d, d).noalias() += ws.z * ws.z.transpose();
      zy.bottomRows(d).noalias() += ws.z * blocks_[b].y.transpose();
    }
    zz.diagonal().array() += 1e-12 * zz.trace() / static_cast<double>(size);
    const Eigen::LLT<Matrix> factor(zz.selfadjointView<Eigen::Lower>());
    return 1 - factor.matrixL().solve(zy).squaredNorm() / yy_;
  }

 private:
  const std::vector<Block>& blocks_;
  const AffineHull& hull_;
  double yy_ = 0;
  Index fixed_ = 0;
  std::vector<RowMatrix> z_;
  Matrix zz_, zy_;
};

struct Best {
  std::size_t index = 0;
  double error = 1;
};

Best best_of(const Trials& trials, const std::vector<Vector>& points, const RunControl& control) {
  std::vector<double> errors(points.size());
  parallel_for_each_index(static_cast<std::int64_t>(points.size()), [&](std::int64_t c) {
    control.check();
    errors[static_cast<std::size_t>(c)] = trials.error_with(points[static_cast<std::size_t>(c)]);
  });
  const auto least = std::min_element(errors.begin(), errors.end());
  return {static_cast<std::size_t>(least - errors.begin()), *least};
}

std::vector<Vector> without(const std::vector<Vector>& heads, Index i) {
  std::vector<Vector> rest = heads;
  rest.erase(rest.begin() + i);
  return rest;
}

}  // namespace

NetResult search_net(const std::vector<Block>& blocks, const AffineHull& hull, const NetOptions& options,
                     const RunControl& control) {
  const Index m = hull.heads(), dimension = m - 1;
  const double radius = options.radius * hull.offset.norm() * std::sqrt(static_cast<double>(dimension));
  Index axis = 1;
  while (dimension > 0 && axis < 61 &&
         std::pow(static_cast<double>(axis + 2), dimension) <= static_cast<double>(options.points))
    axis += 2;
  const std::vector<Vector> points = grid(dimension, axis, radius);

  NetResult out;
  out.points = static_cast<std::int64_t>(points.size());
  Trials trials(blocks, hull);
  std::vector<Vector> heads;
  const auto try_all = [&](const std::vector<Vector>& candidates) {
    out.evaluations += static_cast<std::int64_t>(candidates.size());
    return best_of(trials, candidates, control);
  };
  for (Index i = 0; i < m; ++i) {
    trials.fix(heads);
    const Best best = try_all(points);
    heads.push_back(points[best.index]);
    out.net_error = best.error;
    control.progress("net", 0.3 * static_cast<double>(i + 1) / static_cast<double>(m));
  }
  constexpr int most_exchanges = 20;
  for (int round = 0, unchanged = 0; m > 1 && round < most_exchanges * m && unchanged < m; ++round) {
    const Index i = round % m;
    trials.fix(without(heads, i));
    const Best best = try_all(points);
    unchanged = best.error < out.net_error ? 0 : unchanged + 1;
    if (best.error < out.net_error) {
      heads[static_cast<std::size_t>(i)] = points[best.index];
      out.net_error = best.error;
    }
  }

  out.error = out.net_error;
  double step = dimension > 0 ? radius / static_cast<double>(axis / 2 + 1) / 2 : 0;
  while (step > options.finest * radius && dimension > 0) {
    bool moved = false;
    for (Index i = 0; i < m; ++i) {
      Vector& head = heads[static_cast<std::size_t>(i)];
      std::vector<Vector> around;
      for (Index l = 0; l < dimension; ++l)
        for (const double sign : {-1.0, 1.0})
          around.push_back(head + sign * step * Vector::Unit(dimension, l));
      trials.fix(without(heads, i));
      const Best best = try_all(around);
      if (best.error < out.error) head = around[best.index], out.error = best.error, moved = true;
    }
    if (!moved) step /= 2;
    control.progress("net", 0.7);
  }

  out.coordinates.resize(dimension, m);
  std::vector<Matrix> thetas;
  for (Index i = 0; i < m; ++i) {
    out.coordinates.col(i) = heads[static_cast<std::size_t>(i)];
    thetas.push_back(hull.point(heads[static_cast<std::size_t>(i)]));
  }
  out.layer = fit_w(blocks, thetas);
  return out;
}

}  // namespace hardhead::learner
