#pragma once
#include <string>
#include <vector>

#include "lwe/problem/parameters.h"
#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// What an attacker sees: the parameters and the samples, and never the secret or the seed.
struct Challenge {
  ProblemParameters parameters;  ///< public
  Samples samples;               ///< all that there are
  /// Whether it is known how `lwr` labels were rounded. If not, parameters.rounding is `floor`, and attacks
  /// and verification try the others as well.
  bool rounding_known = true;
  std::vector<std::string> notes{};  ///< what its file leaves open, a sentence each

  /// The parameters that the samples may be of, the given ones first.
  std::vector<ProblemParameters> readings() const {
    std::vector<ProblemParameters> out{parameters};
    if (parameters.problem != ProblemKind::lwr || rounding_known) return out;
    for (const Rounding other : {Rounding::nearest, Rounding::even})
      if (other == Rounding::nearest || has_halves(parameters)) {
        out.push_back(parameters);
        out.back().rounding = other;
      }
    return out;
  }
};

}  // namespace hardhead::lwe
