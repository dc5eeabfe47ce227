#include <fmt/format.h>

#include <limits>
#include <set>

#include "experiments/claims/experiment.h"
#include "statistics/median.h"

namespace hardhead::experiments {

std::vector<study::ComparisonRow> compared(study::ComparisonPlan plan, const Setting& setting,
                                           const RunContext& context) {
  plan.execution = {setting.journal, setting.jobs};
  plan.problem.seed = plan.run.task.seed = setting.seed;
  study::Comparison done = compare(plan, context);
  context.stop.check();
  return std::move(done.rows);
}

std::vector<study::ComparisonRow> compared(const study::ComparisonPlan& plan,
                                           const std::vector<std::int64_t>& seeds, const Setting& setting,
                                           const RunContext& context) {
  const std::size_t methods = plan.methods.size();
  std::vector<study::ComparisonRow> out(plan.sources.size() * methods);
  for (const std::int64_t count : std::set<std::int64_t>(seeds.begin(), seeds.end())) {
    study::ComparisonPlan part = plan;
    part.seeds = count;
    part.sources.clear();
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
      if (seeds.at(i) != count) continue;
      part.sources.push_back(plan.sources[i]);
      for (std::size_t j = 0; j < methods; ++j) at.push_back(i * methods + j);
    }
    std::vector<study::ComparisonRow> rows = compared(part, setting, context);
    for (std::size_t r = 0; r < rows.size(); ++r) out[at.at(r)] = std::move(rows[r]);
  }
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
