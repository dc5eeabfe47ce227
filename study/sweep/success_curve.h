#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/binomial_interval.h"
#include "study/figure/figure.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// Which budgets of examples a learner is tried with, and when the search has found what it is after.
struct SuccessSearch {
  std::string source;               ///< its series (series.h) of seeds seed, seed + 1, ..
  RunOptions run{};                 ///< the learner, and what it is told; its examples are replaced
  std::uint64_t seed = 1;           ///< of the first layer, its examples and its learner
  std::int64_t seeds = 10;          ///< runs at each budget
  double probability = 0.5;         ///< of success, that the examples are for
  Degree goal = Degree::recovered;  ///< a run of this degree or more succeeds
  std::int64_t least = 100, most = 10'000'000;  ///< budgets: least, ratio least, ratio^2 least, .. <= most
  double ratio = 2;                             ///< above 1; budgets are rounded
  ExecuteOptions execution{};                   ///< journal and jobs
};

/// How the runs at one budget ended.
struct BudgetResult {
  std::int64_t examples = 0;      ///< the budget
  std::int64_t successes = 0;     ///< runs that reached the goal
  std::int64_t runs = 0;          ///< of which as many were done
  statistics::Interval interval;  ///< exact, of the success probability at this budget, 95%
  double fitted = 0;              ///< nondecreasing in the budget (base/statistics/isotonic.h)
  std::optional<double>
      seconds{};  ///< median over the runs that reached the goal, where their times are known
};

/// The success probability of a learner against its examples, and how many it takes.
struct SuccessCurve {
  std::string source;                 ///< SuccessSearch::source
  Spec method;                        ///< the learner
  std::vector<BudgetResult> budgets;  ///< in the order in which they were tried
  /// Where the fit first reaches the probability, between two budgets by ln examples; empty where it does
  /// not, with what was tried.
  std::optional<double> examples;
  /// The 95% interval of that number, for a success probability that does not fall with the examples, begins
  /// at the largest budget at which the probability is surely less. Each budget is judged by its exact
  /// interval of 1 - 0.05 / budgets (Bonferroni). Empty where no budget is.
  std::optional<double> low;
  std::optional<double>
      high;                  ///< the least budget at which the probability is surely reached; empty for none
  bool interrupted = false;  ///< stopped before the end of the search
};

/// Runs the learner at a budget of examples, and counts successes and runs. Empty: stopped before the end.
using TryBudget = std::function<std::optional<BudgetResult>(std::int64_t examples)>;

/// Tries one budget after the other by `attempt`; of the search probability and budgets count. Else as
/// success_curve() below, whose learner is the library's.
SuccessCurve curve_of_attempts(const SuccessSearch& search, const TryBudget& attempt);

/// Tries one budget after the other on all seeds, until `high` is known at the given number of budgets, or
/// the budgets end. Throws InputError for a probability outside 0 .. 1, least > most, a ratio of at most 1,
/// or a learner that asks for values and reads no examples.
SuccessCurve success_curve(const SuccessSearch& search, const RunContext& context);

/// What the budgets say; fills in all but source, method and budgets' counts. `tries` budgets could be
/// judged.
void judge(SuccessCurve& curve, double probability, std::size_t tries);

/// Success against examples: the shares with their exact intervals, the fit, and the level of `probability`.
report::Figure success_figure(const std::vector<SuccessCurve>& curves, double probability);

}  // namespace hardhead::study
