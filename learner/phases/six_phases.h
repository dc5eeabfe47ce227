#pragma once
#include <array>
#include <cstdint>

#include "attention/layer/layer.h"
#include "base/text/option_table.h"

namespace hardhead::learner {

/// How a phase is done: as the paper has it, or by what does better in practice.
enum class Route { practical, paper };

constexpr auto enum_names(Route) {
  return std::to_array<EnumName<Route>>({{Route::practical, "practical"}, {Route::paper, "paper"}});
}

/// The six phases of Chen and Li's algorithm (see learner.h), each by one of two routes with the same input
/// and output: `paper`, as they give it, or `practical`. `--method paper` and `--method sculpt` are the same
/// learner with all phases by the one route or the other; any mix can be asked for, as in
/// `sculpt:hull=paper`.
///
/// Where the hull can be carried on (growing_hull.h), as in `sculpt`, the learner does not stop at a number
/// of examples that somebody thought of: it looks at the first ones, then at twice as many, and so on, and
/// ends as soon as a layer passes its check on held-back examples, or at its budget.
///
/// These are their options, whose defaults differ in the routes alone.
struct SixPhasesOptions {
  Route w_sum = Route::practical;          ///< of phase 1
  Route hull = Route::practical;           ///< of phase 2
  Route w_sum_refined = Route::practical;  ///< of phase 3
  Route hull_refined = Route::practical;   ///< of phase 4
  Route span = Route::practical;           ///< of phase 5
  Route net = Route::practical;            ///< of phase 6
  std::int64_t rows = 0;                   ///< certified rows kept; 0: as many as the route asks for
  std::int64_t first = 0;                  ///< examples of the first look; 0: 25,000 d, at most 10^6
  std::int64_t budget = 0;               ///< examples where the task does not say; 0: what takes some minutes
  double floor = 0.03;                   ///< rows with an attention weight below it are not used
  std::int64_t w_sum_examples = 50'000;  ///< of phase 1
  double margin_share = 0.003;           ///< of the rows, those of largest margin, in phase 3
  double margin_kept = 0.25;             ///< share of those that is kept
  std::int64_t rounds = 1;               ///< of phases 3 and 4
  attention::Index max_heads = 8;        ///< most heads that the gap may name
  double slack = 1.5;                    ///< polytope.h
  std::int64_t net_examples = 1024;      ///< of phase 6
  std::int64_t net_points = 0;           ///< at most; 0: as many as the route asks for
  double net_radius = 2;                 ///< in expected distances of a head (six_phases.cc)
  int net_restarts = 5;                  ///< of the practical net, at most
  std::int64_t tuples = 20'000'000;      ///< most tuples of heads that the paper's net may try

  /// The defaults with every phase by the same route.
  static SixPhasesOptions all(Route route);
};

/// Their names, ranges and meanings, with the defaults of SixPhasesOptions::all(route).
OptionTable<SixPhasesOptions> six_phases_table(Route route);

}  // namespace hardhead::learner
