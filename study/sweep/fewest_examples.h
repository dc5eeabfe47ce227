#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/sweep/execute.h"

namespace hardhead::study {

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

/// Which budgets are tried, and on what.
struct ExamplesSearch {
  std::string source;                       ///< its series (series.h) of seeds seed, seed + 1, ..
  Spec method;                              ///< the learner
  std::uint64_t seed = 1;                   ///< of the first layer, its examples and its learner
  std::int64_t seeds = 1;                   ///< on all of which a goal is to be met
  std::int64_t least = 1, most = 1;         ///< budgets: least, ratio least, ratio^2 least, .. <= most
  double ratio = 2;                         ///< above 1; budgets are rounded
  std::optional<attention::Index> heads{};  ///< what the learner is told
  ExecuteOptions execution{};               ///< journal and jobs
};

/// For each goal the least budget with which all seeds meet it. Stops at the first budget that meets the last
/// goal. The ranks of a job do not share its runs.
std::vector<Reached> fewest_examples(const ExamplesSearch& search, std::span<const Goal> goals,
                                     const RunContext& context);

}  // namespace hardhead::study
