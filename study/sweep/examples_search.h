#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/binomial_interval.h"
#include "study/figure/figure.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// Which budgets of examples a learner is tried with, and when the search has found what it is after.
struct ExamplesSearch {
  Plan plan{.seeds = 10};                       ///< of one source and one learner: runs at each budget
  double probability = 0.5;                     ///< of success, that the examples are for
  Degree goal = Degree::recovered;              ///< a run of this degree or more succeeds
  std::int64_t least = 100, most = 10'000'000;  ///< budgets: least, ratio least, ratio^2 least, .. <= most
  double ratio = 2;                             ///< above 1; budgets are rounded
};

/// How the runs at one budget ended.
struct BudgetResult {
  std::int64_t examples = 0;        ///< the budget
  std::int64_t successes = 0;       ///< runs that reached the goal
  std::int64_t runs = 0;            ///< of which as many were done
  statistics::Interval interval;    ///< exact, of the success probability at this budget, 95%
  double fitted = 0;                ///< nondecreasing in the budget (base/statistics/binomial_interval.h)
  std::optional<double> seconds{};  ///< median of the runs that reached the goal, where it is known
};

/// The success probability of a learner against its examples, and how many it takes.
struct SuccessCurve {
  std::string source;                           ///< SourceSeries::name()
  learner::Learner method{Spec{"sculpt", {}}};  ///< as it was asked for
  std::vector<BudgetResult> budgets;            ///< in the order in which they were tried
  /// Where the fit first reaches the probability, between two budgets by ln examples; empty where it does
  /// not, with what was tried.
  std::optional<double> examples;
  /// The 95% interval of that number, for a success probability that does not fall with the examples, begins
  /// at the largest budget at which the probability is surely less. Each budget is judged by its exact
  /// interval of 1 - 0.05 / budgets (Bonferroni). Empty where no budget is.
  std::optional<double> low;
  std::optional<double> high;  ///< the least budget at which it is surely reached; empty for none
  bool interrupted = false;    ///< stopped before the end of the search
};

/// As `fewest --json` has them.
template <class Visit>
void describe(Visit& visit, const BudgetResult*) {
  visit("examples", &BudgetResult::examples);
  visit("successes", &BudgetResult::successes);
  visit("runs", &BudgetResult::runs);
  visit("interval", &BudgetResult::interval);
  visit("fitted", &BudgetResult::fitted);
}
/// Likewise.
template <class Visit>
void describe(Visit& visit, const SuccessCurve*) {
  visit("source", &SuccessCurve::source);
  visit("method", &SuccessCurve::method, &learner::Learner::str);
  visit("told", &SuccessCurve::method, &learner::Learner::told);
  visit("examples", &SuccessCurve::examples);
  visit("low", &SuccessCurve::low);
  visit("high", &SuccessCurve::high);
  visit("budgets", &SuccessCurve::budgets);
}

/// Runs the learner at a budget of examples, and counts successes and runs. Empty: stopped before the end.
using TryBudget = std::function<std::optional<BudgetResult>(std::int64_t examples)>;

/// Runs at each budget from which on `high` can be known, all of them successes: the least n with
///
///     (0.025 / budgets)^(1/n) >= probability,
///
/// the low end of the exact interval that judges a budget.
std::int64_t seeds_for_interval(const ExamplesSearch& search);

/// As success_curve(), of any learner: `attempt` tries a budget, and the curve does not say of what it is.
SuccessCurve curve_of_attempts(const ExamplesSearch& search, const TryBudget& attempt);

/// Tries one budget after the other on all seeds, until `high` is known at the given number of budgets, or
/// all runs of a budget succeed, or the budgets end. Throws InputError for a probability outside 0 .. 1,
/// least > most, a ratio of at most 1, or a learner that asks for values and reads no examples.
SuccessCurve success_curve(const ExamplesSearch& search, const RunContext& context);

/// What the budgets say; fills in all but source, method and budgets' counts. `tries` budgets could be
/// judged.
void judge(SuccessCurve& curve, double probability, std::size_t tries);

/// What a run is to reach: the seconds that it took to get there, or nothing if it did not.
using Goal = std::function<std::optional<double>(const RunResult&)>;

/// The run recovers the layer, at its end.
std::optional<double> recovers(const RunResult& run);
/// Measure `name` of phase `phase` is at most `most`, at the end of that phase.
Goal reaches(const std::string& phase, const std::string& name, double most);

/// The budget that a goal needs.
struct Reached {
  std::int64_t examples = 0;  ///< 0: not with what was tried
  double seconds = 0;         ///< median over the seeds, to the goal
};

/// For each goal the least budget with which all seeds meet it; the search's own goal is not used. Stops at
/// the first budget that meets the last goal.
std::vector<Reached> fewest_examples(const ExamplesSearch& search, std::span<const Goal> goals,
                                     const RunContext& context);

/// Success against examples: the shares with their exact intervals, the fit, and the level of `probability`.
report::Figure success_figure(const std::vector<SuccessCurve>& curves, double probability);

}  // namespace hardhead::study
