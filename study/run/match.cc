#include "study/run/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/layer/assignment.h"
#include "base/error.h"

namespace hardhead::study {
namespace {

using attention::Index;
using attention::Matrix;

double squared_distance(const Matrix& truth, const Matrix& estimate) {
  const double norm = truth.squaredNorm();
  const double distance = (truth - estimate).squaredNorm() / (norm > 0 ? norm : 1);
  return std::isfinite(distance) ? distance : std::numeric_limits<float>::max();
}

std::optional<double> relative_error(const Matrix& truth, const Matrix& estimate) {
  const double norm = truth.norm();
  if (norm == 0) return std::nullopt;
  return (truth - estimate).norm() / norm;
}

}  // namespace

HeadMatch match_heads(const attention::Layer& truth, const attention::Layer& estimate) {
  if (truth.d != estimate.d)
    throw InputError(
        fmt::format("layers of d = {} and d = {} cannot be compared: d must agree", truth.d, estimate.d));
  const Index n = std::max(truth.m(), estimate.m());
  Matrix cost = Matrix::Zero(n, n);
  for (Index i = 0; i < truth.m(); ++i)
    for (Index j = 0; j < estimate.m(); ++j)
      cost(i, j) = squared_distance(truth.heads[i].theta, estimate.heads[j].theta) +
                   squared_distance(truth.heads[i].w, estimate.heads[j].w);
  const std::vector<Index> column_of = attention::cheapest_assignment(cost);

  HeadMatch match;
  for (Index i = 0; i < truth.m(); ++i) {
    const bool paired = column_of[i] < estimate.m();
    match.partner.push_back(paired ? std::optional(column_of[i]) : std::nullopt);
    match.theta_error.push_back(
        paired ? relative_error(truth.heads[i].theta, estimate.heads[column_of[i]].theta) : std::nullopt);
    match.w_error.push_back(paired ? relative_error(truth.heads[i].w, estimate.heads[column_of[i]].w)
                                   : std::nullopt);
  }
  return match;
}

}  // namespace hardhead::study
