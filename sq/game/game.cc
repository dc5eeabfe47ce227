#include "sq/game/game.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/text/parameters.h"
#include "sq/concepts/hoeffding.h"

namespace hardhead::sq {
namespace {

constexpr const char* adversarial = "adversarial";

using Kind = GameOptions::Oracle;

constexpr double confidence = 1 - 1e-9;

/// The examples for a half-width below tau: of one mean in [-1,1], or of two frequencies in [0,1] with half
/// of it and half the risk each, which is the same with `means` = 2.
std::int64_t examples_for(const Rational& tau, int means) {
  const double count =
      std::ceil(hoeffding_samples(2, tau.convert_to<double>(), (1 - confidence) / means) * (1 + 1e-6));
  constexpr double most = 1 << 24;
  if (!(count <= most))
    throw InputError(
        fmt::format("tolerance={} takes {:.3g} examples a query, more than 2^24", to_string(tau), count));
  return static_cast<std::int64_t>(count);
}

/// Whether the oracle answers from examples, honestly and without a fixed tolerance.
bool from_examples(Kind oracle) {
  return oracle == Kind::one_stat || oracle == Kind::honest;
}

void validate(const GameOptions& options) {
  if (options.d > max_bits)
    throw InputError(fmt::format("a game of parities: d={} is more than {}: 2^d points are enumerated",
                                 options.d, max_bits));
  ParityGoal{.d = static_cast<long>(options.d), .m = static_cast<long>(options.m)}.validate();
  static_cast<void>(Stat(options.tolerance));  // refuses what is no tolerance
  find_name("policy", options.policy, answer_policies());
  if (from_examples(options.oracle) && options.policy != "honest")
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
  if (from_examples(options.oracle)) {
    game.theorem = "answers from examples have no fixed tolerance, which the theorems are about";
  } else if (options.oracle == Kind::vstat) {
    game.bound_queries = parity_query_bound_vstat(goal, 1 / (tau * tau));
    game.theorem = "2/(3t) (C(d-1,m) - 1) queries of VSTAT(t): sq/dimension/parity_bound.h";
  } else if (tau > Rational(1, 2)) {
    game.theorem = "unwinnable: for tau > 1/2 the adversary never has to give in";
  } else {
    game.bound_queries = parity_query_bound(goal, tau);
    game.theorem = "4 tau^2 (C(d-1,m) - 1) queries of STAT(tau): sq/dimension/parity_bound.h";
  }
}

/// The game under way: who asks, who answers, and what comes of it.
struct Table {
  const GameOptions& options;
  const Parities& members;
  Concept hidden;  // where answers come from examples
  Answerer& answerer;
  const StopToken& stop;

  ParitySearch search{};
  Game game{};

  void learn(Correlations&& correlations) {
    game.width = correlations.width();
    switch (options.learner) {
      case GameOptions::Learner::correlation:
        search = correlation_search(correlations, members, stop);
        return;
      case GameOptions::Learner::combination:
        search = combination_search(correlations, members, stop);
        return;
    }
  }

  void count(const Transcript& transcript) {
    game.queries_used = transcript.queries();
    game.answers_checked = transcript.queries();
    game.violations = transcript.violations();
    game.gave_in = transcript.gave_in();
  }
};

void play_on(Table& table) {
  const GameOptions& options = table.options;
  switch (options.oracle) {
    case Kind::stat:
    case Kind::correlational: {  // these learners ask for correlations alone
      StatOracle oracle(Stat(options.tolerance), table.answerer);
      table.learn(FromStat(oracle));
      return table.count(oracle.transcript());
    }
    case Kind::vstat: {
      VstatOracle oracle(Vstat(1 / (options.tolerance * options.tolerance)), table.answerer);
      table.learn(FromVstat(oracle));
      return table.count(oracle.transcript());
    }
    case Kind::honest: {
      const std::int64_t examples = examples_for(options.tolerance, 1);
      HonestOracle oracle(table.hidden, table.members.bits(), examples, confidence, options.seed);
      table.learn(FromStat(oracle));
      table.count(oracle.transcript());
      table.game.examples = examples * table.game.queries_used;
      return;
    }
    case Kind::one_stat: {
      OneStatOracle oracle(table.hidden, table.members.bits(), options.seed);
      table.learn(FromOneStat(oracle, examples_for(options.tolerance, 2), confidence));
      // Each answer is a bit: there is no tolerance to check.
      table.game.queries_used = oracle.examples();
      table.game.examples = oracle.examples();
      return;
    }
  }
}

}  // namespace

std::vector<std::string> answer_policies() {
  std::vector<std::string> out;
  for (const Policy& policy : policies()) out.push_back(policy.name);
  out.emplace_back(adversarial);
  return out;
}

Game play(const GameOptions& options, const StopToken& stop) {
  validate(options);
  const Parities members = Parities::behind_switch(static_cast<int>(options.d), static_cast<int>(options.m));
  const auto target = static_cast<std::int64_t>(
      Stream(Domain::instance, options.seed, "sq game").below(0, static_cast<std::uint64_t>(members.size())));
  const std::unique_ptr<Answerer> answerer = answerer_of(options, members, target);
  Table table{options, members, members.member(target), *answerer, stop};
  table.game.members_total = members.size();
  set_bound(options, table.game);
  play_on(table);

  Game game = std::move(table.game);
  game.left_after = std::move(table.search.left_after);
  game.asked = std::move(table.search.asked);
  game.members_left = game.left_after.empty() ? game.members_total : game.left_after.back();
  if (const auto found = table.search.found)
    game.learner_won = options.policy == adversarial
                           ? dynamic_cast<const Adversary&>(*answerer).left() == std::vector{*found}
                           : *found == target;
  return game;
}

}  // namespace hardhead::sq
