#include "study/sweep/ranks.h"

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "study/sweep/json.h"

namespace hardhead::study {

using Json = nlohmann::ordered_json;

void hand_out_runs(WorkQueue& queue, const Communicator& communicator, const StopToken& stop) {
  std::vector<const WorkQueue::Item*> given(static_cast<std::size_t>(communicator.size()), nullptr);
  for (int working = communicator.size() - 1; working > 0;) {
    const auto [rank, message] = communicator.receive(stop);
    const WorkQueue::Item*& last = given[static_cast<std::size_t>(rank)];
    if (!message.empty() && last != nullptr)
      queue.finish(*last, run_from_json(Json::parse(message), "a rank's result"));
    last = queue.next();
    if (last == nullptr) --working;
    communicator.send(rank, last == nullptr ? std::string() : text_of_json(to_json(queue.run_of(*last))),
                      stop);
  }
}

void carry_out_runs(const RunContext& context) {
  const Communicator& communicator = *context.communicator;
  RunContext own = context;
  own.progress = {};
  own.communicator = nullptr;
  Runner runner(own);
  for (std::string result;;) {
    communicator.send(0, result, context.stop);
    const std::string work = communicator.receive(context.stop).second;
    if (work.empty()) return;
    result = text_of_json(to_json(runner.carry_out(planned_run_from_json(Json::parse(work)))));
  }
}

}  // namespace hardhead::study
