#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/text/spec.h"
#include "study/cost/measured_costs.h"

namespace hardhead::study {

/// A parity layer that is named by what it is predicted to cost.
struct HardPreset {
  std::string name;     ///< "hard-1h"
  double seconds = 0;   ///< each measured learner is predicted to take at least
  std::string meaning;  ///< one line
};

/// hard-1h, hard-1d, hard-1y.
std::span<const HardPreset> hard_presets();

/// "parity:d=D,m=M", the first (M, D) at which the 95% interval of every fitted learner's time (cost_fit.h)
/// begins at or above `seconds`: M goes from the largest size of a hidden set that all of these learners were
/// measured on up to 40, and for each M, D up to 128. Throws InputError, beginning with the preset's name,
/// where no learner has a fit, and where none of these layers is enough.
Spec preset_spec(const HardPreset& preset, std::span<const MeasuredCost> costs = measured_costs());

/// The spec that a source is named by: the text itself, or that of the preset that it begins with, with what
/// follows in addition: "hard-1h:seed=3". Throws InputError as Spec::parse() and preset_spec().
Spec source_spec(std::string_view text);

}  // namespace hardhead::study
