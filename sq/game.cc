#include "sq/game.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/parameters.h"
#include "sq/hoeffding.h"

namespace hardhead::sq {
namespace {

constexpr const char* adversarial = "adversarial";

using Kind = GameOptions::Oracle;

constexpr double confidence = 1 - 1e-9;

/// The examples for a half-width below tau: of one mean in [-1,1], or of two frequencies in [0,1] with half of it and half
/// the risk each, which is the same with `means` = 2.
std::int64_t examples_for(const Rational& tau, int means) {
  const double count =
      std::ceil(hoeffding_samples(2, tau.convert_to<double>(), (1 - confidence) / means) * (1 + 1e-6));
  constexpr double most = 1 << 24;
  if (!(count <= most))
    throw InputError(
        fmt::format("tolerance={} takes {:.3g} examples a query, more than 2^24", to_string(tau), count));
  return static_cast<std::int64_t>(count);
}

void validate(const GameOptions& options) {
  ParityGoal{.d = static_cast<long>(options.d), .m = static_cast<long>(options.m)}.validate();
  check_bits("sq play", options.d);
  static_cast<void>(Stat(options.tolerance));  // refuses what is no tolerance
  const bool samples = options.oracle == Kind::one_stat || options.oracle == Kind::honest;
  find_name("policy", options.policy, answer_policies());
  if (samples && options.policy != "honest")
    throw InputError("oracles one-stat and honest answer from examples: their policy is honest");
}

std::unique_ptr<Answerer> answerer_of(const GameOptions& options, const Parities& members,
                                      std::int64_t target) {
  if (options.policy != adversarial)
    return std::make_unique<FixedTarget>(members.member(target), members.bits(), find_policy(options.policy),
                                         options.seed);
  return std::make_unique<Adversary>(members);
}

void set_bound(const GameOptions& options, Game& game) {
  const ParityGoal goal{.d = static_cast<long>(options.d), .m = static_cast<long>(options.m)};
  const Rational& tau = options.tolerance;
  if (options.oracle == Kind::one_stat || options.oracle == Kind::honest) {
    game.theorem = "answers from examples have no fixed tolerance, which the theorems are about";
  } else if (options.oracle == Kind::vstat) {
    game.bound_queries = parity_query_bound_vstat(goal, 1 / (tau * tau));
    game.theorem = "2/(3t) (C(d-1,m) - 1) queries of VSTAT(t): sq/parity_bound.h";
  } else if (tau > Rational(1, 2)) {
    game.theorem = "unwinnable: for tau > 1/2 the adversary never has to give in";
  } else {
    game.bound_queries = parity_query_bound(goal, tau);
    game.theorem = "4 tau^2 (C(d-1,m) - 1) queries of STAT(tau): sq/parity_bound.h";
  }
}

}  // namespace

std::vector<std::string> answer_policies() {
  std::vector<std::string> out;
  for (const Policy& policy : policies()) out.push_back(policy.name);
  out.emplace_back(adversarial);
  return out;
}

Game play(const GameOptions& options, const RunControl& control) {
  validate(options);
  const Parities members = Parities::behind_switch(static_cast<int>(options.d), static_cast<int>(options.m));
  const auto target = static_cast<std::int64_t>(
      Stream(Domain::instance, options.seed, "sq game").below(0, static_cast<std::uint64_t>(members.size())));
  const Concept hidden = members.member(target);
  const std::unique_ptr<Answerer> answerer = answerer_of(options, members, target);
  Game game;
  game.members_total = members.size();
  set_bound(options, game);

  ParitySearch search;
  const auto learn = [&](Correlations&& correlations) {
    search = options.learner == GameOptions::Learner::correlation
                 ? correlation_search(correlations, members, control)
                 : combination_search(correlations, members, control);
  };
  const auto count = [&](const Transcript& transcript) {
    game.queries_used = game.answers_checked = transcript.queries();
    game.violations = transcript.violations();
    game.gave_in = transcript.gave_in();
  };
  switch (options.oracle) {
    case Kind::stat: {
      StatOracle oracle(Stat(options.tolerance), *answerer);
      learn(FromStat(oracle));
      count(oracle.transcript());
      break;
    }
    case Kind::correlational: {
      CorrelationalOracle oracle(Stat(options.tolerance), *answerer);
      learn(FromCorrelational(oracle));
      count(oracle.transcript());
      break;
    }
    case Kind::vstat: {
      VstatOracle oracle(Vstat(1 / (options.tolerance * options.tolerance)), *answerer);
      learn(FromVstat(oracle));
      count(oracle.transcript());
      break;
    }
    case Kind::honest: {
      const std::int64_t examples = examples_for(options.tolerance, 1);
      HonestOracle oracle(hidden, members.bits(), examples, confidence, options.seed);
      learn(FromStat(oracle));
      count(oracle.transcript());
      game.examples = examples * game.queries_used;
      break;
    }
    case Kind::one_stat: {
      OneStatOracle oracle(hidden, members.bits(), options.seed);
      learn(FromOneStat(oracle, examples_for(options.tolerance, 2), confidence));
      game.queries_used = game.examples =
          oracle.examples();  // each answer is a bit: there is no tolerance to check
      break;
    }
  }
  game.left_after = std::move(search.left_after);
  game.members_left = game.left_after.empty() ? game.members_total : game.left_after.back();
  if (search.found)
    game.learner_won = options.policy == adversarial
                           ? dynamic_cast<const Adversary&>(*answerer).left() == std::vector{*search.found}
                           : *search.found == target;
  return game;
}

}  // namespace hardhead::sq
