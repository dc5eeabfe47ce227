#include "app/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "learner/learner.h"

namespace hardhead::app {

namespace {

/// The options of the six phases that are routes.
std::vector<std::string> phase_names() {
  std::vector<std::string> out;
  for (const Parameter& option : learner::find_method("paper").parameters)
    if (option.kind == Parameter::Kind::choice) out.push_back(option.name);
  return out;
}

}  // namespace

study::ProblemOptions Settings::problem_options() const {
  return {seed, holdout, truth};
}

study::RunOptions Settings::run_options() const {
  study::RunOptions options;
  options.method = chosen_methods({options.method}).front();
  options.heads = heads;
  options.examples = examples;
  options.seed = seed;
  options.recovery = recovery;
  options.time_limit_seconds = time_limit_seconds;
  options.memory_limit_bytes = memory_limit_bytes;
  return options;
}

std::vector<Spec> Settings::chosen_methods(const std::vector<Spec>& fallback) const {
  std::vector<Spec> chosen = methods.empty() ? fallback : methods;
  for (const auto& [name, route] : phases) {
    bool known = false;
    for (Spec& method : chosen) {
      const auto is_named = [&](const auto& entry) { return entry.name == name; };
      if (std::ranges::none_of(learner::find_method(method.name).parameters, is_named)) continue;
      known = true;
      if (std::ranges::any_of(method.values, [&](const auto& value) { return value.first == name; }))
        throw InputError(
            fmt::format("--phase {}={}: the method '{}' says it already", name, route, method.str()));
      method.values.emplace_back(name, route);
    }
    if (!known)
      throw InputError(fmt::format("--phase {}={}: '{}' has no phase of that name; sculpt and paper have {}",
                                   name, route, chosen.front().name, fmt::join(phase_names(), ", ")));
  }
  return chosen;
}

}  // namespace hardhead::app
