#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hardness/niceness.h"

namespace hardhead::study {

/// One condition of the niceness certificate over many layers, each judged by its worst head or pair.
struct NicenessRate {
  hardness::Condition condition;  ///< of the first layer
  std::int64_t holds = 0, fails = 0;
  std::vector<double> values,
      flips;  ///< value and constant at which the verdict flips, of each layer it applies to
};

struct NicenessRates {
  std::string source;  ///< a spec without its seed, or a file
  std::vector<NicenessRate> conditions;
};

/// Certifies members 0 .. seeds - 1 of a series (series.h). Throws InputError as open_layer() does, and Stopped.
NicenessRates niceness_rates(const std::string& source, std::uint64_t first_seed, std::int64_t seeds,
                             std::optional<attention::Index> tokens, const Parameters& constants,
                             const RunControl& control);

}  // namespace hardhead::study
