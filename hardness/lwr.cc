#include "hardness/registered_families.h"
#include "hardness/rounding_layer.h"

namespace hardhead::hardness {
namespace {

Instance make(const Parameters& p) {
  const RoundingProblem problem = rounding_problem(p, p.integer("p"));
  return exact_rounding_instance(problem, p.choice("heads") == "padded");
}

}  // namespace

Family detail::lwr_family() {
  Family f;
  f.name = "lwr";
  f.summary =
      "learning with rounding as an attention layer, by exact interpolation: the LWE-based hard family";
  f.hidden = "the secret w in Z_q^n; without heads=padded the number of heads shows H, a function of w";
  f.assumptions =
      "sum W_i = 0 exactly (phase 1 sees nothing), labels exactly those of LWR; hard if LWR with these n, q, p is, which for "
      "small n it is not: hardhead lwe attack says which attack breaks it";
  f.parameters = rounding_table(4);
  f.parameters.push_back(Parameter::choice(
      "heads", {"exact", "padded"}, "H + 2, or heads of weight 0 up to the largest H of such secrets"));
  f.parameters.push_back(
      Parameter::integer("seed", 1, 0, 9e15, "which secret; plain LWR samples of it have the same"));
  f.make = make;
  f.presets = {{"lwr", "8 numbers mod 16, two levels, 33 features"},
               {"lwr:n=3", "small enough for exhaustive search by hand"},
               {"lwr:n=8,secret=binary", "a small secret: fewer heads"}};
  return f;
}

}  // namespace hardhead::hardness
