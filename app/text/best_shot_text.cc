#include "app/text/best_shot_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/output.h"
#include "app/text/degree_shade.h"

namespace hardhead::app {
namespace {

std::string degrees_of(const std::vector<study::RunResult>& runs) {
  study::DegreeCounts counts;
  for (const study::RunResult& run : runs) counts.add(run.score.degree);
  return counts.str();
}

/// Examples or queries of the largest run of a ladder.
std::int64_t most_asked(const std::vector<study::RungResult>& ladder) {
  std::int64_t most = 0;
  for (const study::RungResult& rung : ladder)
    for (const std::vector<study::RunResult>* runs : {&rung.tuning, &rung.fresh})
      for (const study::RunResult& run : *runs) most = std::max(most, run.asked());
  return most;
}

std::string ending(const study::BestShot& shot, const study::BestShotOptions& asked) {
  switch (shot.ending) {
    case study::LadderEnding::reached:
      return "-";
    case study::LadderEnding::most_examples:
      return fmt::format("more than {:.3g} examples", static_cast<double>(asked.most_examples));
    case study::LadderEnding::time_limit:
      return fmt::format("its runs took {:.3g} s", asked.time_limit_seconds);
    case study::LadderEnding::interrupted:
      return "interrupted";
    default:
      return "top of the ladder";
  }
}

}  // namespace

std::string ladder_table(const study::BestShot& shot) {
  std::vector<std::vector<std::string>> rows = {{"best setting of the rung",
                                                 shot.method.asks_values() ? "queries" : "examples",
                                                 "choosing settings", "fresh layers", "seconds"}};
  for (const study::RungResult& rung : shot.ladder)
    rows.push_back({rung.method.str(), fmt::format("{}", most_asked({rung})), degrees_of(rung.tuning),
                    degrees_of(rung.fresh), fmt::format("{:.1f}", rung.seconds)});
  return table(rows);
}

std::string shots_table(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked) {
  const bool values =
      std::ranges::any_of(shots, [](const study::BestShot& shot) { return shot.method.asks_values(); });
  std::vector<std::vector<std::string>> rows = {{"instance", "learner", "told", "degree", "fresh layers",
                                                 "budget", values ? "examples or queries" : "examples",
                                                 "seconds", "ladder ended: next budget"}};
  for (const study::BestShot& shot : shots) {
    const bool reached = shot.ending == study::LadderEnding::reached;
    const std::int64_t rungs = std::ssize(shot.ladder);
    rows.push_back(
        {shot.source, shot.method.str(), std::string(name_of(shot.method.told())),
         shot.degree ? painted(shade_of(*shot.degree), std::string(name_of(*shot.degree))) : "-",
         shot.ladder.empty() ? "-" : degrees_of(shot.ladder.back().fresh),
         reached ? shot.ladder.back().method.str() : fmt::format("none of {}", rungs),
         reached ? fmt::format("{:.0f}", shot.asked_median) : fmt::format("> {}", most_asked(shot.ladder)),
         reached ? brief(shot.seconds_median) : "-", ending(shot, asked)});
  }
  return table(without_uniform(std::move(rows), "told", name_of(learner::Told::nothing)), 2);
}

}  // namespace hardhead::app
