#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/execute.h"

namespace hardhead::study {

/// What a run is to reach: the seconds it took to get there, or nothing if it did not.
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

/// The fewest examples among least, 2 least, 4 least, .. <= most with which `method` meets each goal on seeds
/// 1 .. seeds of a source (series.h), all of them; the learner is told `heads` if given. Stops at the first budget that meets the last goal.
std::vector<Reached> fewest_examples(const std::string& source, const Spec& method, std::int64_t seeds,
                                     std::int64_t least, std::int64_t most, std::span<const Goal> goals,
                                     const RunControl& control, const ExecuteOptions& execution = {},
                                     std::optional<attention::Index> heads = {});

}  // namespace hardhead::study
