#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/lwe.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "base/statistics/median.h"
#include "base/text/record_json.h"
#include "experiments/distinguish.h"
#include "study/report/json.h"
#include "study/sweep/compare.h"

namespace hardhead::app {
namespace {

struct DistinguishOptions {
  CommonOptions common;
  std::string spec;
  std::vector<Spec> methods;  ///< one at most
  learner::Task task;         ///< what a learner is told; the time limit is that of a trial
  std::int64_t trials = experiments::DistinguishOptions{}.trials;
};

std::string text(const std::string& source, const experiments::DistinguishResult& r) {
  if (r.refused == r.trials)
    return wrapped(fmt::format("{} on {}: REFUSED on all {}: {}. It said nothing of any labels.", r.method,
                               source, counted(r.trials, "trial"), r.refusal));
  std::string out = fmt::format(
      "{} on {}: right in {} of {}, advantage {:.3g} ({:.3g} .. {:.3g}, exact 95%), {:.1f} s\n", r.method,
      source, r.right, counted(r.trials, "trial"), r.advantage, r.interval.low, r.interval.high, r.seconds);
  out += fmt::format("said \"true\" of true labels {} of {} times, of unrelated ones {} of {}\n",
                     r.said_true_of_true, r.true_trials, r.said_true_of_unrelated, r.trials - r.true_trials);
  if (r.refused > 0)
    out += fmt::format("refused on {} of {} trials, which count as \"unrelated\": {}\n", r.refused, r.trials,
                       r.refusal);
  if (!r.true_errors.empty() && !r.unrelated_errors.empty())
    out += fmt::format(
        "test error over the least that unrelated labels allow, median: {:.4g} on true labels, "
        "{:.4g} on unrelated ones\n",
        statistics::median(r.true_errors), statistics::median(r.unrelated_errors));
  return out;
}

Answer run(const DistinguishOptions& options, const RunContext& context) {
  experiments::DistinguishOptions how;
  how.method = one_method(options.methods, how.method.str());
  how.run.task = options.task;
  how.samples = options.task.examples.value_or(how.samples);
  how.trials = options.trials;
  how.seed = options.common.seed;
  const experiments::DistinguishResult r = experiments::distinguish(Spec::parse(options.spec), how, context);
  if (!options.common.json) return {text(options.spec, r)};
  Json out = report::report_json("distinguisher", {{"spec", options.spec}, {"seed", options.common.seed}});
  out.update(record_to_json(r));
  return {text_of(out)};
}

}  // namespace

Command lwe_distinguish_command() {
  return make_command(
      {.name = "lwe distinguish",
       .summary = "true labels or unrelated ones? a learner, or an attack in its place, says; its advantage "
                  "with an exact interval",
       .examples = {"hardhead lwe distinguish lwr:n=3 --method exhaustive --trials 5"}},
      FlagTable<DistinguishOptions>()
          .positional(
              {"SPEC",
               "a family with a switch: lwr, staircase, parity (an attack: lwr); its seed is replaced by S, "
               "S+1, .."},
              &DistinguishOptions::spec)
          .each(method_flag("sculpt"), &DistinguishOptions::methods, method_spec())
          .group(&DistinguishOptions::task, told_flags())
          .flag({"--trials", "T", "trials"}, &DistinguishOptions::trials,
                integer_in<std::int64_t>(1, 1'000'000))
          .group(&DistinguishOptions::task, time_limit_flags()),
      run);
}

}  // namespace hardhead::app
