#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/run/run_context.h"
#include "lwe/problem/challenge.h"
#include "lwe/problem/verification.h"

namespace hardhead::lwe {

/// What it is predicted to cost that an attack succeeds: a model, calibrated on one machine
/// (machine_speeds.h), monotone in n and in the noise.
struct Cost {
  std::optional<std::string> not_applicable;  ///< why the attack cannot work on these parameters
  double seconds = 0;                         ///< predicted
  double memory_bytes = 0;                    ///< largest arrays
  double samples = 0;                         ///< how many it needs
  double success = 1;                         ///< the probability that it then succeeds
  /// Why this program does not run the attack, which is known to work and to cost that: "blocks of 406 ..".
  std::optional<std::string> beyond{};
  std::int64_t block = 0;      ///< lattice attacks: the block size that should do, 2 for LLL; else 0
  std::int64_t dimension = 0;  ///< lattice attacks: of the lattice; else 0

  /// Whether there is a prediction: the attack applies and has a model, which one of the user's has not.
  bool is_predicted() const;
  /// log2 of elementary operations, 10^9 a second (MachineSpeeds::operations_a_second).
  double log2_operations() const;
  /// Why the attack should not be started with this many samples; empty if it may.
  std::string objection(std::int64_t at_hand) const;
  /// The cost of an attack that cannot work, and why.
  static Cost impossible(std::string reason) { return {std::move(reason), 0, 0, 0}; }
};

/// An attack: one file, and one line in registered_attacks.h; or a program of the user's
/// (outside/program_attack.h). Proved or heuristic, its answer is a candidate until verify() has believed it.
struct Attack {
  std::string name;       ///< as in `--method NAME`
  std::string summary;    ///< one line
  std::string guarantee;  ///< what is known of it
  /// The attack's own part of predicted_cost(), with this many samples at hand.
  std::function<Cost(const ProblemParameters&, std::int64_t samples)> cost;
  /// A candidate for the secret, or nothing; `message` gets one sentence on how it went. Polls the context.
  std::function<Candidate(const Challenge&, const RunContext&, std::string& message)> run;
};

/// What an attack is predicted to cost with this many samples at hand, and the verification of what it finds.
/// No attack needs fewer samples than samples_to_verify() (verification.h); with fewer at hand the cost is
/// that with as many, and objection() says so. As many are enough every other time.
Cost predicted_cost(const Attack& method, const ProblemParameters& parameters, std::int64_t samples);

/// All attacks of this program, in the order of registered_attacks.h.
std::span<const Attack> attacks();
/// One of them. Throws InputError with the nearest name.
const Attack& find_attack(const std::string& name);

/// How an attack ended. `refused`: it was not begun, by its cost model.
enum class AttackOutcome { solved, not_solved, stopped, refused };

constexpr auto enum_names(AttackOutcome) {
  using enum AttackOutcome;
  return std::to_array<EnumName<AttackOutcome>>(
      {{solved, "solved"}, {not_solved, "not_solved"}, {stopped, "stopped"}, {refused, "refused"}});
}

/// What became of one attack on one challenge.
struct AttackReport {
  std::string method;                                 ///< the attack's name
  AttackOutcome outcome = AttackOutcome::not_solved;  ///< how it ended
  std::vector<Residue> secret;                        ///< the witness; empty unless solved
  Verification verification;                          ///< of the candidate
  Cost predicted;                                     ///< before it began
  double seconds = 0;                                 ///< measured, wall clock
  std::string message;                                ///< one sentence on how it went

  /// Was a secret found that verifies?
  bool solved() const { return outcome == AttackOutcome::solved; }
};

/// Runs one attack within `seconds` and verifies what it finds. The outcome is `refused`, which is no
/// exception, if the attack does not apply, or is predicted to need more samples than there are or more
/// than 8 GB of memory. It is `stopped` if the time ran out or the run was stopped from outside; a caller
/// with more to do asks context.stop.check() which of the two it was. Of a challenge with several readings()
/// each is tried.
AttackReport attack(const Challenge& challenge, const Attack& method, double seconds,
                    const RunContext& context);

/// An attack and what it is predicted to cost.
struct CheapestAttack {
  const Attack* method = nullptr;  ///< which
  Cost cost;                       ///< its cost
};
/// The attack whose success is predicted to be cheapest with these samples, whether or not this program would
/// begin it: Cost::beyond and memory do not count. Empty where none applies.
std::optional<CheapestAttack> cheapest_attack(const ProblemParameters& parameters, std::int64_t samples);

/// Tries the attacks that apply in the order of predicted cost, `seconds` in all, until one solves it. One
/// report an attempt.
std::vector<AttackReport> attack_auto(const Challenge& challenge, double seconds, const RunContext& context);

}  // namespace hardhead::lwe
