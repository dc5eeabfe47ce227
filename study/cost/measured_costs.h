#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/report/table.h"

namespace hardhead::study {

/// What one run of a learner cost until it succeeded.
struct MeasuredCost {
  std::string learner;      ///< "adam, diagonal"
  std::string family;       ///< of the layer: "parity", "nice", "lwr"; "junta staircase" with function
  int d = 0, k = 0, m = 0;  ///< features, tokens, heads; m of `parity` and `junta` is the number of
                            ///< hidden coordinates, of `lpn` that of ones in the secret, of `lwr` and `lwe` n
  std::uint64_t seed = 0;   ///< of the layer and the run
  double examples = 0;      ///< read until success, or where the run was given up
  bool censored = false;    ///< it was given up
  std::optional<double> seconds{};  ///< until success, on the machine that measured it; of others nothing

  bool operator==(const MeasuredCost&) const = default;  ///< all fields
};

/// As a table with a row for each run. parse_costs() reads its CSV back.
report::Table costs_table(std::span<const MeasuredCost> costs);

/// Throws InputError naming `place` and the row: columns that are not those of costs_table(), a cell that is
/// no number or out of range.
std::vector<MeasuredCost> parse_costs(std::string_view csv, const std::string& place);

/// The costs of the claims that measure some, docs/results/claims/*/costs.csv, which `hardhead reproduce`
/// writes. The files are compiled in, so that every fit is one of the costs that lie beside it.
std::span<const MeasuredCost> measured_costs();

namespace detail {
/// The file's text (made by CMake).
std::string_view measured_costs_text();
}  // namespace detail

}  // namespace hardhead::study
