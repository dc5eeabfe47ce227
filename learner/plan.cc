#include "learner/plan.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/harvest.h"
#include "learner/hull.h"
#include "learner/least_squares.h"
#include "learner/margins.h"
#include "learner/polytope.h"
#include "learner/sup_norm.h"
#include "learner/tuples.h"

namespace hardhead::learner {

using attention::Index;

std::int64_t rows_to_keep(Index d, Index k, const Parameters& options, const char* phase) {
  if (options.integer("rows") > 0) return options.integer("rows");
  return (options.choice(phase) == "paper" ? 3 : 8) * fewest_rows(d, k);
}

std::int64_t net_points_wanted(const Parameters& options) {
  if (options.integer("net_points") > 0) return options.integer("net_points");
  return options.choice("net") == "paper" ? 300 : 1500;
}

namespace {

double fit_seconds(Index d, Index k, Index heads, std::int64_t examples, const Parameters& options) {
  constexpr double polish_passes = 120, choices = 8, points_an_axis = 61;
  const auto at_most = [&](std::int64_t wanted) { return static_cast<double>(std::min(wanted, examples)); };
  double seconds =
      pass_seconds(d, k, heads, at_most(options.integer("w_sum_examples"))) +
      polish_passes * pass_seconds(d, k, heads, at_most(examples_for(d, k, heads, polish_oversampling)));
  if (options.choice("net") == "practical" && heads > 1) {
    const auto points = static_cast<double>(net_points_wanted(options));
    // Of a pass, X Theta and P X alone.
    seconds += 0.5 * choices * (heads == 2 ? std::min(points, points_an_axis) : points) *
               pass_seconds(d, k, 1, at_most(options.integer("net_examples")));
  }
  return seconds;
}

// Of the phases one after the other, in bytes, but for the paper's net.
double largest_arrays(Index d, Index k, Index heads, std::int64_t examples, const Parameters& options) {
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k),
             size = features * features + 1;
  // Rows with their examples and images, and lists of candidates.
  const auto rows = [&](std::int64_t count) {
    return static_cast<double>(std::min(count, examples * k)) * 8 * (3 * features * tokens + 50);
  };
  double bytes = 0;
  for (const char* phase : {"hull", "hull_refined"}) {
    const std::int64_t kept = rows_to_keep(d, k, options, phase);
    // Second moment, factor and their like; or equations, a few times over.
    const double hull = options.choice(phase) == "practical" ? 3 * size * size
                                                             : 3 * static_cast<double>(kept * (k - 1)) * size;
    bytes = std::max(bytes, rows(kept) + 8 * hull);
  }
  const std::int64_t margins = margin_rows(d, k, examples, {.share = options.real("margin_share")});
  bytes = std::max(bytes, rows(margins) + static_cast<double>(margins) * 8 * 3 * features);
  // A net's examples with mean tokens of all heads; the polish's, with patterns and values of two linearisations.
  const std::int64_t net = std::min(examples, options.integer("net_examples")),
                     polish = std::min(examples, examples_for(d, k, heads, polish_oversampling));
  const auto kept = [&](std::int64_t count, Index width) {
    return 8 * static_cast<double>(count * k) * static_cast<double>(heads * width);
  };
  bytes = std::max(bytes, example_bytes(d, k, net) + kept(net, 2 * d));
  return std::max(bytes, example_bytes(d, k, polish) +
                             2 * std::min(Linearisation::default_kept_bytes, kept(polish, k + d)));
}

}  // namespace

Plan make_plan(Index d, Index k, Index heads, std::int64_t examples, const Parameters& options) {
  constexpr double operations_a_second = 15e9, seconds_a_token = 60e-9;
  const double cores = tbb::this_task_arena::max_concurrency();
  const auto features = static_cast<double>(d), tokens = static_cast<double>(k),
             count = static_cast<double>(examples), size = features * features + 1;
  const auto refinements = static_cast<double>(options.integer("rounds"));

  Plan plan;
  plan.heads = heads;
  // Each pass labels (m heads) and certifies every row: about 2 d^2 (2 m + 1) operations a token.
  plan.harvest_seconds = (1 + 2 * refinements) * count * tokens *
                         (seconds_a_token + 2 * features * features * (2 * static_cast<double>(heads) + 1) /
                                                operations_a_second) /
                         cores;
  plan.bytes = largest_arrays(d, k, heads, examples, options);
  const auto hull = [&](const char* phase, double times) {
    const std::int64_t rows = rows_to_keep(d, k, options, phase);
    if (options.choice(phase) == "practical") {
      plan.hull_seconds +=
          times * (static_cast<double>(rows) * (tokens - 1) * size * size / 4 + size * size * size / 6) /
          operations_a_second / cores;
      return;
    }
    plan.certificate_seconds += times * predicted_sup_norm_seconds(rows, d, k);
    plan.hull_seconds += times * predicted_lp_seconds(d, k, rows, heads);
  };
  hull("hull", 1);
  hull("hull_refined", refinements);
  if (options.choice("net") == "paper") {
    const std::int64_t points = net_points_wanted(options);
    const TuplesCost cost = predicted_tuples_cost(d, heads, points);
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
