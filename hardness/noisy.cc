#include <cmath>

#include "hardness/registered_families.h"
#include "hardness/rounding_layer.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

/// Labels -2 x_{r,j0} g with g in 0 .. q-1 become those of (g + e) mod q where the switch is on, one e an example.
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

/// g(h) = h mod q, with noise on training labels.
Instance make(const Parameters& p, lwe::ProblemParameters noise) {
  const RoundingProblem problem = rounding_problem(p, p.integer("q"));
  noise.n = problem.parameters.n;
  noise.q = problem.parameters.q;
  noise.secret = problem.parameters.secret;
  noise.weight = problem.parameters.weight;
  noise.validate();
  Instance out = exact_rounding_instance(problem, false);
  out.wrong_labels = std::make_shared<ResidueNoise>(noise);
  return out;
}

Family noisy_family() {
  Family f;
  f.hidden = "the secret w in Z_q^n";
  f.parameters = rounding_table(4);
  std::erase_if(f.parameters, [](const Parameter& row) { return row.name == "p"; });
  return f;
}

const Parameter seed =
    Parameter::integer("seed", 1, 0, 9e15, "which secret; plain samples of it have the same");

}  // namespace

Family detail::lwe_family() {
  Family f = noisy_family();
  f.name = "lwe";
  f.summary = "learning with errors as a noisy attention layer: labels <w, a> + e mod q, e discrete Gaussian";
  f.assumptions =
      "sum W_i = 0 exactly; noise on training labels only, a test error is an excess error; hard if LWE with these n, q, sigma "
      "is, which for small n it is not";
  f.parameters.push_back(
      Parameter::real("sigma", 1, 0.05, lwe::DiscreteGaussian::max_sigma, "standard deviation of the noise"));
  f.parameters.push_back(seed);
  f.make = [](const Parameters& p) {
    return make(p, {.problem = lwe::Problem::lwe, .sigma = p.real("sigma")});
  };
  f.presets = {{"lwe", "8 numbers mod 16 with noise of deviation 1"}};
  return f;
}

Family detail::lpn_family() {
  Family f = noisy_family();
  f.name = "lpn";
  f.summary = "learning parity with noise as an attention layer: labels <w, a> + e mod 2";
  f.assumptions =
      "sum W_i = 0 exactly; a label of a training example is wrong with probability rate, test labels are right; hard if LPN "
      "with these n and rate is";
  for (Parameter& row : f.parameters) {
    if (row.name == "n") row = Parameter::integer("n", 24, 1, 511, "length of the secret; d = n + 1");
    if (row.name == "q") row = Parameter::integer("q", 2, 2, 2, "modulus");
  }
  f.parameters.push_back(Parameter::real("rate", 0.125, 0, 0.499, "probability of a wrong label"));
  f.parameters.push_back(seed);
  f.make = [](const Parameters& p) {
    return make(p, {.problem = lwe::Problem::lpn, .rate = p.real("rate")});
  };
  f.presets = {{"lpn", "a parity of about 12 of 24 bits, an eighth of the labels wrong"}};
  return f;
}

}  // namespace hardhead::hardness
