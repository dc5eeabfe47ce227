#include "study/execute.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "study/journal.h"
#include "study/named_source.h"

namespace hardhead::study {
namespace {

class Execution {
 public:
  Execution(std::span<const PlannedRun> plan, const ExecuteOptions& options, const RunControl& control)
      : plan_(plan), control_(control), inner_(control), jobs_(options.jobs) {
    inner_.set_progress({});
    inner_.set_announce({});
    if (options.journal) journal_.emplace(*options.journal);
    out_.results.resize(plan.size());
  }

  Executed all() {
    if (jobs_ == 1) {
      work();
    } else {
      const int threads = std::max(1, tbb::this_task_arena::max_concurrency() / jobs_);
      std::vector<std::thread> workers;
      for (int j = 0; j < jobs_; ++j)
        workers.emplace_back([this, threads] {
          tbb::task_arena arena(threads);
          arena.execute([this] { work(); });
        });
      for (std::thread& worker : workers) worker.join();
    }
    if (failure_) std::rethrow_exception(failure_);
    if (journal_) out_.unclaimed = journal_->unclaimed();
    return std::move(out_);
  }

 private:
  // What one thread of the plan has open: the source of the runs it comes from.
  struct Open {
    std::string source, digest;
    ProblemOptions options;
    std::optional<Problem> problem;
  };

  void work() {
    try {
      Open open;
      for (std::size_t i = next_++; i < plan_.size() && !ended_; i = next_++) one(i, open);
    } catch (const Stopped&) {
      const std::lock_guard lock(mutex_);
      out_.interrupted = true;
      ended_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      ended_ = true;
    }
  }

  void one(std::size_t i, Open& open) {
    const PlannedRun& planned = plan_[i];
    control_.check();
    control_.progress(
        fmt::format("run {} of {}: {}, {}", i + 1, plan_.size(), planned.source, planned.run.method.str()),
        static_cast<double>(done_) / static_cast<double>(plan_.size()));
    if (open.source != planned.source || !(open.options == planned.problem)) {
      open = {planned.source, "", planned.problem, {}};
      if (journal_) open.digest = source_digest(open_source(planned.source), inner_);
    }
    std::string name;
    if (journal_) {
      name = run_digest(open.digest, planned.problem, planned.run);
      const std::lock_guard lock(mutex_);
      if (auto result = journal_->find(name)) {
        out_.results[i] = std::move(result);
        ++done_, ++out_.from_journal;
        return;
      }
    }
    if (!open.problem) open.problem = open_problem(planned.source, planned.problem, inner_);
    RunResult result;
    try {
      result = run(*open.problem, planned.run, inner_);
    } catch (const BudgetError& refusal) {
      result = refused_run(*open.problem, planned.run, refusal.what());
    }
    control_.check();
    result.layer.reset();
    const std::lock_guard lock(mutex_);
    if (journal_) journal_->append(name, result);
    out_.results[i] = std::move(result);
    ++done_;
  }

  std::span<const PlannedRun> plan_;
  const RunControl& control_;
  RunControl inner_;
  int jobs_;
  std::optional<Journal> journal_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0, done_ = 0;
  std::atomic<bool> ended_ = false;
  std::exception_ptr failure_;
  Executed out_;
};

}  // namespace

Executed execute(std::span<const PlannedRun> plan, const ExecuteOptions& options, const RunControl& control) {
  return Execution(plan, options, control).all();
}

}  // namespace hardhead::study
