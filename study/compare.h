#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "study/binomial_interval.h"
#include "study/execute.h"

namespace hardhead::study {

/// Every source with every method over `seeds` seeds.
///
/// Run number i of a spec is on the instance whose `seed` is the spec's own (or problem.seed if it gives
/// none) plus i, with examples of problem.seed + i and a learner of run.seed + i. Files stay as they are, and so do
/// the instances of a suite, "suite:NAME" (suite.h).
struct ComparisonPlan {
  std::vector<std::string> sources;  ///< specs, files, suites
  std::vector<Spec> methods;         ///< learners with their options
  std::int64_t seeds = 1;            ///< runs of each pair
  ProblemOptions problem{};          ///< of all runs, but for the seed
  RunOptions run{};                  ///< its method is not used
  ExecuteOptions execution{};        ///< journal and jobs
};

/// All runs of one method on sources that are the same but for their seed. Medians and extremes are over the runs.
struct ComparisonRow {
  std::string source;                       ///< a spec without its seed, or a file
  std::string method;                       ///< its label
  std::vector<RunResult> runs;              ///< without their layers
  std::int64_t recovered = 0, stopped = 0;  ///< runs that ended so
  std::int64_t heads_right = 0;  ///< runs that end with the true number of heads, where that is known
  Interval recovery_rate;        ///< exact 95% interval
  double test_error_median = 0;  ///< RunResult::test_error
  double null_error_median = 0;  ///< RunResult::null_error
  double seconds_median = 0;     ///< RunResult::seconds
  double advantage_median = 0, advantage_min = 0, advantage_max = 0;  ///< RunResult::advantage
  std::map<std::string, std::int64_t> failed_phases;                  ///< how many runs each phase ended
  std::map<std::string, std::int64_t> likely_causes;                  ///< of runs not recovered, by condition
};

/// What the runs of a plan came to.
struct Comparison {
  std::vector<ComparisonRow> rows;  ///< source by source, method by method
  bool interrupted = false;         ///< stopped from outside: the runs not done are missing
};

/// Runs the plan. Every spec and method is checked before the first run. Throws as open_problem() and run().
Comparison compare(const ComparisonPlan& plan, const RunControl& control);

/// Runs of the same source but for its seed, method, heads told and examples allowed make a row, in the order in
/// which they first come. Heads and examples are part of the method's label where they were given.
std::vector<ComparisonRow> rows_of(const std::vector<RunResult>& results);

/// Middle value, or the mean of the two middle ones; NaN for none. NaN entries sort last.
double median(std::vector<double> values);

}  // namespace hardhead::study
