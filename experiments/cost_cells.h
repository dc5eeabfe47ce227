#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/cost_laws.h"
#include "experiments/experiment.h"
#include "study/cost/measured_costs.h"

namespace hardhead::experiments {

/// What one learner costs on one kind of layer, seed by seed.
struct CostCell {
  std::string learner;                    ///< "sculpt, hull", "adam, diagonal"
  std::string source;                     ///< a spec without its seed
  int d = 0, k = 0, m = 0;                ///< as in study::MeasuredCost
  std::vector<statistics::Cost> costs{};  ///< examples, at {m, d}
  std::vector<double> seconds{};          ///< of the runs whose cost is not censored
  int left_out = 0;                       ///< runs that succeeded at the first budget: they cost at most that
  std::string setting{};                  ///< that was chosen on another layer: "rate=0.003"; else empty

  /// Of all runs; empty if it lies among those that are censored, or there is none.
  std::optional<double> median() const;
  /// Least and largest cost of the runs that are not censored; empty if there is none.
  std::optional<statistics::Interval> range() const;
  /// Runs that are censored.
  int censored() const;
  /// Each run's, as the table of measured costs has them.
  std::vector<study::MeasuredCost> runs() const;
};

/// A cell that is to be measured.
struct CellPlan {
  int d = 16, k = 2, m = 2;  ///< as above
  std::int64_t seeds = 10;   ///< runs
  std::int64_t most = 0;     ///< examples after which a run is given up; for gradient learners, steps
};

/// Examples until phases 1 to 4 have a hull within 0.1 of every head of nice layers (hull_cost.h).
CostCell hull_cell(const CellPlan& plan, const Setting& setting, const RunContext& context);

/// The fewest examples with which `gauss-newton`, told the number of heads, recovers a nice layer, on a
/// ladder of ratio sqrt(2) from the least number that can determine the layer.
CostCell newton_cell(const CellPlan& plan, const Setting& setting, const RunContext& context);

/// Examples that `sculpt`, told the number of heads, has read when it recovers a nice layer: looks at 400
/// examples and at counts that double.
CostCell recovery_cell(const CellPlan& plan, const Setting& setting, const RunContext& context);

/// Examples until a gradient learner has a held-back error of at most 0.01. `cell` names the learner, the
/// source and its sizes; `method` is the learner's spec but for `steps` and `rate`, with batches of
/// learning_batch. Of the rates 0.001, 0.003 and 0.01 the one is taken that needs fewest on the dearer of two
/// layers which are used for nothing else. If none of them learns both within `plan.most` steps, the cell is
/// a censored run of the first.
CostCell learning_cell(const CostCell& cell, const std::string& method, const CellPlan& plan,
                       const Setting& setting, const RunContext& context);

/// learning_cell() for layers with noise on their labels, where the held-back error does not tell when a
/// layer is learnt: the cost is that of the fewest steps, on a ladder of ratio sqrt(2) from 80 up, with which
/// a run ends `learnt` (study/run/degree.h).
CostCell budget_cell(const CostCell& cell, const std::string& method, const CellPlan& plan,
                     const Setting& setting, const RunContext& context);
inline constexpr int learning_batch = 512;   ///< examples a step
inline constexpr int learning_student = 32;  ///< heads of the student on parity layers and juntas

}  // namespace hardhead::experiments
