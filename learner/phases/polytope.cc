#include "learner/phases/polytope.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/numeric/decompositions.h"
#include "base/numeric/random.h"
#include "learner/certificate/equations.h"
#include "learner/certificate/least_norm.h"
#include "learner/certificate/linear_programme.h"
#include "learner/recorder.h"
#include "learner/stoppable.h"

namespace hardhead::learner {
namespace {

constexpr double least_eps = 1e-9;  // weighted logits
constexpr double bound_in_norms = 10;
constexpr double thin = 0.1, thinner = 0.4;
constexpr double least_ratio = 1.5;  // below it no ratio of lengths names a number of heads
constexpr double least_norm_gap = 1e-2;
constexpr int least_norm_queries = 10;

// Theta = centre + basis u, with u in the box [-1, 1]^(d^2) that holds K; rows left u - right are the
// equations' residuals in units of `unit`. Along the principal axes of the left sides, in the box's units,
// the equations are well conditioned, however long K is.
struct Coordinates {
  Vector centre;
  Matrix basis;
  RowMatrix left;
  Vector right;
  double unit;
};

// The equations by principal axes, around their least-squares solution of least norm.
class PrincipalAxes {
 public:
  explicit PrincipalAxes(const Equations& equations) {
    const auto rows = static_cast<double>(equations.right.size());
    Matrix moment = equations.left.transpose() * equations.left / rows;
    weigh_unseen(moment);
    const Eigenpairs axes = symmetric_eigen(moment);
    axes_ = axes.vectors;
    const double negligible = 1e-12 * axes.values.tail(1)(0);
    variances_ = (axes.values.array() > negligible).select(axes.values, 0);
    left_ = equations.left * axes_;
    const Vector coordinates =
        (variances_.array() > 0)
            .select((left_.transpose() * equations.right).array() / (rows * variances_.array()), 0);
    centre_ = axes_ * coordinates;
    residual_ = equations.right - left_ * coordinates;
    rms_ = residual_.norm() / std::sqrt(rows);
  }

  const Vector& centre() const { return centre_; }
  // The largest residual at the centre.
  double violation() const { return std::max(residual_.cwiseAbs().maxCoeff(), least_eps); }

  // For a body of violation `eps` at most.
  Coordinates coordinates(double eps) const {
    const double bound = bound_in_norms * std::max(1.0, centre_.norm());
    const Vector half_widths = ((eps + rms_) / variances_.array().sqrt()).min(bound);
    return {centre_, axes_ * half_widths.asDiagonal(), left_ * (half_widths / eps).asDiagonal(),
            residual_ / eps, eps};
  }

 private:
  Matrix axes_;
  Vector variances_;  // of the left sides along them; 0 if negligible
  RowMatrix left_;    // along them
  Vector centre_, residual_;
  double rms_;
};

// t* to within a hundredth, from above: min t over |left u - right| <= t. Few of the inequalities
// matter: one side of the rows of largest residual at first, then those that the solution violates most.
double least_violation(const Coordinates& at) {
  const Index rows = at.left.rows(), size = at.left.cols();
  LinearProgramme programme((Vector(size + 1) << Vector::Constant(size, -1), 0).finished(),
                            Vector::Ones(size + 1));
  programme.set_objective(Vector::Unit(size + 1, size));
  std::vector<bool> above(static_cast<std::size_t>(rows), false), below = above;  // sides already in it
  Vector residual = -at.right;
  double least = 0;
  for (Index wanted = 2 * size;; wanted = size / 2) {
    std::vector<Index> candidates;
    for (Index r = 0; r < rows; ++r)
      if (std::abs(residual(r)) > least && !(residual(r) > 0 ? above : below)[static_cast<std::size_t>(r)])
        candidates.push_back(r);
    if (candidates.empty()) break;
    const Index count = std::min(wanted, static_cast<Index>(candidates.size()));
    std::partial_sort(candidates.begin(), candidates.begin() + count, candidates.end(),
                      [&](Index a, Index b) { return std::abs(residual(a)) > std::abs(residual(b)); });
    RowMatrix added(count, size + 1);
    Vector upper(count);
    for (Index i = 0; i < count; ++i) {
      const Index r = candidates[static_cast<std::size_t>(i)];
      const double side = residual(r) > 0 ? 1 : -1;
      (side > 0 ? above : below)[static_cast<std::size_t>(r)] = true;
      added.row(i) << side * at.left.row(r), -1;
      upper(i) = side * at.right(r);
    }
    programme.add_rows(added, Vector::Constant(count, -LinearProgramme::unbounded), upper);
    const Vector solution = programme.minimise();
    residual = at.left * solution.head(size) - at.right;
    least = solution(size);
    if (residual.cwiseAbs().maxCoeff() <= 1.01 * least + 1e-6) break;
  }
  return residual.cwiseAbs().maxCoeff() * at.unit;
}

// K and its farthest points.
class Body {
 public:
  Body(Coordinates coordinates, std::function<void()> count)
      : at_(std::move(coordinates)),
        programme_(Vector::Constant(at_.left.cols(), -1), Vector::Ones(at_.left.cols())),
        count_(std::move(count)) {
    programme_.add_rows(at_.left, at_.right.array() - 1, at_.right.array() + 1);
  }

  Vector farthest(const Vector& along) {
    const Vector objective = at_.basis.transpose() * along;
    programme_.set_objective(-objective / objective.cwiseAbs().maxCoeff());
    const Vector point = at_.centre + at_.basis * programme_.minimise();
    count_();
    return point;
  }

