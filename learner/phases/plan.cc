#include "learner/phases/plan.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "learner/certificate/harvest.h"
#include "learner/certificate/sup_norm.h"
#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/objective/least_squares.h"
#include "learner/phases/exhaustive_search.h"
#include "learner/phases/hull.h"
#include "learner/phases/margins.h"
#include "learner/phases/polytope.h"

namespace hardhead::learner {

using attention::Index;

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

// Of the phases one after the other, in bytes, but for the paper's net.
double largest_arrays(Index d, Index k, Index heads, std::int64_t examples, const SixPhasesOptions& options) {
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k),
             size = features * features + 1;
  // Rows with their examples and images, and lists of candidates.
  const auto rows = [&](std::int64_t count) {
    return static_cast<double>(std::min(count, examples * k)) * 8 * (3 * features * tokens + 50);
  };
  double bytes = 0;
  for (const Route route : {options.hull, options.hull_refined}) {
    const std::int64_t kept = rows_to_keep(d, k, options, route);
    // Second moment, factor and their like; or equations, a few times over.
    const double hull =
        route == Route::practical ? 3 * size * size : 3 * static_cast<double>(kept * (k - 1)) * size;
    bytes = std::max(bytes, rows(kept) + 8 * hull);
  }
  const std::int64_t margins = margin_rows(d, k, examples, {.share = options.margin_share});
  bytes = std::max(bytes, rows(margins) + static_cast<double>(margins) * 8 * 3 * features);
  // A net's examples with mean tokens of all heads; the polish's, with patterns and values of two
  // linearisations.
  const std::int64_t net = std::min(examples, options.net_examples),
                     polish = std::min(examples, examples_for(d, k, heads, polish_oversampling));
  const auto kept = [&](std::int64_t count, Index width) {
    return 8 * static_cast<double>(count * k) * static_cast<double>(heads * width);
  };
  bytes = std::max(bytes, example_bytes(d, k, net) + kept(net, 2 * d));
  return std::max(bytes, example_bytes(d, k, polish) +
                             2 * std::min(Linearisation::default_kept_bytes, kept(polish, k + d)));
}

}  // namespace

Plan make_plan(Index d, Index k, Index heads, std::int64_t examples, const SixPhasesOptions& options) {
  constexpr double operations_a_second = 15e9, seconds_a_token = 60e-9;
  const double cores = tbb::this_task_arena::max_concurrency();
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k),
             count = static_cast<double>(examples), size = features * features + 1;
  const auto refinements = static_cast<double>(options.rounds);

  Plan plan;
  plan.heads = heads;
  // Each pass labels (m heads) and certifies every row: about 2 d^2 (2 m + 1) operations a token.
  plan.harvest_seconds = (1 + 2 * refinements) * count * tokens *
                         (seconds_a_token + 2 * features * features * (2 * static_cast<double>(heads) + 1) /
                                                operations_a_second) /
                         cores;
  plan.bytes = largest_arrays(d, k, heads, examples, options);
  const auto hull = [&](Route route, double times) {
    const std::int64_t rows = rows_to_keep(d, k, options, route);
    if (route == Route::practical) {
      plan.hull_seconds +=
          times * (static_cast<double>(rows) * (tokens - 1) * size * size / 4 + size * size * size / 6) /
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
    const SearchCost cost = predicted_search_cost(d, heads, points);
    plan.tuples = tuple_count(points, heads);
    plan.tuple_seconds = cost.seconds / cores;
    plan.bytes += 2 * cost.bytes;
  }
  plan.fit_seconds = fit_seconds(d, k, heads, examples, options);
  return plan;
}

std::string Plan::str() const {
  std::string text = fmt::format("{} {}", heads, heads == 1 ? "head" : "heads");
  if (certificate_seconds > 0) text += fmt::format(", rows certified in {:.2g} s", certificate_seconds);
  text += fmt::format(", the hull in {:.2g} s", hull_seconds);
  if (tuples > 0) text += fmt::format(", {:.3g} tuples of heads in {:.2g} s", tuples, tuple_seconds);
  return text + fmt::format("; {:.2g} s in all, {:.2g} bytes", seconds(), bytes);
}

}  // namespace hardhead::learner
