#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/layer/exact.h"
#include "attention/layer/layer.h"

namespace hardhead::queries {

/// One step of a run, in the order they ran.
struct Step {
  std::string name;                                        ///< "w_sum", "features", ..
  double seconds = 0;                                      ///< wall clock
  std::int64_t queries = 0;                                ///< asked in this step
  std::int64_t tokens = 0;                                 ///< of these queries
  std::vector<std::pair<std::string, double>> measures{};  ///< name, value
  std::optional<attention::Layer> layer{};  ///< the layer as this step leaves it, if there is one
};

/// How a run ended.
enum class Ending {
  finished,        ///< the learner ran to its end; whether it recovered the layer is for the test to say
  failed,          ///< a step failed: failed_step and message say which and why
  out_of_queries,  ///< the budget was spent
  stopped,         ///< a time limit ran out, or the run was interrupted
};

/// What a learner of queries hands back. An outcome is a value, never an exception.
struct Report {
  Ending ending = Ending::finished;              ///< how the run ended
  std::string failed_step{};                     ///< set if failed
  std::string message{};                         ///< one sentence, always set at the end
  std::optional<attention::Layer> layer{};       ///< what was learnt; empty if nothing was
  std::optional<attention::ExactLayer> exact{};  ///< the same exactly, of a learner in exact arithmetic
  /// What a family hides, of a learner that finds nothing but that: a set of coordinates, or a secret.
  std::optional<std::vector<std::int64_t>> hidden{};
  std::vector<Step> steps{};  ///< in the order they ran; of a run that ended early, the last one is not done
  std::int64_t queries_used = 0;  ///< asked in all
  std::int64_t tokens_used = 0;   ///< of all queries
  double seconds = 0;             ///< wall clock
};

}  // namespace hardhead::queries
