#include "study/execute.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "base/team.h"
#include "study/forecast.h"
#include "study/journal.h"
#include "study/json.h"
#include "study/named_source.h"

namespace hardhead::study {
namespace {

class Execution {
 public:
  Execution(std::span<const PlannedRun> plan, const ExecuteOptions& options, const RunControl& control)
      : plan_(plan), control_(control), inner_(control), options_(options) {
    if (options.jobs < 1) throw InputError(fmt::format("jobs = {}, but at least 1 is needed", options.jobs));
    inner_.set_progress({});
    inner_.set_announce({});
    inner_.set_team(nullptr);
    if (options.journal && control.leads()) journal_.emplace(*options.journal);
    out_.results.resize(plan.size());
    original_.resize(plan.size());
    std::iota(original_.begin(), original_.end(), std::size_t{0});
  }

  Executed all() {
    const int threads = std::max(1, tbb::this_task_arena::max_concurrency() / options_.jobs);
    if (!control_.leads()) {
      follow();
      return std::move(out_);
    }
    try {
      if (journal_) recall();
      tbb::task_arena(threads).execute([this] { forecast(); });
    } catch (const Stopped&) {
      out_.interrupted = true;
      return std::move(out_);
    }
    std::thread handing_out;
    if (control_.team() != nullptr) handing_out = std::thread([this] { hand_out(); });
    if (options_.jobs == 1) {
      work();
    } else {
      std::vector<std::thread> workers;
      for (int j = 0; j < options_.jobs; ++j)
        workers.emplace_back([this, threads] {
          tbb::task_arena arena(threads);
          arena.execute([this] { work(); });
        });
      for (std::thread& worker : workers) worker.join();
    }
    if (handing_out.joinable()) handing_out.join();
    if (failure_) std::rethrow_exception(failure_);
    for (std::size_t i = 0; i < plan_.size(); ++i)
      if (original_[i] != i) out_.results[i] = out_.results[original_[i]];
    return std::move(out_);
  }

 private:
  struct Todo {
    std::size_t index;  // in the plan
    double seconds;     // predicted
  };
  // What one thread of the plan has open: the source of the runs it comes from.
  struct Open {
    std::string source;
    ProblemOptions options;
    std::optional<Problem> problem;
  };

  // Names all runs, and takes those from the journal that are there. Runs of the same name are one.
  void recall() {
    names_.resize(plan_.size());
    std::string source, digest;
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      inner_.check();
      const PlannedRun& planned = plan_[i];
      if (source != planned.source)
        source = planned.source, digest = source_digest(open_source(source), inner_);
      names_[i] = run_digest(digest, planned.problem, planned.run);
      original_[i] = first.try_emplace(names_[i], i).first->second;
      out_.results[i] = journal_->find(names_[i]);
      out_.from_journal += out_.results[i] ? 1 : 0;
    }
    out_.unclaimed = journal_->unclaimed();
  }

  void forecast() {
    Forecaster forecaster;
    Forecast forecast{.runs = static_cast<std::int64_t>(plan_.size()),
                      .from_journal = out_.from_journal,
                      .jobs = options_.jobs};
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (out_.results[i] || original_[i] != i) continue;
      inner_.check();
      const std::optional<double> seconds = forecaster.seconds(plan_[i]);
      forecast.add(plan_[i].run.method.name, seconds);
      constexpr double of_unknown = 1;
      todo_.push_back({i, seconds.value_or(of_unknown)});
      all_seconds_ += todo_.back().seconds;
    }
    if (options_.announce) control_.announce(forecast.str());
  }

  template <class Body>
  void ending_all(const Body& body) {
    try {
      body();
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

  void work() {
    ending_all([&] {
      Open open;
      for (std::size_t i = next_++; i < todo_.size() && !ended_; i = next_++) {
        const PlannedRun& planned = plan_[todo_[i].index];
        control_.check();
        control_.progress(fmt::format("run {} of {}: {}, {}", todo_[i].index + 1, plan_.size(),
                                      planned.source, planned.run.method.str()),
                          done_seconds_ / all_seconds_);
        record(todo_[i], one(planned, open));
      }
    });
  }

  // The leader's side of a rank's request for work. A message to the leader is the result of the run that the rank was
  // given last, as JSON, or empty; an answer is the number of a run in the plan, or empty when there is no more.
  void hand_out() {
    ending_all([&] {
      const Team& team = *control_.team();
      std::vector<const Todo*> given(static_cast<std::size_t>(team.size()), nullptr);
      for (int working = team.size() - 1; working > 0;) {
        const auto [rank, message] = team.receive(control_);
        const Todo*& last = given[static_cast<std::size_t>(rank)];
        if (!message.empty() && last != nullptr)
          record(*last, run_from_json(nlohmann::ordered_json::parse(message)));
        const std::size_t i = ended_ ? todo_.size() : next_++;
        last = i < todo_.size() ? &todo_[i] : nullptr;
        if (last == nullptr) --working;
        team.send(rank, last == nullptr ? std::string() : fmt::format("{}", last->index), control_);
      }
    });
  }

  void follow() {
    ending_all([&] {
      const Team& team = *control_.team();
      Open open;
      for (std::string result;;) {
        team.send(0, result, control_);
        const std::string number = team.receive(control_).second;
        if (number.empty()) break;
        result = text_of_json(to_json(one(plan_[std::stoull(number)], open)));
      }
    });
    if (failure_) std::rethrow_exception(failure_);
    out_.interrupted = true;  // the results are the leader's
  }

  RunResult one(const PlannedRun& planned, Open& open) {
    if (open.source != planned.source || !(open.options == planned.problem))
      open = {planned.source, planned.problem, open_problem(planned.source, planned.problem, inner_)};
    RunResult result;
    try {
      result = run(*open.problem, planned.run, inner_);
    } catch (const BudgetError& refusal) {
      result = refused_run(*open.problem, planned.run, refusal.what());
    }
    control_.check();
    result.layer.reset();
    return result;
  }

  void record(const Todo& todo, RunResult result) {
    const std::lock_guard lock(mutex_);
    if (journal_) journal_->append(names_[todo.index], result);
    out_.results[todo.index] = std::move(result);
    done_seconds_ = done_seconds_ + todo.seconds;
  }

  std::span<const PlannedRun> plan_;
  const RunControl& control_;
  RunControl inner_;
  const ExecuteOptions& options_;
  std::optional<Journal> journal_;
  std::vector<std::string> names_;     // where there is a journal
  std::vector<std::size_t> original_;  // the first run of the same name
  std::vector<Todo> todo_;
  double all_seconds_ = 0;
  std::atomic<double> done_seconds_ = 0;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> ended_ = false;
  std::exception_ptr failure_;
  Executed out_;
};

}  // namespace

Executed execute(std::span<const PlannedRun> plan, const ExecuteOptions& options, const RunControl& control) {
  return Execution(plan, options, control).all();
}

}  // namespace hardhead::study
