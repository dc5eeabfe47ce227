#include "learner/mobius/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/layer/assignment.h"
#include "base/numeric/decompositions.h"
#include "learner/mobius/stoppable.h"
#include "learner/recorder.h"

namespace hardhead::learner::mobius {
namespace {

/// The values that V_{0,j} would have, less its constants, if head i of the first feature were head l of the
/// other: N d numbers. A head that is turned brings its c into the constant.
Vector joint_values(const FeatureHeads& first, const FeatureHeads& other, const Matrix& z, Index i, Index l,
                    bool turned) {
  const double sign = turned ? -1 : 1;
  const Vector logits = -2 * z * (first.theta.col(i) + sign * other.theta.col(l));
  const Vector q = (1 + (-logits).array().exp()).inverse();
  Matrix values = q * (first.c.row(i) + sign * other.c.row(l));
  if (turned) values.rowwise() += other.c.row(l);
  return values.reshaped();
}

/// An orthonormal basis, in columns, of the directions that values can vary in: those of all c.
Matrix directions_of(const FeatureHeads& first, const FeatureHeads& other) {
  const Index d = first.c.cols(), m = first.m();
  if (2 * m >= d) return Matrix::Identity(d, d);
  Matrix both(d, 2 * m);
  both << first.c.transpose(), other.c.transpose();
  return orthonormal(both);
}

FeatureHeads in_directions(FeatureHeads heads, const Matrix& basis) {
  heads.c *= basis;
  return heads;
}

}  // namespace

Join join_features(const FeatureHeads& first, const FeatureHeads& other, const Points& points,
                   double tolerance, const StopToken& stop) {
  const Index m = first.m();
  // An unknown for each pair of heads and sign: how much of it there is. Directions that no column of the
  // system has leave its solution as it is.
  const Matrix basis = directions_of(first, other);
  const FeatureHeads one = in_directions(first, basis), two = in_directions(other, basis);
  const Matrix values = points.v.rowwise() - (first.constant + other.constant).transpose();
  const Vector seen = (values * basis).reshaped();
  const auto rows = static_cast<double>(seen.size()), columns = static_cast<double>(2 * m * m);
  const Vector share =
      stoppable(2 * rows * columns * std::min(rows, columns), stop, [&]() -> std::vector<Matrix> {
        Matrix design(seen.size(), 2 * m * m);
        for (Index i = 0; i < m; ++i)
          for (Index l = 0; l < m; ++l) {
            design.col(2 * (i * m + l)) = joint_values(one, two, points.z, i, l, false);
            design.col(2 * (i * m + l) + 1) = joint_values(one, two, points.z, i, l, true);
          }
        // Where logits are small only the difference of the two signs shows, which the least solution has.
        return {least_norm_least_squares(design, seen, 1e-7)};
      }).front();
  if (!share.allFinite()) throw Failed{"the heads of two features have no finite common values"};
  Matrix difference(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index l = 0; l < m; ++l) difference(i, l) = share(2 * (i * m + l)) - share(2 * (i * m + l) + 1);

  Join out{attention::cheapest_assignment(-difference.cwiseAbs()), {}};
  Vector rest = values.reshaped();
  for (Index i = 0; i < m; ++i) {
    const Index l = out.partner[static_cast<std::size_t>(i)];
    out.turned.push_back(difference(i, l) < 0);
    rest -= joint_values(first, other, points.z, i, l, out.turned.back());
  }
  const double error = rest.norm() / points.v.norm();
  if (!(error <= tolerance))
    throw Failed{
        fmt::format("no order of the heads joins the two features: the best is off by {:.2g}, relative; at "
                    "most {:.2g} is expected",
                    error, tolerance)};
  return out;
}

FeatureHeads in_order(const FeatureHeads& other, const Join& join) {
  FeatureHeads out = other;
  for (Index i = 0; i < other.m(); ++i) {
    const Index l = join.partner[static_cast<std::size_t>(i)];
    const bool turned = join.turned[static_cast<std::size_t>(i)];
    const double sign = turned ? -1 : 1;
    out.theta.col(i) = sign * other.theta.col(l);
    out.c.row(i) = sign * other.c.row(l);
    if (turned) out.constant += other.c.row(l).transpose();
  }
  return out;
}

}  // namespace hardhead::learner::mobius
