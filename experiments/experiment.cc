#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/statistics/median.h"
#include "experiments/attacks/rounding_attack.h"
#include "experiments/experiment.h"
#include "hardness/families/family.h"
#include "lwe/problem/posterior.h"
#include "study/problem/source.h"

namespace hardhead::experiments {

std::vector<study::ComparisonRow> compared(const study::Plan& plan, const Setting& setting,
                                           const RunContext& context) {
  return std::move(compared(std::vector{plan}, setting, context).front());
}

std::vector<std::vector<study::ComparisonRow>> compared(std::vector<study::Plan> plans,
                                                        const Setting& setting, const RunContext& context) {
  for (study::Plan& plan : plans) {
    plan.execution = {setting.journal, setting.jobs};
    plan.seed = setting.seed;
  }
  std::vector<study::Comparison> done = compare(plans, context);
  context.stop.check();
  std::vector<std::vector<study::ComparisonRow>> out;
  for (study::Comparison& one : done) out.push_back(std::move(one.rows));
  return out;
}

RunContext whole_experiment(const std::string& id, const RunContext& context) {
  RunContext out = context;
  out.progress.on_progress = [id, outer = context.progress](std::string_view phase, double done) {
    outer.report(fmt::format("{}: {}", id, phase), done);
  };
  return out;
}

std::string with_seed(const std::string& spec, std::uint64_t seed) {
  return fmt::format("{},seed={}", spec, seed);
}

std::vector<std::uint64_t> seeds_of(const Setting& setting, std::int64_t count) {
  std::vector<std::uint64_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(setting.seed + static_cast<std::uint64_t>(i));
  return out;
}

AttackedLayers attack_layers(const std::string& spec, std::int64_t seeds, std::int64_t examples,
                             const Setting& setting, const RunContext& context) {
  constexpr double most_seconds = 120;
  AttackedLayers out;
  for (const std::uint64_t seed : seeds_of(setting, seeds)) {
    const Spec layer = Spec::parse(with_seed(spec, seed));
    const auto source = study::examples_of(hardness::make_instance(layer), Domain::samples, seed);
    double total = 0;
    for (const lwe::AttackReport& report :
         lwe::attack_auto(rounding_challenge(layer, *source, examples), most_seconds, context)) {
      context.stop.check();
      total += report.seconds;
      if (!report.solved()) continue;
      ++out.solved;
      out.method = report.method;
    }
    out.seconds.push_back(total);
  }
  return out;
}

study::BestShotOptions ladder_of(const Setting& setting, std::int64_t seeds) {
  return study::BestShotOptions::of_all({.sources = {},
                                         .learners = {},
                                         .seeds = seeds,
                                         .seed = setting.seed,
                                         .execution = {setting.journal, setting.jobs}},
                                        setting.quick ? 8 : 240);
}

std::vector<double> draw_information(const lwe::ProblemParameters& parameters, std::uint64_t first,
                                     std::int64_t draws, const StopToken& stop) {
  constexpr double examples_a_sample = 2;
  constexpr std::int64_t most_samples = 4096;
  std::vector<double> out;
  for (std::int64_t i = 0; i < draws; ++i) {
    const auto samples =
        lwe::samples_to_determine(parameters, first + static_cast<std::uint64_t>(i), most_samples, stop);
    if (samples) out.push_back(examples_a_sample * static_cast<double>(std::max<std::int64_t>(*samples, 1)));
  }
  return out;
}

statistics::Interval median_known(const std::vector<double>& values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return statistics::median_interval(values).value_or(statistics::Interval{-infinity, infinity});
}

std::string median_text(const std::vector<double>& values) {
  const auto interval = statistics::median_interval(values);
  return fmt::format("{:.3g} ({})", statistics::median(values),
                     interval ? fmt::format("{:.3g} .. {:.3g}", interval->low, interval->high)
                              : "too few seeds for an interval");
}

}  // namespace hardhead::experiments
