#include <cmath>

#include "base/numeric/decompositions.h"
#include "learner/mobius/mobius.h"

namespace hardhead::learner::mobius {
namespace {

using attention::Head;
using attention::Layer;

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
