#include "app/settings.h"

namespace hardhead::app {

study::ProblemOptions Settings::problem_options() const {
  return {seed, holdout, truth};
}

study::RunOptions Settings::run_options() const {
  study::RunOptions options;
  if (!methods.empty()) options.method = methods.front();
  options.heads = heads;
  options.examples = examples;
  options.seed = seed;
  options.recovery = recovery;
  options.time_limit_seconds = time_limit_seconds;
  options.memory_limit_bytes = memory_limit_bytes;
  return options;
}

}  // namespace hardhead::app
