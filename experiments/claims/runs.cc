#include <fmt/format.h>

#include <limits>

#include "base/statistics/median.h"
#include "experiments/claims/experiment.h"

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
