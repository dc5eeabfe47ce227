#include "learner/phases/net.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "attention/forward/forward.h"
#include "attention/forward/matrix_product.h"
#include "base/run/parallel.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/linear_w.h"
#include "learner/objective/variable_projection.h"

namespace hardhead::learner {
namespace {

// Appends the integer points of the ball of radius `half` whose first coordinates are those of `point` up to
// `next`; gives up beyond `most` points.
void extend_ball(Vector& point, Index next, int half, std::size_t most, std::vector<Vector>& points) {
  if (points.size() > most) return;
  if (next == point.size()) {
    points.push_back(point);
    return;
  }
  const double room = half * half - point.head(next).squaredNorm();
  for (int digit = -half; digit <= half; ++digit) {
    if (digit * digit > room) continue;
    point(next) = digit;
    extend_ball(point, next + 1, half, most, points);
  }
}

}  // namespace

std::vector<Vector> net_points(Index dimension, double radius, std::int64_t most) {
  constexpr int most_half = 30;
  const auto limit = static_cast<std::size_t>(most);
  std::vector<Vector> points(1, Vector::Zero(dimension));
  for (int half = 1; dimension > 0 && half <= most_half; ++half) {
    std::vector<Vector> finer;
    Vector point(dimension);
    extend_ball(point, 0, half, limit, finer);
    if (finer.size() > limit) break;
    for (Vector& at : finer) at *= radius / half;
    points = std::move(finer);
  }
  return points;
}

namespace {

// Fits heads with given attention forms by least squares, column block by column block: the mean tokens z of
// the heads held fixed are kept, so that trying another head costs one head's attention and products.
class Trials {
 public:
  Trials(const std::vector<Block>& blocks, const AffineHull& hull) : blocks_(blocks), hull_(hull) {
    for (const Block& block : blocks_) yy_ += block.y.squaredNorm();
  }

  void fix(const std::vector<Vector>& heads, const StopToken& stop) {
    fixed_ = static_cast<Index>(heads.size());
    const Index d = hull_.offset.rows(), size = fixed_ * d;
    z_.assign(blocks_.size(), RowMatrix());
    zz_ = Matrix::Zero(size, size);
    zy_ = Matrix::Zero(size, d);
    Forward::Workspace& ws = workspaces_.local();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      stop.check();
      z_[b].resize(size, blocks_[b].x.cols());
      for (Index i = 0; i < fixed_; ++i) {
        attend_one(hull_.point(heads[static_cast<std::size_t>(i)]), blocks_[b], ws);
        z_[b].middleRows(i * d, d) = ws.z;
      }
      add_product(zz_, z_[b], z_[b].transpose());
      add_product(zy_, z_[b], blocks_[b].y.transpose());
    }
  }

  // Relative error left when `head` joins the fixed ones.
  double error_with(const Vector& head) const {
    const Index d = hull_.offset.rows(), old = fixed_ * d, size = old + d;
    Matrix zz = Matrix::Zero(size, size), zy = Matrix::Zero(size, d);
    zz.topLeftCorner(old, old) = zz_;
    zy.topRows(old) = zy_;
    const Matrix theta = hull_.point(head);
    Forward::Workspace& ws = workspaces_.local();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      attend_one(theta, blocks_[b], ws);
      add_product(zz.bottomLeftCorner(d, old), ws.z, z_[b].transpose());
      add_product(zz.bottomRightCorner(d, d), ws.z, ws.z.transpose());
      add_product(zy.bottomRows(d), ws.z, blocks_[b].y.transpose());
    }
    zz.diagonal().array() += 1e-12 * zz.trace() / static_cast<double>(size);
    return 1 - Cholesky(std::move(zz)).factor().triangularView<Eigen::Lower>().solve(zy).squaredNorm() / yy_;
  }

 private:
  const std::vector<Block>& blocks_;
  const AffineHull& hull_;
  double yy_ = 0;
  Index fixed_ = 0;
  std::vector<RowMatrix> z_;
  Matrix zz_, zy_;
  mutable tbb::enumerable_thread_specific<Forward::Workspace> workspaces_;
};

struct BestPoint {
  std::size_t index = 0;
  double error = 1;
};

BestPoint best_of(const Trials& trials, const std::vector<Vector>& points, const RunContext& context) {
  std::vector<double> errors(points.size());
  parallel_for_each_index(static_cast<std::int64_t>(points.size()), [&](std::int64_t c) {
    context.stop.check();
    errors[static_cast<std::size_t>(c)] = trials.error_with(points[static_cast<std::size_t>(c)]);
  });
  const auto least = std::min_element(errors.begin(), errors.end());
  return {static_cast<std::size_t>(least - errors.begin()), *least};
}

