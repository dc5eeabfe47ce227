#include "learner/phases/plan.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "learner/certificate/harvest.h"
#include "learner/certificate/sup_norm.h"
#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/phases/exhaustive_search.h"
#include "learner/phases/hull.h"
#include "learner/phases/margins.h"
#include "learner/phases/net.h"
#include "learner/phases/polytope.h"
#include "learner/phases/w_sum.h"

namespace hardhead::learner {

std::int64_t rows_to_keep(Index d, Index k, const SixPhasesOptions& options, Route route) {
  if (options.rows > 0) return options.rows;
  return (route == Route::paper ? 3 : 8) * fewest_rows(d, k);
}

std::int64_t net_points_wanted(const SixPhasesOptions& options) {
  if (options.net_points > 0) return options.net_points;
  return options.net == Route::paper ? 300 : 1500;
}

namespace {

double fit_seconds(Index d, Index k, Index heads, std::int64_t examples, const SixPhasesOptions& options) {
  constexpr double polish_passes = 120, choices = 8, points_an_axis = 61;
  const auto at_most = [&](std::int64_t wanted) { return static_cast<double>(std::min(wanted, examples)); };
  double seconds =
      pass_seconds(d, k, heads, at_most(options.w_sum_examples)) +
      polish_passes * pass_seconds(d, k, heads, at_most(examples_for(d, k, heads, polish_oversampling)));
  if (options.net == Route::practical && heads > 1) {
    const auto points = static_cast<double>(net_points_wanted(options));
    // Of a pass, X Theta and P X alone.
    seconds += 0.5 * choices * (heads == 2 ? std::min(points, points_an_axis) : points) *
               pass_seconds(d, k, 1, at_most(options.net_examples));
  }
  return seconds;
}

}  // namespace

Plan make_plan(Index d, Index k, Index heads, std::int64_t examples, const SixPhasesOptions& options) {
  constexpr double operations_a_second = 15e9, seconds_a_token = 60e-9;
  const double cores = tbb::this_task_arena::max_concurrency();
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k),
             count = static_cast<double>(examples);
  const auto refinements = static_cast<double>(options.rounds);

  Plan plan;
  plan.heads = heads;
  // Each pass labels (m heads) and certifies every row: about 2 d^2 (2 m + 1) operations a token.
  plan.harvest_seconds = (1 + 2 * refinements) * count * tokens *
                         (seconds_a_token + 2 * features * features * (2 * static_cast<double>(heads) + 1) /
                                                operations_a_second) /
                         cores;
  plan.bytes = six_phases_bytes({d, k, heads}, examples, options);
  const auto hull = [&](Route route, double times) {
    const std::int64_t rows = rows_to_keep(d, k, options, route);
    if (route == Route::practical) {
      plan.hull_seconds += times * hull_operations(d, k, rows, std::max(heads, options.max_heads)) /
                           operations_a_second / cores;
      return;
    }
    plan.certificate_seconds += times * predicted_sup_norm_seconds(rows, d, k);
    plan.hull_seconds += times * predicted_lp_seconds(d, k, rows, heads);
  };
  hull(options.hull, 1);
  hull(options.hull_refined, refinements);
  if (options.net == Route::paper) {
    const std::int64_t points = net_points_wanted(options);
    plan.tuples = tuple_count(points, heads);
    plan.tuple_seconds = predicted_search_seconds(d, heads, points) / cores;
  }
  plan.fit_seconds = fit_seconds(d, k, heads, examples, options);
  return plan;
}

namespace {

// Phase 2 or 4 by this route: rows, and the hull that they give.
double hull_phase_bytes(const PassShape& shape, std::int64_t examples, const SixPhasesOptions& options,
                        Route route) {
  const auto [d, k, heads, signs] = shape;
  const bool paper = route == Route::paper;
  const std::int64_t keep = rows_to_keep(d, k, options, route);
  const HarvestOptions harvest{.keep = keep,
                               .certificate = paper ? CertificateNorm::sup_norm : CertificateNorm::euclidean};
  return harvest_bytes(d, k, examples, harvest) +
         (paper ? polytope_bytes(d, k, keep) : hull_bytes(d, k, keep, std::max(heads, options.max_heads)));
}

}  // namespace

double six_phases_bytes(const PassShape& shape, std::int64_t examples, const SixPhasesOptions& options) {
  const auto [d, k, heads, signs] = shape;
  const auto some = [&](std::int64_t wanted) { return std::min(wanted, examples); };
  const std::int64_t of_net = some(options.net_examples),
                     of_polish = some(examples_for(d, k, heads, polish_oversampling));
  const Index dimension = options.span == Route::paper ? heads : heads - 1;
  const std::int64_t points = net_points_wanted(options);
  const double hull = std::max(hull_phase_bytes(shape, examples, options, options.hull),
                               hull_phase_bytes(shape, examples, options, options.hull_refined));
  const double margins = margin_bytes(d, k, examples, {.share = options.margin_share});
  const double net = example_bytes(d, k, of_net) + (options.net == Route::paper
                                                        ? exhaustive_search_bytes(shape, of_net, points)
                                                        : search_net_bytes(shape, of_net, dimension, points));
  const double polish = example_bytes(d, k, of_polish) + gauss_newton_bytes(shape, of_polish);
  // All along: the best rows of two harvests, and held-back examples.
  const double rows = static_cast<double>(rows_to_keep(d, k, options, options.hull));
  const double kept = 8 * sizeof(ScoredRow) * rows + 2 * example_bytes(d, k, most_held_back);
  return kept + std::max({w_sum_bytes(d, k, some(options.w_sum_examples)), hull, margins, net, polish});
}

double six_phases_report_bytes(const PassShape& shape, std::int64_t examples) {
  // W_sum, the hulls and two layers of each look, and the best layer; looks double the examples.
  const double looks = 1 + std::log2(static_cast<double>(std::max<std::int64_t>(examples, 1)));
  return looks * layer_bytes(shape.d, 4 * shape.m + 4) + layer_bytes(shape.d, shape.m);
}

std::string Plan::str() const {
  std::string text = fmt::format("{} {}", heads, heads == 1 ? "head" : "heads");
  if (certificate_seconds > 0) text += fmt::format(", rows certified in {:.2g} s", certificate_seconds);
  text += fmt::format(", the hull in {:.2g} s", hull_seconds);
  if (tuples > 0) text += fmt::format(", {:.3g} tuples of heads in {:.2g} s", tuples, tuple_seconds);
  return text + fmt::format("; {:.2g} s in all, {:.2g} bytes", seconds(), bytes);
}

}  // namespace hardhead::learner