 private:
  Coordinates at_;
  LinearProgramme programme_;
  std::function<void()> count_;
};

Vector complement(const Matrix& orthonormal, const Vector& v) {
  return v - orthonormal * (orthonormal.transpose() * v);
}

// The difference of K's two farthest points along a direction, without its components along `excluded`.
Vector extent(Body& body, const Matrix& excluded, const Vector& along) {
  const Vector direction = complement(excluded, along), far = body.farthest(direction);
  return complement(excluded, far - body.farthest(-direction));
}

struct Directions {
  Matrix columns;  // orthonormal
  std::vector<double> lengths;
};

// How many directions are looked for: `most`, or with `all` false until they become short.
struct Sought {
  Index most;
  bool all;
  std::uint64_t seed;
};

// Long directions of K in the complement of its point of least norm, one after another.
Directions long_directions(Body& body, const Vector& least, double reference, const Sought& sought) {
  const Stream stream(Domain::learner, sought.seed, "polytope");
  const Index size = least.size();
  Directions out{Matrix(size, 0), {reference}};
  Matrix excluded = least.normalized();
  double longest = reference;
  for (Index l = 1; l <= sought.most; ++l) {
    Vector along(size);
    stream.normals(static_cast<std::uint64_t>(l), {along.data(), static_cast<std::size_t>(size)});
    along = extent(body, excluded, extent(body, excluded, along));
    out.lengths.push_back(along.norm());
    excluded.conservativeResize(size, l + 1);
    excluded.col(l) = along.normalized();
    const double before = out.lengths[out.lengths.size() - 2], last = out.lengths.back();
    if (!sought.all && (last < thin * before || std::max(before, last) < thinner * longest)) break;
    longest = std::max(longest, last);
  }
  out.columns = excluded.rightCols(excluded.cols() - 1);
  return out;
}

struct BodyShape {
  double gap = 0;
  Vector lengths, offset;
  Matrix directions;
};

BodyShape body_shape(const Equations& equations, const HullOptions& options,
                     const std::function<void(double)>& progress) {
  const PrincipalAxes axes(equations);
  const double eps = std::max(options.slack * least_violation(axes.coordinates(axes.violation())), least_eps);
  double solved = 1;
  Body body(axes.coordinates(eps), [&] {
    ++solved;
    progress(solved / (solved + 8));
  });

  BodyShape out;
  out.offset = least_norm_point(
                   {body.farthest(-axes.centre())}, [&](const Vector& x) { return body.farthest(-x); },
                   least_norm_gap, least_norm_queries)
                   .point;
  const Index most = std::min(options.heads.value_or(options.max_heads), out.offset.size() - 1);
  const Directions found = long_directions(body, out.offset, axes.centre().norm(),
                                           {most, options.heads.has_value(), options.seed});
  out.lengths = Eigen::Map<const Vector>(found.lengths.data(), static_cast<Index>(found.lengths.size()));
  const auto ratio = [&](Index m) { return out.lengths(m - 1) / out.lengths(m); };
  Index heads = options.heads.value_or(1);
  if (!options.heads)
    for (Index m = 2; m < out.lengths.size(); ++m)
      if (ratio(m) > std::max(ratio(heads), least_ratio)) heads = m;
  out.gap = ratio(heads);

  // Once more along each direction, free of the proxy, which is not orthogonal to the hull where K is too
  // short to hold the hull's own point of least norm.
  out.directions = found.columns.leftCols(heads - 1);
  for (Index l = 0; l + 1 < heads; ++l)
    out.directions.col(l) = extent(body, out.directions.leftCols(l), out.directions.col(l)).normalized();
  out.offset = complement(out.directions, out.offset);
  return out;
}

}  // namespace

HullEstimate polytope_hull(const Harvest& harvest, const HullOptions& options, const RunContext& context) {
  check_heads(harvest.examples.d(), options);
  const Equations equations = independent_equations(harvest);  // here: a child has no parallel loops
  const auto shape_of = [&](const std::function<void(double)>& progress) -> std::vector<Matrix> {
    const BodyShape shape = body_shape(equations, options, progress);
    return {shape.offset, shape.directions, shape.lengths, Matrix::Constant(1, 1, shape.gap)};
  };
  const std::vector<Matrix> found =
      errors_as<InsufficientData>([&] { return matrices_by_child(shape_of, context, "hull"); });
  const Index d = harvest.examples.d();
  HullEstimate out;
  out.hull.offset = found[0].reshaped(d, d);
  for (const auto column : found[1].colwise()) out.hull.directions.emplace_back(column.reshaped(d, d));
  out.spectrum.assign(found[2].data(), found[2].data() + found[2].size());
  out.gap = found[3](0, 0);
  out.residual = equation_residual(harvest, out.hull.offset, context);
  return out;
}

double predicted_lp_seconds(Index d, Index k, std::int64_t rows, Index heads) {
  const auto size = static_cast<double>(d * d);
  return 7e-9 * 10 * static_cast<double>(heads) * static_cast<double>(rows * (k - 1)) * size * size;
}

double polytope_bytes(Index d, Index k, std::int64_t rows) {
  // The equations three times, by rows, along their axes and in units of the box; and in Clp's matrices, by
  // columns, by rows and while they are put in: 12 bytes a number.
  constexpr double equation_bytes = 3 * 8 + 4 * 12, squares = 8;
  const auto size = static_cast<double>(d * d);
  return size * (equation_bytes * static_cast<double>(rows * (k - 1)) + 8 * squares * size);
}

}  // namespace hardhead::learner
