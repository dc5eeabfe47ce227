#include "study/run/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/forward/memory.h"
#include "attention/layer/assignment.h"
#include "attention/layer/network.h"
#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::study {
namespace {

using attention::Head;
using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::ReducedLayer;

/// ||truth - s estimate||^2 / ||truth||^2, s = -1 where `turned`.
double squared_distance(const Matrix& truth, const Matrix& estimate, bool turned) {
  const double norm = truth.squaredNorm();
  const double difference = turned ? (truth + estimate).squaredNorm() : (truth - estimate).squaredNorm();
  const double distance = difference / (norm > 0 ? norm : 1);
  return std::isfinite(distance) ? distance : std::numeric_limits<float>::max();
}

std::optional<double> relative_error(const Matrix& truth, const Matrix& estimate) {
  const double norm = truth.norm();
  if (norm == 0) return std::nullopt;
  return (truth - estimate).norm() / norm;
}

/// A head of the reduced estimate, in the place of a true one.
struct Pair {
  std::optional<Index> other;
  bool turned = false;
};

Head turned(const Head& head) {
  return {-head.theta, -head.w};
}

double cost(const Head& truth, const Head& estimate, bool turned) {
  return squared_distance(truth.theta, estimate.theta, turned) +
         squared_distance(truth.w, estimate.w, turned);
}

bool is_constant(const ReducedLayer& reduced, Index head) {
  return reduced.has_constant && head + 1 == reduced.layer.m();
}

/// A pair for each head of the truth, signs free where `turns`.
std::vector<Pair> pairs(const ReducedLayer& truth, const ReducedLayer& estimate, bool turns,
                        const StopToken& stop) {
  const Index constants = truth.has_constant && estimate.has_constant ? 1 : 0;  // the last ones
  const Index rows = truth.layer.m() - constants, columns = estimate.layer.m() - constants;
  const auto pair_of = [&](Index i, Index j) {
    const Head &a = truth.layer.heads[i], &b = estimate.layer.heads[j];
    const bool may_turn = turns && !is_constant(truth, i) && !is_constant(estimate, j);
    return Pair{j, may_turn && cost(a, b, true) < cost(a, b, false)};
  };
  Matrix costs = Matrix::Zero(std::max(rows, columns), std::max(rows, columns));
  parallel_for_each_index(rows * columns, [&](std::int64_t pair) {
    stop.check();
    const Index i = pair / columns, j = pair % columns;
    costs(i, j) = cost(truth.layer.heads[i], estimate.layer.heads[j], pair_of(i, j).turned);
  });
  const std::vector<Index> column_of = attention::cheapest_assignment(costs);
  std::vector<Pair> out(static_cast<std::size_t>(truth.layer.m()));
  for (Index i = 0; i < rows; ++i)
    if (column_of[i] < columns) out[i] = pair_of(i, column_of[i]);
  if (constants == 1) out.back().other = columns;
  return out;
}

/// The heads of the estimate in the places and with the signs of the true ones.
std::vector<std::optional<Head>> aligned(const std::vector<Pair>& pairs, const ReducedLayer& truth,
                                         const ReducedLayer& estimate) {
  std::vector<std::optional<Head>> out;
  for (const auto& [other, turns] : pairs) {
    out.emplace_back();
    if (other) out.back() = turns ? turned(estimate.layer.heads[*other]) : estimate.layer.heads[*other];
  }
  if (!truth.has_constant) return out;
  for (const auto& [other, turns] : pairs) {
    if (!turns) continue;
    const Head& head = estimate.layer.heads[*other];
    if (!out.back()) out.back() = Head{Matrix::Zero(truth.layer.d, truth.layer.d), 0 * head.w};
    out.back()->w += 2 * head.w;
  }
  return out;
}

/// Which head of the given estimate it is; the first of several that are one.
std::optional<Index> partner_in(const ReducedLayer& estimate, const Pair& pair) {
  if (!pair.other || estimate.parts[*pair.other].empty()) return std::nullopt;
  return estimate.parts[*pair.other].front().head;
}

}  // namespace

HeadMatch match_heads(const Layer& truth, const Layer& estimate, std::optional<Index> k,
                      const StopToken& stop, attention::LastFeature last) {
  if (truth.d != estimate.d)
    throw InputError(
        fmt::format("layers of d = {} and d = {} cannot be compared: d must agree", truth.d, estimate.d));
  constexpr double tolerance_of_estimates = 1e-6;
  const auto reduced = [&](const Layer& layer, double tolerance) {
    if (!layer.network) return attention::reduced_layer(layer, k, tolerance, last);
    return attention::reduced_layer(with_canonical_network(layer), k, tolerance, last);
  };
  const ReducedLayer of_truth = reduced(truth, attention::canonical_tolerance),
                     of_estimate = reduced(estimate, tolerance_of_estimates);
  const std::vector<Pair> paired = pairs(of_truth, of_estimate, k == 2, stop);
  const std::vector<std::optional<Head>> found = aligned(paired, of_truth, of_estimate);

  const auto m = static_cast<std::size_t>(truth.m());
  HeadMatch match{std::vector<std::optional<Index>>(m), std::vector<std::optional<double>>(m),
                  std::vector<std::optional<double>>(m)};
  // From the last head, the constant one: a true head that is turned is a part of it and of another, which
  // counts.
  for (std::size_t c = found.size(); c-- > 0;) {
    const Head& head = of_truth.layer.heads[c];
    for (const attention::HeadPart& part : of_truth.parts[c]) {
      const auto i = static_cast<std::size_t>(part.head);
      match.partner[i] = partner_in(of_estimate, paired[c]);
      match.theta_error[i] = found[c] ? relative_error(head.theta, found[c]->theta) : std::nullopt;
      match.w_error[i] = found[c] ? relative_error(head.w, found[c]->w) : std::nullopt;
    }
  }
  return match;
}

bool can_be_matched(const Layer& truth, const Layer& estimate) {
  return std::max(truth.m(), estimate.m()) <= most_matched_heads &&
         truth.network.has_value() == estimate.network.has_value();
}

double match_bytes(Index d, Index true_heads, Index heads) {
  constexpr Index temporaries = 4;
  const auto pairs = static_cast<double>(std::max(true_heads, heads));
  return attention::layer_bytes(d, 2 * true_heads + 2 * heads + temporaries) + 8 * pairs * pairs;
}

}  // namespace hardhead::study
