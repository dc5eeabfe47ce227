#include "lwe/problem/challenge.h"

namespace hardhead::lwe {

std::vector<ProblemParameters> Challenge::readings() const {
  std::vector<ProblemParameters> out{parameters};
  if (parameters.problem == ProblemKind::lwr && !rounding_known) {
    out.push_back(parameters);
    out.back().rounding = Rounding::nearest;
  }
  return out;
}

}  // namespace hardhead::lwe
