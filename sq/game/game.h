#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/run/stop_token.h"
#include "base/text/enum_names.h"
#include "sq/dimension/parity_bound.h"
#include "sq/game/parity_learners.h"

namespace hardhead::sq {

/// A game on the parities behind a switch (parities.h): a learner asks, an oracle of some kind and policy
/// answers, and the bound stands beside what was asked.
struct GameOptions {
  /// The kind of oracle (oracle.h).
  enum class Oracle { stat, vstat, one_stat, honest, correlational };
  /// Who asks (parity_learners.h).
  enum class Learner { correlation, combination };

  std::int64_t d = 12;           ///< 2 .. max_bits
  std::int64_t m = 3;            ///< 1 .. d - 1
  Oracle oracle = Oracle::stat;  ///< who answers
  /// One of answer_policies(). one_stat and honest are honest by nature, and only `honest` is accepted there.
  std::string policy = "adversarial";
  Learner learner = Learner::correlation;  ///< who asks
  /// tau in (0, 1]. vstat: t = 1/tau^2, whose answers near p = 1/2 are as coarse as those of STAT(tau/2) are
  /// on [0,1], that is of STAT(tau) on [-1,1]. one_stat and honest draw as many examples for a query as make
  /// this the half-width of an interval of confidence 1 - 1e-9.
  Rational tolerance = Rational(1, 10);
  std::uint64_t seed = 1;  ///< of the target (where there is one) and of random answers
};

constexpr auto enum_names(GameOptions::Oracle) {
  return std::to_array<EnumName<GameOptions::Oracle>>(
      {{GameOptions::Oracle::stat, "stat"},
       {GameOptions::Oracle::vstat, "vstat"},
       {GameOptions::Oracle::one_stat, "one-stat"},
       {GameOptions::Oracle::honest, "honest"},
       {GameOptions::Oracle::correlational, "correlational"}});
}
constexpr auto enum_names(GameOptions::Learner) {
  return std::to_array<EnumName<GameOptions::Learner>>({{GameOptions::Learner::correlation, "correlation"},
                                                        {GameOptions::Learner::combination, "combination"}});
}

/// The policies (policy.h), and `adversarial`: the adversary (answerer.h).
std::vector<std::string> answer_policies();

/// How a game went.
struct Game {
  std::int64_t queries_used = 0, members_total = 0;  ///< asked by the learner; C(d-1, m)
  std::int64_t members_left = 0;          ///< the learner's; against the adversary also the adversary's
  std::vector<std::int64_t> left_after;   ///< each query of the learner
  std::vector<AskedCorrelation> asked;    ///< queries and answers, one for each of these
  Rational width;                         ///< within which answers are of the correlations asked for
  std::optional<Rational> bound_queries;  ///< where a theorem covers the kind of oracle
  std::string theorem;                    ///< which, or why none
  bool learner_won = false;               ///< one member left, and the right one
  std::int64_t answers_checked = 0, violations = 0;  ///< of the contract, exactly
  std::int64_t gave_in = 0;   ///< answers for which the adversary had to leave the null mean
  std::int64_t examples = 0;  ///< drawn by the oracle, where it draws any
};

/// Throws InputError for options out of range, naming them. Stopped by `stop` (Stopped).
Game play(const GameOptions& options, const StopToken& stop = {});

}  // namespace hardhead::sq
