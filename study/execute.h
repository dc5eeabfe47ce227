#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/run.h"

namespace hardhead::study {

/// One run of a study: a learner on a source.
struct PlannedRun {
  std::string source;        ///< a spec with its seed, or a file
  ProblemOptions problem{};  ///< examples and truth
  RunOptions run{};          ///< learner and limits
};

/// Where results are kept, and how many runs there are at a time.
struct ExecuteOptions {
  std::optional<std::string>
      journal{};          ///< a file of runs done (journal.h): none is done again, or done twice
  int jobs = 1;           ///< runs at the same time, each with its share of the threads
  bool announce = false;  ///< says what there is to do and its predicted time (forecast.h) to `control`
};

/// What became of a plan.
struct Executed {
  std::vector<std::optional<RunResult>> results;  ///< in the plan's order, without layers; empty: not done
  std::int64_t from_journal = 0;                  ///< results that were there already
  std::int64_t unclaimed = 0;  ///< runs in the journal of another plan or another version of the program
  bool interrupted = false;    ///< `control` was stopped
};

/// Carries out a plan: the one way that every study and comparison runs. Runs that follow each other on the same
/// source share it. Progress counts predicted seconds, so that the time left is what is predicted for the rest, times
/// measured over predicted time of what is done. A run that is refused for its budget is an outcome, `stopped`, and the message says why.
///
/// With a team (control.team()) its leader hands out runs one by one, to itself and to the other ranks, each of which
/// carries out a run alone; the leader has all results and the journal, the others return empty results.
///
/// Throws InputError for a source, method or journal that cannot be opened; what is done by then is in the
/// journal. When `control` is stopped, the runs under way are left out.
Executed execute(std::span<const PlannedRun> plan, const ExecuteOptions& options, const RunControl& control);

}  // namespace hardhead::study
