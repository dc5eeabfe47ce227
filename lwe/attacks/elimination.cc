#include <algorithm>

#include "lwe/attacks/machine_speeds.h"
#include "lwe/attacks/registered_attacks.h"
#include "lwe/problem/echelon.h"
#include "lwe/problem/gf2.h"

namespace hardhead::lwe {
namespace {

/// Rows beyond n: n + 64 uniform ones mod a prime lack full rank with probability below 2^-64, and by more do
/// so mod 2.
constexpr std::int64_t surplus = 80;

Candidate eliminate_bits(const Samples& samples, std::int64_t count) {
  std::vector<Gf2Equation> equations;
  for (std::int64_t i = 0; i < count; ++i)
    equations.push_back(Gf2Equation::of(samples.row(i), samples.label(i) == 1));
  return only_gf2_solution(equations, samples.n);
}

Candidate eliminate(const Samples& samples, std::int64_t count, std::int64_t q, const StopToken& stop) {
  ModMatrix equations(count, samples.n + 1);
  for (std::int64_t i = 0; i < count; ++i) {
    std::ranges::copy(samples.row(i), equations.row(i));
    equations.row(i)[samples.n] = samples.label(i);
  }
  return solve_mod(std::move(equations), q, stop);
}

Candidate run_elimination(const Challenge& challenge, const RunContext& context, std::string& message) {
  context.stop.check();
  const Samples& samples = challenge.samples;
  const std::int64_t count = std::min(samples.count(), samples.n + surplus);
  const std::int64_t q = challenge.parameters.q;
  auto solution = q == 2 ? eliminate_bits(samples, count) : eliminate(samples, count, q, context.stop);
  if (!solution) message = "the samples contradict each other or leave the secret open";
  return solution;
}

Cost elimination_cost(const ProblemParameters& p, std::int64_t samples) {
  const bool noiseless = (p.problem == ProblemKind::lpn && p.rate == 0) ||
                         (p.problem == ProblemKind::lwe && p.sigma == 0 && p.noise == Noise::gaussian);
  if (!noiseless) return Cost::impossible("there is noise: equations are wrong");
  const auto n = static_cast<double>(p.n);
  const auto rows = static_cast<double>(std::min(samples, p.n + surplus));
  return {std::nullopt, machine.start + (p.q == 2 ? machine.bit_step : machine.field_step) * rows * n * n,
          8 * rows * n, n};
}

}  // namespace

Attack detail::elimination_attack() {
  return {"elimination", "linear algebra on samples without noise (GF(2): NTL)", "proved", elimination_cost,
          run_elimination};
}

}  // namespace hardhead::lwe
