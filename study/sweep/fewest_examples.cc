#include "study/sweep/fewest_examples.h"

#include <cmath>

#include "base/statistics/median.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

std::optional<double> recovers(const RunResult& run) {
  return run.score.outcome == Outcome::recovered ? std::optional(run.report.seconds) : std::nullopt;
}

Goal reaches(const std::string& phase, const std::string& name, double most) {
  return [=](const RunResult& run) -> std::optional<double> {
    double seconds = 0;
    for (const learner::Phase& p : run.report.phases) {
      seconds += p.seconds;
      if (p.name != phase) continue;
      for (const auto& [label, value] : p.measures)
        if (label == name && value <= most) return seconds;
    }
    return std::nullopt;
  };
}

std::vector<Reached> fewest_examples(const ExamplesSearch& search, std::span<const Goal> goals,
                                     const RunContext& context) {
  std::vector<Reached> out(goals.size());
  RunContext own = context;
  own.communicator = nullptr;  // the results decide what is run next, and only the root rank would have them
  for (auto budget = static_cast<double>(search.least); out.back().examples == 0; budget *= search.ratio) {
    const std::int64_t examples = std::llround(budget);
    if (examples > search.most) break;
    ComparisonPlan plan{.sources = {search.source},
                        .methods = {search.method},
                        .seeds = search.seeds,
                        .execution = search.execution};
    plan.run.task.examples = examples;
    plan.run.task.heads = search.heads;
    plan.problem.seed = plan.run.task.seed = search.seed;
    const Comparison result = compare(plan, own);
    context.stop.check();
    for (std::size_t g = 0; g < goals.size(); ++g) {
      std::vector<double> seconds;
      for (const RunResult& run : result.rows.front().runs)
        if (const auto at = goals[g](run)) seconds.push_back(*at);
      if (out[g].examples == 0 && seconds.size() == static_cast<std::size_t>(search.seeds))
        out[g] = {examples, statistics::median(seconds)};
    }
  }
  return out;
}

}  // namespace hardhead::study
