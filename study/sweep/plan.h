#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/problem/series.h"
#include "study/sweep/execute.h"

namespace hardhead::study {

/// Learners on series of sources over seeds: what `compare`, `best`, `fewest`, the atlas and the claims have
/// run.
///
/// Run i = first, first + 1, .. of a spec is on the instance whose `seed` is the spec's own (or `seed` if it
/// gives none) plus i, with examples and a learner of seed `seed` + i. Files stay as they are, and so do the
/// instances of a suite.
struct Plan {
  std::vector<SourceSeries> sources;       ///< specs, files, entries of suites
  std::vector<learner::Learner> learners;  ///< bound to their options
  std::int64_t seeds = 1;                  ///< runs of each pair
  std::int64_t first = 0;                  ///< number of the first run
  std::uint64_t seed = 1;  ///< of run 0: its examples, its learner, and an instance without one
  double holdout = ProblemOptions{}.holdout;  ///< of data files
  std::optional<std::string> truth{};         ///< of data files: a layer file to compare with
  RunOptions run{};                           ///< of all runs, but for the learner and its seed
  ExecuteOptions execution{};                 ///< journal and jobs

  /// Run `number` of a learner on the member of a series that is `number` after its first.
  RunRequest request(const Source& member, const learner::Learner& learner, std::int64_t number) const;
};

}  // namespace hardhead::study
