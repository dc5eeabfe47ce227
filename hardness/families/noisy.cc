#include <cmath>

#include "hardness/families/registered_families.h"
#include "hardness/families/rounding_layer.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

/// Labels -2 x_{r,j0} g with g in 0 .. q-1 become those of (g + e) mod q where the switch is on, one e an
/// example.
class ResidueNoise final : public attention::LabelNoise {
 public:
  explicit ResidueNoise(const lwe::ProblemParameters& parameters) : q_(parameters.q), law_(parameters) {}

  void apply(std::int64_t first, const Stream& noise, Block& block) const override {
    const Index j0 = block.d() - 1;
    for (Index n = 0; n < block.count; ++n) {
      const double x = block.token(0)(j0, n);
      if (x == block.token(1)(j0, n)) continue;
      const auto g = std::llround(-block.label(0)(0, n) / (2 * x));
      const std::int64_t e = law_.value(noise.bits(static_cast<std::uint64_t>(first + n), 0)[0]);
      const auto noisy = static_cast<double>(((g + e) % q_ + q_) % q_);
      block.y(0, block.column(0, n)) = -2 * x * noisy + 0.0;  // no -0
      block.y(0, block.column(1, n)) = 2 * x * noisy + 0.0;
    }
  }

 private:
  std::int64_t q_;
  lwe::ErrorLaw law_;
};

/// g(h) = h mod q.
RoundingProblem without_noise(const RoundingOptions& options) {
  RoundingOptions exact = options;
  exact.problem = {.problem = lwe::ProblemKind::lwr,
                   .n = options.problem.n,
                   .q = options.problem.q,
                   .secret = options.problem.secret,
                   .weight = options.problem.weight,
                   .p = options.problem.q};
  RoundingProblem problem = rounding_problem(exact);
  options.problem.validate();
  return problem;
}

InstanceShape shape_of(const RoundingOptions& options) {
  return exact_rounding_shape(without_noise(options), false);
}

/// E (f(g) - g)^2 / E g^2 with f(g) = E[(g + e) mod q], g uniform on the multiples of gcd(w, q). With r = e
/// mod q, f(g) = g + E r - q P(r >= q - g).
Rational error_of_mean_labels(const RoundingProblem& problem, const lwe::ProblemParameters& noisy) {
  const std::int64_t q = problem.parameters.q, step = problem.step();
  const std::vector<Rational> law = lwe::ErrorLaw(noisy).residues(q);
  Rational mean = 0;
  for (std::int64_t r = 0; r < q; ++r) mean += r * law[static_cast<std::size_t>(r)];
  Rational wraps = 0, errors = 0;
  Integer squares = 0;
  for (std::int64_t g = 0; g < q; ++g) {
    if (g > 0) wraps += law[static_cast<std::size_t>(q - g)];
    if (g % step != 0) continue;
    errors += (mean - q * wraps) * (mean - q * wraps);
    squares += g * g;
  }
  return errors / squares;
}

/// The noise of `options.problem` is on training labels.
Instance make(const RoundingOptions& options) {
  const RoundingProblem exact = without_noise(options);
  Instance out = exact_rounding_instance(exact, false);
  out.wrong_labels = std::make_shared<ResidueNoise>(options.problem);
  const Rational ceiling = error_of_mean_labels(exact, options.problem);
  if (ceiling < *out.null.exact_error) out.ceiling_error = ceiling;
  return out;
}

/// n, q, secret, weight, base, then `noise`, then the seed.
OptionTable<RoundingOptions> table(const lwe::ModulusRows& rows,
                                   const OptionTable<lwe::ProblemParameters>& noise) {
  return OptionTable<RoundingOptions>({.problem = rows.defaults})
      .part(&RoundingOptions::problem, lwe::modulus_table(rows))
      .append(secret_and_base_rows(RoundingOptions().base))
      .part(&RoundingOptions::problem, noise)
      .append(rounding_seed("which secret; plain samples of it have the same"));
}

OptionTable<RoundingOptions> lwe_table() {
  lwe::ModulusRows rows = rounding_modulus_rows();
  rows.defaults = {.problem = lwe::ProblemKind::lwe, .n = 8, .q = 16, .sigma = 1};
  return table(rows, OptionTable<lwe::ProblemParameters>(rows.defaults)
                         .real("sigma", &lwe::ProblemParameters::sigma, lwe::DiscreteGaussian::min_sigma,
                               lwe::DiscreteGaussian::max_sigma, "standard deviation of the noise"));
}

OptionTable<RoundingOptions> lpn_table() {
  lwe::ModulusRows rows = rounding_modulus_rows();
  rows.defaults = {.problem = lwe::ProblemKind::lpn, .n = 24, .q = 2, .rate = 0.125};
  rows.min_q = 2;
  rows.max_q = 2;
  rows.n_meaning = "length of the secret; d = n + 1";
  rows.q_meaning = "modulus";
  return table(rows,
               OptionTable<lwe::ProblemParameters>(rows.defaults)
                   .real("rate", &lwe::ProblemParameters::rate, 0, 0.499, "probability of a wrong label"));
}

attention::Layer layer_of_parity(const Spec& spec, const std::vector<Index>& hidden) {
  RoundingOptions options = lpn_table().read(spec);
  options.problem = without_noise(options).parameters;
  return exact_rounding_instance(
             rounding_problem(options, std::vector<lwe::Residue>(hidden.begin(), hidden.end())), false)
      .layer;
}

/// The secret whose entries are 1 at these features and 0 elsewhere.
std::vector<Index> secret_of_ones(const Spec& spec, const std::vector<Index>& ones) {
  std::vector<Index> out(static_cast<std::size_t>(lpn_table().read(spec).problem.n));
  for (const Index j : ones) out.at(static_cast<std::size_t>(j)) = 1;
  return out;
}

}  // namespace

Family detail::lwe_family() {
  Family out = make_family(
      {.name = "lwe",
       .summary =
           "learning with errors as a noisy attention layer: labels <w, a> + e mod q, e discrete Gaussian",
       .hidden = "the secret w in Z_q^n",
       .assumptions =
           "sum W_i = 0 exactly; noise on training labels only; its mean mod q is not 0, so that regression "
           "ends at an error above 0, from which advantages are measured; hard if LWE with these n, q, sigma "
           "is, which for small n it is not",
       .presets = {{"lwe", "8 numbers mod 16 with noise of deviation 1"}}},
      lwe_table(), shape_of, make);
  out.samples = [](const Spec& spec) { return samples_of(spec, lwe::ProblemKind::lwe); };
  return out;
}

Family detail::lpn_family() {
  Family out = make_family(
      {.name = "lpn",
       .summary = "learning parity with noise as an attention layer: labels <w, a> + e mod 2",
       .hidden = "the secret w in Z_q^n",
       .assumptions = "sum W_i = 0 exactly; a label of a training example is wrong with "
                      "probability rate, test labels are right, and regression ends at an error of 2 rate^2, "
                      "from which advantages are measured; hard if LPN with these n and rate is",
       .presets = {{"lpn", "a parity of about 12 of 24 bits, an eighth of the labels wrong"}}},
      lpn_table(), shape_of, make);
  out.layer_of = layer_of_parity;
  out.hidden_behind_product = secret_of_ones;
  out.samples = [](const Spec& spec) { return samples_of(spec, lwe::ProblemKind::lpn); };
  return out;
}

}  // namespace hardhead::hardness