// Heads on points of the net.
struct OnNet {
  std::vector<std::size_t> points;
  double error = 1;
};

class Search {
 public:
  Search(const std::vector<Block>& blocks, const AffineHull& flat, std::vector<Vector> points,
         const RunContext& context)
      : trials_(blocks, flat), points_(std::move(points)), context_(context) {}

  // Greedy from the given heads on, then exchanges until none helps.
  OnNet run(std::vector<std::size_t> heads, Index m, const std::function<void(double)>& progress) {
    OnNet at{std::move(heads)};
    while (static_cast<Index>(at.points.size()) < m) {
      const BestPoint best = best_beside(at.points);
      at.points.push_back(best.index);
      at.error = best.error;
      progress(0.5 * static_cast<double>(at.points.size()) / static_cast<double>(m));
    }
    constexpr Index most_rounds = 20;
    for (Index round = 0, unchanged = 0; m > 1 && round < most_rounds * m && unchanged < m; ++round) {
      std::vector<std::size_t> others = at.points;
      others.erase(others.begin() + round % m);
      const BestPoint best = best_beside(others);
      unchanged = best.error < at.error ? 0 : unchanged + 1;
      if (best.error < at.error) {
        at.points[static_cast<std::size_t>(round % m)] = best.index;
        at.error = best.error;
      }
      progress(0.5 + 0.4 * static_cast<double>(round) / static_cast<double>(most_rounds * m));
    }
    return at;
  }
  const Vector& point(std::size_t index) const { return points_[index]; }
  std::int64_t tuples() const { return tuples_; }

 private:
  // The point that fits best together with those given.
  BestPoint best_beside(const std::vector<std::size_t>& heads) {
    std::vector<Vector> fixed;
    for (const std::size_t head : heads) fixed.push_back(points_[head]);
    trials_.fix(fixed, context_.stop);
    tuples_ += static_cast<std::int64_t>(points_.size());
    return best_of(trials_, points_, context_);
  }

  Trials trials_;
  std::vector<Vector> points_;
  const RunContext& context_;
  std::int64_t tuples_ = 0;
};

}  // namespace

NetResult search_net(const std::vector<Block>& blocks, const SearchSpace& space, const NetOptions& options,
                     const Stream& stream, const RunContext& context) {
  const Index dimension = space.dimension(), heads = space.heads;
  std::vector<Vector> points = net_points(dimension, space.radius, options.points);
  NetResult out;
  out.points = static_cast<std::int64_t>(points.size());
  Search search(blocks, space.flat, std::move(points), context);
  const int tries = dimension > 0 ? 1 + options.restarts : 1;
  while (out.starts < tries && (out.starts == 0 || out.error > options.target)) {
    std::vector<std::size_t> first;
    if (out.starts > 0)
      first.push_back(
          stream.below(static_cast<std::uint64_t>(out.starts), static_cast<std::uint64_t>(out.points)));
    const OnNet at = search.run(std::move(first), heads, [&](double done) {
      context.progress.report("net", (out.starts + done) / (out.starts + 1));
    });
    Matrix coordinates(dimension, heads);
    for (Index i = 0; i < heads; ++i)
      coordinates.col(i) = search.point(at.points[static_cast<std::size_t>(i)]);
    const ProjectionResult refined = variable_projection(blocks, space.flat, coordinates, context);
    if (out.starts++ == 0 || refined.error < out.error) {
      out.layer = refined.layer;
      out.net_error = at.error;
      out.error = refined.error;
    }
  }
  out.tuples = search.tuples();
  return out;
}

double search_net_bytes(const PassShape& shape, std::int64_t examples, Index dimension, std::int64_t points) {
  const Index d = shape.d;
  const double size = static_cast<double>(shape.m * d);
  // A point lies in two lists while a finer net is made.
  const double net = 2 * static_cast<double>(points) * static_cast<double>(8 * dimension + 48);
  const double mean_tokens = static_cast<double>(shape.m) / 2 * example_bytes(d, shape.k, examples);
  const double trial = 8 * size * (3 * size + 2 * static_cast<double>(d)) +
                       workspace_bytes({d, shape.k, 1, shape.signs}).attend + layer_bytes(d, 1);
  return net + mean_tokens + threads() * trial + layer_bytes(d, 4 * shape.m) +
         std::max(fit_w_bytes(shape, examples), variable_projection_bytes(shape, examples, dimension));
}

}  // namespace hardhead::learner
