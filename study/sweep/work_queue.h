#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/run/run_context.h"
#include "study/sweep/execute.h"
#include "study/sweep/forecast.h"

namespace hardhead::study {

/// Carries out runs one after the other. The last problem stays open, for runs that follow on it.
class Runner {
 public:
  /// `context` is that of the runs themselves.
  Runner(RunContext context, BadPoint bad_point) : context_(std::move(context)), bad_point_(bad_point) {}
  /// The run's result without its layer; what the machine ended, also before the learner began, is `undone`.
  /// Throws Stopped, and InputError for a bad point that ends the plan.
  RunResult carry_out(const RunRequest& planned);

 private:
  struct Open {
    Source source;
    ProblemOptions options;
    Problem problem;
  };
  bool is_open(const RunRequest& planned) const;
  void open(const RunRequest& planned);
  /// What is known of its problem, which may not be open.
  ProblemSummary summary_of(const RunRequest& planned) const;

  RunContext context_;
  BadPoint bad_point_;
  std::optional<Open> open_;
};

/// The runs of a plan that are to be done, for several threads that take them in order. The first exception
/// of any thread ends the queue for all.
class WorkQueue {
 public:
  /// A run to be done.
  struct Item {
    std::size_t index;   ///< in the plan
    std::size_t row;     ///< runs of one row differ in their seeds alone
    double seconds;      ///< predicted
    std::size_t number;  ///< of the run in the order in which runs are done, those in the journal first
    double started = 0;  ///< when it was taken, on the queue's clock
  };
  /// What is done with each result, one at a time.
  using Record = std::function<void(std::size_t index, RunResult result)>;

  /// `plan` must outlive the queue.
  WorkQueue(std::span<const RunRequest> plan, std::vector<Item> items, Record record);

  /// The next run; null if there is none left or the queue has ended.
  const Item* next();
  /// The planned run of an item.
  const RunRequest& run_of(const Item& item) const { return plan_[item.index]; }
  /// How far the queue is (forecast.h).
  double done() const { return done_; }
  /// Hands the result of an item to `record`.
  void finish(const Item& item, RunResult result);
  /// What the first runs have shown, once, when a run of each row is done and more than a few seconds are to
  /// follow: "The first runs took 31 s (gauss-newton), under 1 s (sculpt): about 2 min of runs ahead", means
  /// over the rows of a learner; else empty.
  std::string correction();

  /// Calls body(). An exception ends the queue: Stopped marks it as interrupted, any other is kept for
  /// rethrow().
  void guarded(const std::function<void()>& body);
  /// Whether a thread was stopped.
  bool interrupted() const { return interrupted_; }
  /// Throws the first exception that was no Stopped, if there was one.
  void rethrow() const;

 private:
  std::span<const RunRequest> plan_;
  std::vector<Item> items_;
  Record record_;
  Stopwatch watch_;
  Pace pace_;
  std::map<std::string, std::pair<double, int>> first_runs_;  ///< seconds of each method, and of how many
  std::set<std::size_t> begun_rows_;
  bool corrected_ = false;
  std::atomic<double> done_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> ended_ = false, interrupted_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// The root's side of a job: hands out the runs of the queue to the other ranks as they ask for work, and
/// records their results, until every rank was told that there is no more.
///
/// A message to the root is the result of the run that the rank was given last, as JSON, or empty, or
/// behind a `!` the text of the InputError that refused it, which is thrown here; an answer is a run to be
/// done, as JSON, or empty when there is no more.
void hand_out_runs(WorkQueue& queue, const Communicator& communicator, const StopToken& stop);

/// The other side: carries out the runs that the root hands out, until there are no more. Throws as run(),
/// but for InputError, which is the root's to throw.
void carry_out_runs(BadPoint bad_point, const RunContext& context);

}  // namespace hardhead::study
