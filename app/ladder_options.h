#pragma once
#include <cstdint>
#include <optional>

#include "app/flags.h"
#include "study/best/best_shot.h"

namespace hardhead::app {

/// What the commands that give learners their best shot can be told. What is not said is as in
/// study::BestShotOptions.
struct LadderOptions {
  std::optional<std::int64_t> wanted{};         ///< nine in ten of the seeds, if not said
  std::optional<study::Degree> goal{};          ///< what counts as success
  std::optional<std::int64_t> most_examples{};  ///< that a run may read
  std::optional<double> ladder_seconds{};       ///< after which no budget is begun

  bool operator==(const LadderOptions&) const = default;  ///< all fields
};

/// --wanted, --goal, --most-examples, --ladder-time.
FlagTable<LadderOptions> ladder_flags();

/// With these runs on as many fresh layers. A run takes at most a quarter of the ladder's time, unless it has
/// a limit of its own. Throws InputError for more wanted than there are seeds.
study::BestShotOptions shot_options(const LadderOptions& ladder, std::int64_t seeds,
                                    const study::ProblemOptions& problem, const study::RunOptions& run,
                                    const study::ExecuteOptions& execution);

}  // namespace hardhead::app
