#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/layer/assignment.h"
#include "base/numeric/decompositions.h"
#include "learner/mobius/mobius.h"
#include "learner/recorder.h"
#include "learner/stoppable.h"

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

/// For each head, whether turning it takes part of the constant away: constant = sum_i kappa_i W_i with every
/// kappa_i near 0 or -1, and near -1 for the heads to be turned. None is, where the constant is not such a
/// sum.
std::vector<bool> heads_to_turn(const Layer& layer, const Matrix& constant) {
  Matrix rows(layer.d * layer.d, layer.m());
  for (Index i = 0; i < layer.m(); ++i) rows.col(i) = layer.heads[static_cast<std::size_t>(i)].w.reshaped();
  const Vector kappa = least_squares(rows, Vector(constant.reshaped()));
  std::vector<bool> out;
  for (const double share : kappa) {
    constexpr double nearby = 0.1;
    const bool turned = std::abs(share + 1) < nearby;
    if (!turned && std::abs(share) >= nearby)
      return std::vector<bool>(static_cast<std::size_t>(layer.m()), false);
    out.push_back(turned);
  }
  return out;
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

Layer assembled(const std::vector<FeatureHeads>& features, const std::vector<Join>& joins,
                double negligible) {
  const Index d = features.front().theta.rows(), m = features.front().m();
  const Matrix zero = Matrix::Zero(d, d);
  Layer out{d, std::vector<Head>(static_cast<std::size_t>(m), {zero, zero})};
  Matrix constant = zero;
  for (Index j = 0; j < static_cast<Index>(features.size()); ++j) {
    const FeatureHeads& found = features[static_cast<std::size_t>(j)];
    const FeatureHeads heads = j == 0 ? found : in_order(found, joins[static_cast<std::size_t>(j - 1)]);
    for (Index i = 0; i < m; ++i) {
      out.heads[static_cast<std::size_t>(i)].theta.col(j) = heads.theta.col(i);
      out.heads[static_cast<std::size_t>(i)].w.row(j) = heads.c.row(i);
    }
    constant.row(j) = heads.constant.transpose();
  }
  double norm = 0;
  const std::vector<bool> turned = heads_to_turn(out, constant);
  for (std::size_t i = 0; i < out.heads.size(); ++i) {
    Head& head = out.heads[i];
    norm += head.w.norm();
    if (!turned[i]) continue;
    constant += head.w;
    head.theta *= -1;
    head.w *= -1;
  }
  if (constant.norm() > negligible * norm) out.heads.push_back({Matrix::Zero(d, d), 2 * constant});
  return out;
}

}  // namespace hardhead::learner::mobius
