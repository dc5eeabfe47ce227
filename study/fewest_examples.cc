#include "study/fewest_examples.h"

#include "study/compare.h"

namespace hardhead::study {

std::optional<double> recovers(const RunResult& run) {
  return run.outcome == Outcome::recovered ? std::optional(run.seconds) : std::nullopt;
}

Goal reaches(const std::string& phase, const std::string& name, double most) {
  return [=](const RunResult& run) -> std::optional<double> {
    double seconds = 0;
    for (const learner::Phase& p : run.phases) {
      seconds += p.seconds;
      if (p.name != phase) continue;
      for (const auto& [label, value] : p.measures)
        if (label == name && value <= most) return seconds;
    }
    return std::nullopt;
  };
}

std::vector<Reached> fewest_examples(const std::string& source, const Spec& method, std::int64_t seeds,
                                     std::int64_t least, std::int64_t most, std::span<const Goal> goals,
                                     const RunControl& control, const ExecuteOptions& execution,
                                     std::optional<attention::Index> heads) {
  std::vector<Reached> out(goals.size());
  for (std::int64_t examples = least; examples <= most && out.back().examples == 0; examples *= 2) {
    ComparisonPlan plan{.sources = {source}, .methods = {method}, .seeds = seeds, .execution = execution};
    plan.run.examples = examples;
    plan.run.heads = heads;
    const Comparison result = compare(plan, control);
    control.check();
    for (std::size_t g = 0; g < goals.size(); ++g) {
      std::vector<double> seconds;
      for (const RunResult& run : result.rows.front().runs)
        if (const auto at = goals[g](run)) seconds.push_back(*at);
      if (out[g].examples == 0 && seconds.size() == static_cast<std::size_t>(seeds))
        out[g] = {examples, median(seconds)};
    }
  }
  return out;
}

}  // namespace hardhead::study
