#include "hardness/families/lwr.h"
#include "hardness/families/registered_families.h"

namespace hardhead::hardness {
namespace {

InstanceShape staircase_shape(const RoundingOptions& options) {
  const RoundingProblem problem = rounding_problem(options);
  return rounding_shape(problem, std::ssize(staircase_rounding(problem).steps.weights));
}

Instance make_staircase(const RoundingOptions& options) {
  const RoundingProblem problem = rounding_problem(options);
  const SwitchGadget gadget = staircase_rounding(problem);
  Instance out;
  out.k = 2;
  out.exact = gadget.exact_layer();
  out.layer = out.exact->rounded();
  out.teacher = gadget.teacher();
  for (const lwe::Residue w : problem.secret) out.hidden.push_back(w);
  out.null.exact_error = problem.null_error();
  out.null.unrelated_error = problem.constant_error();
  out.null.description =
      "knows q and p, not the secret: predicts the mean LWR label where the switch is on, 0 where it is off "
      "(exact for LWR labels, from which these differ by the steps' finite width)";
  return out;
}

}  // namespace

OptionTable<RoundingOptions> staircase_table() {
  return rounding_rows({.base = 1024}).append(rounding_seed("which secret; the same as of `lwr`"));
}

Family detail::staircase_family() {
  return make_family(
      {.name = "staircase",
       .summary = "LWR with one step a jump: NOT hard, its labels leak the secret",
       .hidden = "the secret w in Z_q^n",
       .assumptions =
           "sum W_i = 0 exactly; no hardness is claimed: how far a label is from its plateau tells h, and "
           "linearisation reads the secret off a few hundred examples",
       .presets = {{"staircase", "8 numbers mod 16, two levels; broken by 400 examples"},
                   {"staircase:secret=fixed-weight,weight=1",
                    "two heads, one band q/2 <= h < q, the top bit of one of 8 numbers: easy"}},
       .hides = Hidden::staircase_secret},
      staircase_table(), staircase_shape, make_staircase);
}

}  // namespace hardhead::hardness
