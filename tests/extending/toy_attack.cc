// An attack: secrets at random, each held against the samples. One file in lwe/, and the line x(toy) in
// lwe/attacks/registered_attacks.h.
#include <cmath>

#include "lwe/attacks/registered_attacks.h"

namespace hardhead::lwe {
namespace {

constexpr double most_secrets = 1024, guesses_a_secret = 20;

// From the samples and the parameters alone; what it hands back is a candidate, which attack() verifies.
std::optional<std::vector<Residue>> run(const Challenge& challenge, const RunContext& context,
                                        std::string& message) {
  const ProblemParameters& p = challenge.parameters;
  const std::vector<Residue> values = p.alphabet();
  const Stream stream(Domain::learner, 1, "toy");
  const auto guesses = static_cast<std::uint64_t>(guesses_a_secret * std::exp2(p.log2_secrets()));
  std::vector<Residue> guess(static_cast<std::size_t>(p.n));
  for (std::uint64_t item = 0; item < guesses * guess.size();) {
    context.stop.check();
    for (Residue& entry : guess) entry = values[stream.below(item++, values.size())];
    if (verify(p, challenge.samples, guess).verified()) return guess;
  }
  message = "no guess fits all samples";
  return std::nullopt;
}

Cost cost(const ProblemParameters& p, std::int64_t samples) {
  if (p.secret == SecretKind::fixed_weight) return Cost::impossible("its entries are drawn one by one");
  if (p.log2_secrets() > std::log2(most_secrets)) return Cost::impossible("there are more than 1024 secrets");
  return {
      .not_applicable = std::nullopt,
      .seconds = 1e-8 * guesses_a_secret * std::exp2(p.log2_secrets()) * static_cast<double>(samples * p.n),
      .memory_bytes = 0,
      .samples = p.log2_secrets()};
}

}  // namespace

Attack detail::toy_attack() {
  return {"toy", "secrets at random", "heuristic: a secret is missed with probability e^-20", cost, run};
}

}  // namespace hardhead::lwe
