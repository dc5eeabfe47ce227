#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/run/run_context.h"
#include "hardness/niceness/niceness.h"

namespace hardhead::experiments {

/// One condition of the niceness certificate over many layers, each judged by its worst head or pair.
struct NicenessRate {
  hardness::Condition condition;      ///< of the first layer
  std::int64_t holds = 0, fails = 0;  ///< layers; one to which it does not apply is neither
  std::vector<double> values;         ///< of each layer it applies to
  std::vector<double> flips;          ///< the constant at which the verdict flips, of each of those layers
};

/// All conditions of a series of layers.
struct NicenessRates {
  std::string source;                    ///< a spec without its seed, or a file
  std::vector<NicenessRate> conditions;  ///< in the certificate's order
};

/// Certifies members 0 .. seeds - 1 of a series (source.h). Throws InputError as open_layer() does, and
/// Stopped.
NicenessRates niceness_rates(const std::string& source, std::uint64_t first_seed, std::int64_t seeds,
                             std::optional<attention::Index> tokens,
                             const hardness::NicenessConstants& constants, const RunContext& context);

}  // namespace hardhead::experiments
