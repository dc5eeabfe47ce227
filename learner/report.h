#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/layer.h"

namespace hardhead::learner {

/// One phase of a run, in the order they ran. Everything a phase has to say is a named number, so that
/// reports of all learners print, save and compare alike.
struct Phase {
  std::string name;                         ///< "w_sum", "hull", ..
  double seconds = 0;                       ///< wall clock
  std::int64_t examples = 0;                ///< examples read
  std::optional<std::int64_t> rows_kept{};  ///< rows certified and kept, where the phase keeps rows
  std::vector<std::pair<std::string, double>>
      measures{};  ///< name, value; relative unless the name says else

  /// One more measure.
  void add(std::string measure, double value) { measures.emplace_back(std::move(measure), value); }
};

/// Thrown inside a phase that cannot go on, and caught by the learner, which reports it as its failed phase.
struct Starved {
  std::string message;  ///< what is missing
};

/// How a run ended.
enum class Ending {
  finished,  ///< the learner ran to its end; whether it recovered the layer is for the test to say
  failed,    ///< a phase starved: failed_phase and message say which and why
  stopped,   ///< a budget ran out, or the run was interrupted
};

/// What a learner hands back. An outcome is a value, never an exception.
struct Report {
  Ending ending = Ending::finished;       ///< how the run ended
  std::string failed_phase;               ///< set if failed
  std::string message;                    ///< one sentence, always set at the end
  std::optional<attention::Layer> layer;  ///< what was learnt; empty if nothing was
  /// Relative squared error on held-back examples of a learner that hands back predictions and no layer.
  std::optional<double> prediction_error{};
  std::vector<Phase> phases;       ///< in the order they ran
  std::int64_t examples_used = 0;  ///< distinct examples read
  double seconds = 0;              ///< wall clock, all phases

  /// Heads of the layer handed back; empty without one.
  std::optional<attention::Index> heads_found() const {
    return layer ? std::optional(layer->m()) : std::nullopt;
  }
};

}  // namespace hardhead::learner
