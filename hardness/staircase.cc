#include "hardness/registered_families.h"
#include "hardness/rounding_layer.h"

namespace hardhead::hardness {
namespace {

Instance make(const Parameters& p) {
  const RoundingProblem problem = rounding_problem(p, p.integer("p"));
  const SwitchGadget gadget = staircase_rounding(problem);
  Instance out;
  out.k = 2;
  out.exact = gadget.exact_layer();
  out.layer = out.exact->rounded();
  out.teacher = gadget.teacher();
  for (const lwe::Residue w : problem.secret) out.hidden.push_back(w);
  out.null.exact_error = problem.null_error();
  out.null.description =
      "knows all but the secret: predicts the mean LWR label where the switch is on, 0 where it is off (exact for LWR "
      "labels, from which these differ by the steps' finite width)";
  return out;
}

}  // namespace

Family detail::staircase_family() {
  Family f;
  f.name = "staircase";
  f.summary = "LWR with one step a jump: NOT hard, its labels leak the secret";
  f.hidden = "the secret w in Z_q^n";
  f.assumptions =
      "sum W_i = 0 exactly; no hardness is claimed: how far a label is from its plateau tells h, and linearisation reads the "
      "secret off a few hundred examples";
  f.parameters = rounding_table(1024);
  f.parameters.push_back(Parameter::integer("seed", 1, 0, 9e15, "which secret; the same as of `lwr`"));
  f.make = make;
  f.presets = {{"staircase", "8 numbers mod 16, two levels; broken by 400 examples"},
               {"staircase:secret=fixed-weight,weight=1",
                "two heads, one band q/2 <= h < q, the top bit of one of 8 numbers: easy"}};
  return f;
}

}  // namespace hardhead::hardness
