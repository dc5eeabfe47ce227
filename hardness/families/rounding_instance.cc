#include <fmt/format.h>

#include "base/error.h"
#include "hardness/families/rounding_layer.h"
#include "hardness/gadget/rounded_interpolation.h"

namespace hardhead::hardness {
namespace {

constexpr double max_layer_bytes = 1 << 30;

/// H + 2 steps; the gadget's values are replaced where the weights are roundings.
StepWeights steps_of(const RoundingProblem& problem, const SwitchGadget& gadget) {
  if (problem.length() <= max_exact_length) return exact_interpolation(gadget.steps.values, gadget.base);
  StepWeights out;
  for (const double weight : rounded_interpolation(problem.labels(), gadget.base)) {
    out.twice_steps.push_back(2 * static_cast<int>(out.weights.size()) - 1);
    out.weights.emplace_back(weight);
  }
  return out;
}

}  // namespace

InstanceShape rounding_shape(const RoundingProblem& problem, std::int64_t heads) {
  const attention::Index d = problem.gadget.d, length = problem.length();
  // Weights that are roundings are doubles.
  const GadgetSize gadget{
      .levels = length + 1,
      .heads = heads,
      .entries = d + 1,
      .weight_bits = length <= max_exact_length ? exact_weight_bits(heads, problem.base) : 64};
  return {.d = d, .k = 2, .m = heads, .forward = false, .exact_bytes = gadget_bytes(gadget)};
}

InstanceShape exact_rounding_shape(const RoundingProblem& problem, bool padded) {
  const std::int64_t heads = (padded ? largest_length(problem.parameters) : problem.length()) + 2;
  const attention::Index d = problem.gadget.d;
  if (const double bytes = attention::layer_bytes(d, heads); bytes > max_layer_bytes)
    throw InputError(fmt::format(
        "learning with rounding, n={}, q={}: {} heads of {} features take {:.3g} bytes, more than {:.3g}",
        problem.parameters.n, problem.parameters.q, heads, d, bytes, max_layer_bytes));
  return rounding_shape(problem, heads);
}

Instance exact_rounding_instance(const RoundingProblem& problem, bool padded) {
  const std::int64_t heads = exact_rounding_shape(problem, padded).m;
  SwitchGadget gadget = exact_rounding(problem);
  Instance out;
  out.k = 2;
  out.teacher = gadget.teacher();  // from the values: no weight is needed, and W = 0
  out.hidden.assign(problem.secret.begin(), problem.secret.end());
  gadget.steps = steps_of(problem, gadget);
  while (static_cast<std::int64_t>(gadget.steps.weights.size()) < heads) {
    gadget.steps.twice_steps.push_back(gadget.steps.twice_steps.back() + 2);
    gadget.steps.weights.emplace_back(0);
  }
  attention::ExactLayer layer = gadget.exact_layer();
  out.layer = layer.rounded();
  if (problem.length() <= max_exact_length) out.exact = std::move(layer);
  out.null.exact_error = problem.null_error();
  out.null.unrelated_error = problem.constant_error();
  out.null.description =
      "knows q and p, not the secret: predicts the mean label of a uniform h mod q where the switch is on, 0 "
      "where it is off, and takes nothing from the number of heads";
  return out;
}

}  // namespace hardhead::hardness
