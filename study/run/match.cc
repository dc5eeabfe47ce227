#include "study/run/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

std::vector<Index> cheapest_assignment(const Matrix& cost) {
  const Index n = cost.rows();
  const double infinity = std::numeric_limits<double>::infinity();
  // Rows and columns count from 1; column 0 is where a row starts that has no column yet.
  std::vector<double> row_potential(n + 1, 0), column_potential(n + 1, 0);
  std::vector<Index> row_of(n + 1, 0), previous(n + 1, 0);
  for (Index row = 1; row <= n; ++row) {
    row_of[0] = row;
    Index column = 0;
    std::vector<double> slack(n + 1, infinity);
    std::vector<bool> visited(n + 1, false);
    do {
      visited[column] = true;
      const Index from = row_of[column];
      double least = infinity;
      Index next = 0;
      for (Index j = 1; j <= n; ++j) {
        if (visited[j]) continue;
        const double reduced = cost(from - 1, j - 1) - row_potential[from] - column_potential[j];
        if (reduced < slack[j]) slack[j] = reduced, previous[j] = column;
        if (slack[j] < least) least = slack[j], next = j;
      }
      for (Index j = 0; j <= n; ++j) {
        if (visited[j])
          row_potential[row_of[j]] += least, column_potential[j] -= least;
        else
          slack[j] -= least;
      }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = previous[column]) row_of[column] = row_of[previous[column]];
  }
  std::vector<Index> column_of(n);
  for (Index j = 1; j <= n; ++j) column_of[row_of[j] - 1] = j - 1;
  return column_of;
}

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
  const std::vector<Index> column_of = cheapest_assignment(cost);

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
