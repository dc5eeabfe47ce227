#include "hardness/families/rounding_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/text/seed.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using lwe::Residue;

constexpr std::int64_t max_features = 512, max_length = 1 << 16;

int bits_of(std::int64_t q) {
  return std::countr_zero(static_cast<std::uint64_t>(q));
}

/// sum_e (2^e w mod q).
std::int64_t gadget_sum(std::int64_t w, std::int64_t q) {
  std::int64_t sum = 0;
  for (int e = 0; e < bits_of(q); ++e) sum += (w << e) % q;
  return sum;
}

/// Mean of floor(p h / q) over the multiples h of `step` below q.
Rational mean_level(const lwe::ProblemParameters& p, std::int64_t step) {
  Integer total = 0;
  for (std::int64_t h = 0; h < p.q; h += step) total += h * p.p / p.q;
  return Rational(total, p.q / step);
}

/// The relative squared error of a constant over these levels.
Rational error_of(const Rational& constant, const lwe::ProblemParameters& p, std::int64_t step) {
  Rational errors = 0, squares = 0;
  for (std::int64_t h = 0; h < p.q; h += step) {
    const Rational g = h * p.p / p.q;
    errors += (g - constant) * (g - constant);
    squares += g * g;
  }
  return errors / squares;
}

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

std::vector<std::int64_t> RoundingProblem::labels() const {
  std::vector<std::int64_t> out;
  for (std::int64_t h = 0; h <= length(); ++h) out.push_back(h * parameters.p / parameters.q % parameters.p);
  return out;
}

std::int64_t RoundingProblem::step() const {
  std::int64_t out = parameters.q;
  for (const Residue w : secret) out = std::gcd(out, std::int64_t{w});
  return out;
}

Rational RoundingProblem::null_error() const {
  return error_of(mean_level(parameters, 1), parameters, step());
}

Rational RoundingProblem::constant_error() const {
  return error_of(mean_level(parameters, step()), parameters, step());
}

RoundingProblem rounding_problem(const RoundingOptions& options) {
  const lwe::ProblemParameters& p = options.problem;
  if (!lwe::is_power_of_two(p.q)) throw InputError(fmt::format("q={} is not a power of two", p.q));
  p.validate();
  const int bits = bits_of(p.q);
  if (p.n * bits + 1 > max_features)
    throw InputError(fmt::format("n={} numbers of {} bits and the switch are more than {} features", p.n,
                                 bits, max_features));
  return rounding_problem(options, lwe::draw_secret(p, options.seed));
}

RoundingProblem rounding_problem(const RoundingOptions& options, std::vector<Residue> secret) {
  const lwe::ProblemParameters& p = options.problem;
  const int bits = bits_of(p.q);
  RoundingProblem out;
  out.parameters = p;
  out.base = options.base;
  out.secret = std::move(secret);
  if (std::ranges::all_of(out.secret, [](Residue w) { return w == 0; }))
    throw InputError("the secret of this seed is all zeros, and the layer would be 0; take another seed");

  out.gadget.d = p.n * bits + 1;
  out.gadget.switch_coordinate = out.gadget.d - 1;
  out.gadget.base = out.base;
  for (const Residue w : out.secret)
    for (int e = 0; e < bits; ++e) out.gadget.s.push_back((std::int64_t{w} << e) % p.q);
  out.gadget.s.push_back(0);
  if (out.length() > max_length)
    throw InputError(fmt::format("h runs to H={}, more than {}: take a smaller n or q, or a smaller secret",
                                 out.length(), max_length));
  return out;
}

lwe::ModulusRows rounding_modulus_rows() {
  return {.defaults = RoundingOptions().problem,
          .max_n = max_features - 1,
          .min_q = 4,
          .max_q = 4096,
          .n_meaning = "length of the secret; d = n log2(q) + 1",
          .q_meaning = "modulus, a power of two"};
}

OptionTable<RoundingOptions> rounding_rows(const RoundingOptions& defaults) {
  return OptionTable<RoundingOptions>(defaults)
      .part(&RoundingOptions::problem, lwe::rounding_table(rounding_modulus_rows()))
      .append(secret_and_base_rows(defaults.base));
}

OptionTable<RoundingOptions> secret_and_base_rows(std::int64_t default_base) {
  return OptionTable<RoundingOptions>({.base = default_base})
      .part(&RoundingOptions::problem, lwe::secret_table(max_features - 1))
      .integer("base", &RoundingOptions::base, 2, 1 << 20, "B: Theta_i are integer multiples of (ln B)/2");
}

SamplesBehindSwitch samples_of(const Spec& layer, lwe::ProblemKind kind) {
  const auto rows = lwe::recipe_table(kind).rows();
  Spec plain{layer.name, {}};
  for (const auto& value : layer.values)
    if (std::ranges::find(rows, value.first, &Parameter::name) != rows.end()) plain.values.push_back(value);
  SamplesBehindSwitch out{.problem = lwe::Recipe::parse(plain).parameters};
  out.levels = kind == lwe::ProblemKind::lwr ? out.problem.p : out.problem.q;
  return out;
}

OptionTable<RoundingOptions> rounding_seed(const std::string& meaning) {
  return OptionTable<RoundingOptions>().integer("seed", &RoundingOptions::seed, 0, seed_end, meaning);
}

SwitchGadget exact_rounding(const RoundingProblem& problem) {
  SwitchGadget out = problem.gadget;
  const std::vector<std::int64_t> labels = problem.labels();
  out.steps.values.assign(labels.begin(), labels.end());
  return out;
}

SwitchGadget staircase_rounding(const RoundingProblem& problem) {
  SwitchGadget out = problem.gadget;
  const std::vector<std::int64_t> g = problem.labels();
  const auto step = [&](std::size_t h, std::int64_t weight) {  // between h - 1 and h
    out.steps.twice_steps.push_back(2 * static_cast<int>(h) - 1);
    out.steps.weights.emplace_back(weight);
  };
  for (std::size_t h = 1; h < g.size(); ++h)
    if (g[h] != g[h - 1]) step(h, g[h - 1] - g[h]);
  if (g.back() != 0) step(g.size(), g.back());
  return out;
}

lwe::Samples rounding_samples(const lwe::ProblemParameters& parameters, const attention::Block& block) {
  const int bits = bits_of(parameters.q);
  const Index j0 = parameters.n * bits;
  lwe::Samples out;
  out.n = parameters.n;
  for (Index n = 0; n < block.count; ++n) {
    const auto differ = [&](Index f) { return block.token(0)(f, n) != block.token(1)(f, n); };
    if (!differ(j0)) continue;
    for (std::int64_t j = 0; j < out.n; ++j) {
      Residue a = 0;
      for (int e = 0; e < bits; ++e) a |= static_cast<Residue>(differ(j * bits + e) ? 1 : 0) << e;
      out.a.push_back(a);
    }
    out.b.push_back(static_cast<Residue>(std::llround(-block.label(0)(0, n) / (2 * block.token(0)(j0, n)))));
  }
  return out;
}

std::int64_t gadget_length(const std::vector<Residue>& secret, std::int64_t q) {
  std::int64_t out = 0;
  for (const Residue w : secret) out += gadget_sum(w, q);
  return out;
}

std::int64_t largest_length(const lwe::ProblemParameters& p) {
  std::int64_t largest = 0;
  for (const Residue w : p.alphabet()) largest = std::max(largest, gadget_sum(w, p.q));
  return largest * (p.secret == lwe::SecretKind::fixed_weight ? p.weight : p.n);
}

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
