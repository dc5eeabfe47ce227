#include "study/sweep/work_queue.h"

#include <cmath>

#include "base/error.h"

namespace hardhead::study {

namespace {

bool same(const Source& a, const Source& b) {
  return a == b || (a.opens_by_name() && b.opens_by_name() && a.name() == b.name());
}

}  // namespace

void Runner::open(const PlannedRun& planned) {
  if (open_ && same(open_->source, planned.source) && open_->options == planned.problem) return;
  open_.reset();  // two problems at once may be too large
  open_ = {planned.source, planned.problem, open_problem(planned.source, planned.problem, context_)};
}

RunResult Runner::carry_out(const PlannedRun& planned) {
  RunResult result;
  try {
    open(planned);
    result = run(open_->problem, planned.run, context_);
  } catch (const BudgetError& refusal) {
    result = refused_run(open_->problem, planned.run, refusal.what());
  } catch (const InputError& refusal) {
    if (bad_point_ == BadPoint::ends_the_plan) throw;
    const ProblemSummary unknown{.source = planned.source.name(), .null_error = NAN};
    result = refused_run(open_ ? open_->problem : unknown, planned.run, refusal.what());
  }
  context_.stop.check();
  result.report.layer.reset();
  return result;
}

WorkQueue::WorkQueue(std::span<const PlannedRun> plan, std::vector<Item> items, Record record)
    : plan_(plan), items_(std::move(items)), record_(std::move(record)) {
  for (const Item& item : items_) all_seconds_ += item.seconds;
}

const WorkQueue::Item* WorkQueue::next() {
  if (ended_) return nullptr;
  const std::size_t i = next_++;
  return i < items_.size() ? &items_[i] : nullptr;
}

void WorkQueue::finish(const Item& item, RunResult result) {
  const std::lock_guard lock(mutex_);
  record_(item.index, std::move(result));
  done_seconds_ = done_seconds_ + item.seconds;
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
