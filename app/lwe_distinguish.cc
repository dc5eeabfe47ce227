#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/lwe.h"
#include "app/output.h"
#include "study/compare.h"
#include "study/distinguish.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::string& source, const study::DistinguishResult& r) {
  std::string out = fmt::format(
      "{} on {}: right in {} of {}, advantage {:.3g} ({:.3g} .. {:.3g}, exact 95%), {:.1f} s\n", r.method,
      source, r.right, counted(r.trials, "trial"), r.advantage, r.interval.low, r.interval.high, r.seconds);
  out += fmt::format("said \"true\" of true labels {} of {} times, of unrelated ones {} of {}\n",
                     r.said_true_of_true, r.true_trials, r.said_true_of_unrelated, r.trials - r.true_trials);
  if (!r.true_errors.empty() && !r.unrelated_errors.empty())
    out +=
        fmt::format("test error over null error, median: {:.4g} on true labels, {:.4g} on unrelated ones\n",
                    study::median(r.true_errors), study::median(r.unrelated_errors));
  return out;
}

Answer run(const Settings& settings, const RunControl& control) {
  study::DistinguishOptions options;
  options.run.method = one_method(settings, options.run.method.str());
  options.run.heads = settings.heads;
  options.run.examples = settings.examples;
  options.run.time_limit_seconds = settings.time_limit_seconds;
  options.samples = settings.examples.value_or(options.samples);
  options.trials = settings.trials;
  options.seed = settings.seed;
  const study::DistinguishResult r = study::distinguish(Spec::parse(settings.source), options, control);
  if (!settings.json) return {ExitCode::answered, text(settings.source, r)};
  return {ExitCode::answered,
          text_of(study::report_json({{"spec", settings.source},
                                      {"method", r.method},
                                      {"advantage", r.advantage},
                                      {"interval", {r.interval.low, r.interval.high}},
                                      {"trials", r.trials},
                                      {"right", r.right},
                                      {"true_trials", r.true_trials},
                                      {"said_true_of_true", r.said_true_of_true},
                                      {"said_true_of_unrelated", r.said_true_of_unrelated},
                                      {"relative_errors_true", r.true_errors},
                                      {"relative_errors_unrelated", r.unrelated_errors},
                                      {"seed", settings.seed},
                                      {"seconds", r.seconds}}))};
}

}  // namespace

Command lwe_distinguish_command() {
  return {
      "lwe distinguish",
      "true labels or unrelated ones? a learner, or an attack in its place, says; its advantage with an exact interval",
      {"SPEC",
       "a family with a switch: lwr, staircase, parity (an attack: lwr); its seed is replaced by S, S+1, .."},
      {"--method", "--heads", "--examples", "--trials", "--time-limit"},
      {},
      {"hardhead lwe distinguish lwr:n=3 --method exhaustive --trials 5"},
      run};
}

}  // namespace hardhead::app
