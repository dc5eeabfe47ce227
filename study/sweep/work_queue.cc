#include "study/sweep/work_queue.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "base/error.h"
#include "study/run/memory.h"

namespace hardhead::study {

namespace {

bool same(const Source& a, const Source& b) {
  return a == b || (a.opens_by_name() && b.opens_by_name() && a.name() == b.name());
}

}  // namespace

bool Runner::is_open(const RunRequest& planned) const {
  return open_ && same(open_->source, planned.source) && open_->options == planned.problem;
}

void Runner::open(const RunRequest& planned) {
  if (is_open(planned)) return;
  open_.reset();  // two problems at once may be too large
  open_ = {planned.source, planned.problem, open_problem(planned.source, planned.problem, context_)};
}

ProblemSummary Runner::summary_of(const RunRequest& planned) const {
  if (is_open(planned)) return open_->problem;
  return {.source = planned.source.name(), .null_error = NAN};
}

RunResult Runner::carry_out(const RunRequest& planned) {
  RunResult result;
  const auto ended_by_the_machine = [&](const std::string& why) {
    result = refused_run(summary_of(planned), planned.run, why);
    result.report.ending = learner::Ending::undone;
    result.report.message = why;
  };
  try {
    check_opening(planned.source, planned.run);
    check_asking(planned.run.method, planned.run.values, planned.source);
    open(planned);
    result = run(open_->problem, planned.run, context_);
  } catch (const BudgetError& refusal) {
    result = refused_run(summary_of(planned), planned.run, refusal.what());
  } catch (const InputError& refusal) {
    if (bad_point_ == BadPoint::ends_the_plan) throw;
    result = refused_run(summary_of(planned), planned.run, refusal.what());
  } catch (const std::bad_alloc&) {
    ended_by_the_machine("out of memory");
  } catch (const MachineError& error) {
    ended_by_the_machine(error.what());
  }
  context_.stop.check();
  result.drop_layers();
  return result;
}

WorkQueue::WorkQueue(std::span<const RunRequest> plan, std::vector<Item> items, Record record)
    : plan_(plan), items_(std::move(items)), record_(std::move(record)) {
  for (const Item& item : items_) pace_.plan(item.row, item.seconds);
}

const WorkQueue::Item* WorkQueue::next() {
  if (ended_) return nullptr;
  const std::size_t i = next_++;
  if (i >= items_.size()) return nullptr;
  items_[i].started = watch_.seconds();
  return &items_[i];
}

void WorkQueue::finish(const Item& item, RunResult result) {
  const std::lock_guard lock(mutex_);
  record_(item.index, std::move(result));
  const double seconds = watch_.seconds() - item.started;
  pace_.finish(item.row, item.seconds, seconds);
  done_ = pace_.fraction();
  if (!begun_rows_.insert(item.row).second) return;
  auto& [sum, count] = first_runs_[plan_[item.index].run.method.name()];
  sum += seconds;
  ++count;
}

std::string WorkQueue::correction() {
  const std::lock_guard lock(mutex_);
  const double ahead = pace_.seconds_ahead();
  constexpr double worth_saying = 5;
  if (corrected_ || !pace_.knows_all_rows() || ahead < worth_saying) return "";
  corrected_ = true;
  std::string out = "The first runs took";
  for (const auto& [method, times] : first_runs_)
    out += fmt::format("{} {} ({})", out.ends_with(')') ? "," : "", duration(times.first / times.second),
                       method);
  return fmt::format("{}: about {} of runs ahead", out, duration(ahead));
}

void WorkQueue::guarded(const std::function<void()>& body) {
  try {
    body();
  } catch (const Stopped&) {
    interrupted_ = true;
    ended_ = true;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    ended_ = true;
  }
}

void WorkQueue::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace hardhead::study
