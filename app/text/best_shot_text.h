#pragma once
#include <string>
#include <vector>

#include "study/best/best_shot.h"

namespace hardhead::app {

/// One row for each pair of instance and learner: the degree, the fresh layers by their degrees, and the
/// cheapest budget with its examples and seconds, or how much was tried at most and why the ladder ended.
std::string shots_table(const std::vector<study::BestShot>& shots, const study::BestShotOptions& asked);

/// One row for each rung of a ladder.
std::string ladder_table(const study::BestShot& shot);

}  // namespace hardhead::app
