#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/run/gather_work.h"
#include "study/run/run.h"
#include "study/sweep/journal.h"

namespace hardhead::study {

/// Seconds after which a run of `compare` and of a sweep is stopped, unless they say otherwise.
inline constexpr double usual_time_limit = 600;

/// One run: a learner on a source.
struct RunRequest {
  Source source;             ///< an instance with its seed, or a file
  ProblemOptions problem{};  ///< examples and truth
  RunOptions run{};          ///< learner and limits

  /// The seed of the examples and of the learner.
  void set_seed(std::uint64_t seed) { problem.seed = run.task.seed = seed; }
};

/// As another rank of the job is told it.
template <class Visit>
void describe(Visit& visit, const RunRequest*) {
  using learner::Task;
  using P = RunRequest;
  using R = RunOptions;
  visit("source", &P::source, &Source::name);
  visit("problem.seed", &P::problem, &ProblemOptions::seed);
  visit("problem.holdout", &P::problem, &ProblemOptions::holdout);
  visit("problem.truth", &P::problem, &ProblemOptions::truth);
  visit("method", &P::run, &R::method);
  visit("recovery", &P::run, &R::recovery);
  visit("heads", &P::run, &R::task, &Task::heads);
  visit("examples", &P::run, &R::task, &Task::examples);
  visit("seed", &P::run, &R::task, &Task::seed);
  visit("memory_limit", &P::run, &R::task, &Task::memory_limit_bytes);
  visit("time_limit", &P::run, &R::task, &Task::time_limit_seconds);
  visit("length", &P::run, &R::values, &ValueAccess::length);
  visit("tolerance", &P::run, &R::values, &ValueAccess::tolerance, &learner::Tolerance::tau);
  visit("policy", &P::run, &R::values, &ValueAccess::tolerance, &learner::Tolerance::policy);
  visit("budget", &P::run, &R::values, &ValueAccess::budget);
}

/// What a run does to the others that InputError refuses: its instance cannot be made, or not be learnt.
enum class BadPoint {
  ends_the_plan,  ///< execute() throws the error
  is_a_result,    ///< refused_run(), which says why
};

/// One of `count` parts of a plan, each carried out by a process of its own: the runs whose names
/// (run_digest), as numbers, are index - 1 modulo count.
struct Part {
  std::int64_t index = 1;  ///< of this part, 1 .. count
  std::int64_t count = 1;  ///< of parts

  /// Whether the run of that name is this part's.
  bool has(const std::string& name) const;
};

/// Where results are kept, and how many runs there are at a time.
struct ExecuteOptions {
  std::optional<JournalFile> journal{};  ///< runs done (journal.h): none of them is done again
  int jobs = 1;                          ///< runs at the same time, each with its share of the threads
  BadPoint bad_point = BadPoint::ends_the_plan;  ///< the same on all ranks
  bool announce = false;      ///< says what there is to do and its predicted time (forecast.h) to `context`
  bool retry_failed = false;  ///< runs in the journal that failed or were stopped or refused are done again
  /// What becomes of the plan where the machine ended runs (learner::Ending::undone), once the others are
  /// done: the results there are and Executed::undone, or else MachineError.
  bool without_undone = false;
  /// The runs that are this process's; no others are done.
  Part part{};
  /// Is handed the names of all runs, as the journal has them, before the first of them starts.
  std::function<void(const std::vector<std::string>& names)> named{};
};

/// A run that the machine ended: a process was killed, memory or a disk was full, a program is missing. It is
/// no result and not in the journal: the same plan tries it again.
struct UndoneRun {
  std::string source, method;  ///< of the run
  std::string why;             ///< one sentence
};

/// One sentence for all of them: how many there are, the first one, and what to do.
std::string text_of(std::span<const UndoneRun> undone);

/// How a plan ended on this rank.
enum class Completion {
  complete,     ///< every run has its result
  interrupted,  ///< stopped from outside: the runs that were not done are missing
  elsewhere,    ///< this rank is not the root, which has the results
};

/// How it went on this rank.
struct Execution {
  std::int64_t runs = 0;          ///< of the plan that are this part's
  std::int64_t from_journal = 0;  ///< results that were there already
  std::int64_t unclaimed = 0;     ///< runs in the journal of another plan or another version of the program
  Completion completion = Completion::complete;  ///< on this rank
  std::vector<UndoneRun> undone{};               ///< runs that the machine ended
};

/// What became of a plan.
struct Executed : Execution {
  std::vector<std::optional<RunResult>> results{};  ///< in the plan's order, without layers; empty: not done
};

/// Carries out a plan: the one way that every study runs. Runs that follow each other on the same source
/// share the opened problem, and runs that are the same are done once. A run that is refused for its budget
/// is `stopped`, and its message says why. The first run of each row (runs that differ in their seeds alone)
/// comes before the second of any, and progress goes by what the runs of a row take (forecast.h).
///
/// With a communicator the root rank hands out runs one by one, to itself and to the other ranks, which open
/// the sources of their own runs and nothing else. The root has all results and the journal; the plan of the
/// others is not read.
///
/// Throws InputError for a method or journal that cannot be opened, on all ranks, and for a bad point as the
/// options say; where a program of the user's was changed while a run of it was under way; MachineError as
/// the options say. What is done by then is in the journal. When `context` is stopped, the runs under way are
/// left out.
Executed execute(std::span<const RunRequest> plan, const ExecuteOptions& options, const RunContext& context);

/// Work that one rank of a job does for all: the root rank returns body(), the others wait for it and return
/// an empty value. If it throws InputError or Stopped, all ranks throw it, so that they end alike.
template <class Body>
auto at_root(const RunContext& context, const Body& body) -> decltype(body()) {
  if (context.communicator == nullptr) return body();
  decltype(body()) out{};
  gather_work(*context.communicator, context.stop, [&] {
    if (context.is_root()) out = body();
    return std::string();
  });
  return out;
}

}  // namespace hardhead::study
