#include <fmt/format.h>

#include "base/error.h"
#include "hardness/registered_families.h"
#include "hardness/rounded_interpolation.h"
#include "hardness/rounding_layer.h"

namespace hardhead::hardness {
namespace {

using attention::Index;

/// H up to which weights are rationals and the instance has an exact layer; past it they are certified roundings.
constexpr std::int64_t max_exact_length = 64;
constexpr double max_layer_bytes = 1 << 30;

void pad(StepWeights& steps, std::int64_t heads) {
  while (static_cast<std::int64_t>(steps.weights.size()) < heads) {
    steps.twice_steps.push_back(steps.twice_steps.back() + 2);
    steps.weights.push_back(0);
  }
}

Instance make(const Parameters& p) {
  const RoundingProblem problem = rounding_problem(p);
  const std::int64_t length = problem.length();
  const std::int64_t heads =
      (p.choice("heads") == "padded" ? largest_length(problem.parameters) : length) + 2;
  const auto d = static_cast<double>(problem.gadget.d);
  if (const double bytes = 16 * d * d * static_cast<double>(heads); bytes > max_layer_bytes)
    throw InputError(fmt::format("spec '{}': {} heads of {} features take {:.3g} bytes, more than {:.3g}",
                                 p.canonical().str(), heads, problem.gadget.d, bytes, max_layer_bytes));

  SwitchGadget gadget = exact_rounding(problem);
  Instance out;
  out.k = 2;
  out.teacher = gadget.teacher();  // from the values: no weight is needed, and W = 0
  for (const lwe::Residue w : problem.secret) out.hidden.push_back(w);

  if (length <= max_exact_length) {
    gadget.steps = exact_interpolation(gadget.steps.values, gadget.base);
    pad(gadget.steps, heads);
    out.exact = gadget.exact_layer();
    out.layer = out.exact->rounded();
  } else {
    const std::vector<double> weights = rounded_interpolation(problem.labels(), gadget.base);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gadget.steps.twice_steps.push_back(2 * static_cast<int>(i) - 1);
      gadget.steps.weights.push_back(Rational(weights[i]));
    }
    pad(gadget.steps, heads);
    out.layer = gadget.exact_layer().rounded();
  }
  out.null.exact_error = problem.null_error();
  out.null.description =
      "knows all but the secret: predicts the mean label where the switch is on, 0 where it is off";
  return out;
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
