#include "hardness/challenge/any_challenge.h"

#include <fmt/format.h>

#include "base/files/read_file.h"
#include "hardness/challenge/challenge_file.h"
#include "lwe/files/instance_file.h"
#include "lwe/problem/verification.h"

namespace hardhead::challenge {
namespace {

/// Samples have their schema in the first line or two, however the file is spaced.
bool holds_samples(const std::string& path) {
  constexpr std::size_t head = 400;
  return path.ends_with(".json") &&
         read_file(path).substr(0, head).find(R"("hardhead.lwe/1")") != std::string::npos;
}

std::string spec_of(const lwe::Challenge& challenge) {
  const lwe::ProblemParameters& p = challenge.parameters;
  std::string own;
  if (p.problem == lwe::ProblemKind::lwe) own = "," + lwe::noise_in_spec(p);
  if (p.problem == lwe::ProblemKind::lwr)
    own = fmt::format(
        ",p={}{}", p.p,
        p.rounding == lwe::Rounding::floor ? "" : fmt::format(",rounding={}", name_of(p.rounding)));
  if (p.problem == lwe::ProblemKind::lpn) own = fmt::format(",rate={}", p.rate);
  if (const std::string secret = lwe::secret_in_spec(p); !secret.empty()) own += "," + secret;
  return fmt::format("{}:n={},q={}{},samples={}", name_of(p.problem), p.n, p.q, own,
                     challenge.samples.count());
}

Verdict check_solution(const lwe::Challenge& challenge, const lwe::Solution& solution) {
  if (std::string objection = solution.objection(challenge); !objection.empty())
    return {false, std::move(objection)};
  const lwe::Verification found = lwe::verify(challenge, solution.secret);
  return {found.verified(), found.message};
}

}  // namespace

AnyChallenge AnyChallenge::open(const std::string& path) {
  if (path.ends_with(".safetensors")) return {read_layer_challenge(path), std::nullopt};
  return {std::nullopt, lwe::read_challenge(path)};
}

std::optional<AnyChallenge> AnyChallenge::open_if_one(const std::string& path) {
  const bool is_layer = path.ends_with(".safetensors") && holds_layer_challenge(path);
  return is_layer || holds_samples(path) ? std::optional(open(path)) : std::nullopt;
}

std::string AnyChallenge::spec() const {
  return layer ? layer->terms.spec.str() : spec_of(*samples);
}

std::int64_t AnyChallenge::examples() const {
  return layer ? layer->examples : samples->samples.count();
}

std::optional<double> AnyChallenge::log2_secrets() const {
  return layer ? layer->terms.log2_secrets() : samples->parameters.log2_secrets();
}

std::optional<lwe::CheapestAttack> AnyChallenge::best_attack() const {
  if (samples) return lwe::cheapest_attack(samples->parameters, samples->samples.count());
  if (!layer->terms.behind_switch) return std::nullopt;
  return lwe::cheapest_attack(layer->terms.behind_switch->problem,
                              static_cast<std::int64_t>(layer->g.size()));
}

Verdict AnyChallenge::check(const std::string& answer) const {
  return layer ? verify(*layer, read_answer(answer, *layer))
               : check_solution(*samples, lwe::read_solution(answer, samples->parameters.q));
}

}  // namespace hardhead::challenge
