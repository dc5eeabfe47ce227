#include "learner/recorder.h"

#include <algorithm>

namespace hardhead::learner {

void Recorder::begin(std::string name, std::int64_t examples) {
  stop_.check();
  report_.examples_used = std::max(report_.examples_used, examples);
  report_.phases.push_back({.name = std::move(name), .examples = examples});
}

void Recorder::fail(std::string phase, std::string message) {
  report_.ending = Ending::failed;
  report_.failed_phase = std::move(phase);
  report_.message = std::move(message);
}

void Recorder::stop(std::string reason) {
  report_.ending = Ending::stopped;
  report_.message = std::move(reason);
}

}  // namespace hardhead::learner
