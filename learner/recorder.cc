#include "learner/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "learner/oracle/value_oracle.h"

namespace hardhead::learner {

Recorder::Meter::Meter(Recorder& recorder) : recorder_(recorder) {
  if (recorder.account_ == nullptr) return;
  queries_ = recorder.account_->queries();
  tokens_ = recorder.account_->tokens();
}

Recorder::Meter::~Meter() {
  Phase& phase = recorder_.report_.phases.back();
  phase.seconds = watch_.seconds();
  const Account* account = recorder_.account_;
  if (account == nullptr) return;
  phase.measures.insert(phase.measures.begin(),
                        {{"queries", static_cast<double>(account->queries() - queries_)},
                         {"tokens", static_cast<double>(account->tokens() - tokens_)}});
}

void Recorder::begin(std::string name, std::int64_t examples) {
  stop_.check();
  report_.examples_used = std::max(report_.examples_used, examples);
  report_.phases.push_back({.name = std::move(name), .examples = examples});
}

void Recorder::end(Ending ending, std::string message, std::string phase) {
  report_.ending = ending;
  report_.message = std::move(message);
  report_.failed_phase = std::move(phase);
}

Report Recorder::record(const std::function<void()>& run) {
  const Stopwatch watch;
  const auto last = [this] { return report_.phases.empty() ? std::string() : report_.phases.back().name; };
  try {
    run();
  } catch (const Stopped& stopped) {
    end(Ending::stopped, stopped.reason);
  } catch (const OutOfQueries& spent) {
    end(Ending::out_of_queries,
        fmt::format("the budget of {} queries does not suffice: phase {} asks for more", spent.budget,
                    last()));
  } catch (const InsufficientData& missing) {
    end(Ending::failed, fmt::format("phase {} starves: {}", last(), missing.message), last());
  } catch (const BadAnswer& answer) {
    end(Ending::failed, answer.message, last());
  } catch (const Failed& failed) {
    end(Ending::failed, failed.message, failed.phase.empty() ? last() : failed.phase);
  } catch (const MachineError& error) {
    if (report_.phases.empty()) throw;  // nothing has begun
    end(Ending::undone, error.what(), last());
  }
  if (account_ != nullptr) {
    report_.queries_used = account_->queries();
    report_.tokens_used = account_->tokens();
  }
  report_.seconds = watch.seconds();
  return std::move(report_);
}

}  // namespace hardhead::learner
