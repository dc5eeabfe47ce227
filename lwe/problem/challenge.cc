#include "lwe/problem/challenge.h"

namespace hardhead::lwe {

std::vector<ProblemParameters> Challenge::readings() const {
  std::vector<ProblemParameters> out{parameters};
  if (parameters.problem != ProblemKind::lwr || rounding_known) return out;
  for (const Rounding other : {Rounding::nearest, Rounding::even})
    if (other == Rounding::nearest || has_halves(parameters)) {
      out.push_back(parameters);
      out.back().rounding = other;
    }
  return out;
}

}  // namespace hardhead::lwe
