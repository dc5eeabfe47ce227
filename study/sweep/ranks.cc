// The two sides of a job of several ranks.
#include <fmt/format.h>

#include "base/error.h"
#include "base/text/record_json.h"
#include "study/sweep/work_queue.h"

namespace hardhead::study {

namespace {

constexpr char refused = '!', undone = '?';

std::string message_of(const RunRequest& run) {
  if (!run.source.opens_by_name())
    throw InputError(
        fmt::format("'{}': other ranks cannot open what only this process has", run.source.name()));
  return text_of_json(record_to_json(run));
}

RunRequest request_in(const std::string& message) {
  const Json document = Json::parse(message);
  const JsonObject json(document, "a planned run");
  RunRequest out{Source(json.text("source")), {}, {}};
  read_record(json, out);
  return out;
}

}  // namespace

void hand_out_runs(WorkQueue& queue, const Communicator& communicator, const StopToken& stop) {
  std::vector<const WorkQueue::Item*> given(static_cast<std::size_t>(communicator.size()), nullptr);
  for (int working = communicator.size() - 1; working > 0;) {
    const auto [rank, message] = communicator.receive(stop);
    const WorkQueue::Item*& last = given[static_cast<std::size_t>(rank)];
    if (message.starts_with(refused)) throw InputError(message.substr(1));
    if (!message.empty() && last != nullptr) {
      const bool done = !message.starts_with(undone);
      RunResult result = run_from_json(Json::parse(message.substr(done ? 0 : 1)), "a rank's result");
      if (!done) result.report.ending = learner::Ending::undone;
      queue.finish(*last, std::move(result));
    }
    last = queue.next();
    if (last == nullptr) --working;
    communicator.send(rank, last == nullptr ? std::string() : message_of(queue.run_of(*last)), stop);
  }
}

void carry_out_runs(BadPoint bad_point, const RunContext& context) {
  const Communicator& communicator = *context.communicator;
  RunContext own = context;
  own.progress = {};
  own.communicator = nullptr;
  Runner runner(own, bad_point);
  for (std::string result;;) {
    communicator.send(0, result, context.stop);
    const std::string work = communicator.receive(context.stop).second;
    if (work.empty()) return;
    try {
      const RunResult done = runner.carry_out(request_in(work));
      result = text_of_json(to_json(done));
      if (done.report.ending == learner::Ending::undone) result.insert(result.begin(), undone);
    } catch (const InputError& refusal) {
      result = refused + std::string(refusal.what());
    }
  }
}

}  // namespace hardhead::study
