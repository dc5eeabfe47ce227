#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/run_control.h"
#include "base/spec.h"
#include "learner/report.h"
#include "study/match.h"
#include "study/problem.h"

namespace hardhead::study {

/// A learner, what it is told, and what it may spend.
struct RunOptions {
  Spec method{"sculpt", {}};                   ///< learner and its options
  std::optional<attention::Index> heads{};     ///< m, where the learner is told
  std::optional<std::int64_t> examples{};      ///< at most this many; else the learner's default
  std::uint64_t seed = 1;                      ///< of the learner
  double recovery = 1e-10;                     ///< test error up to which a layer counts as recovered
  std::optional<double> time_limit_seconds{};  ///< the run is stopped when they have passed
  std::optional<double> memory_limit_bytes{};  ///< a run predicted to need more is refused
};

/// What became of a run: `recovered` means a test error of at most RunOptions::recovery.
enum class Outcome { recovered, not_recovered, stopped };
/// "recovered", "not_recovered", "stopped".
std::string to_string(Outcome outcome);
/// The outcome of that name. Throws InputError.
Outcome parse_outcome(const std::string& text);

/// A run with its score: every field of `learn --json`.
struct RunResult {
  std::string source;                                     ///< as it was named
  std::string spec;                                       ///< canonical; empty for files without one
  std::string digest;                                     ///< of the instance, or of a data file's content
  attention::Index d = 0, k = 0;                          ///< features, tokens
  std::optional<attention::Index> m{};                    ///< true heads, where known
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X

  Spec method;                                     ///< as it was asked for
  Spec options;                                    ///< with every option
  std::optional<attention::Index> heads_told{};    ///< RunOptions::heads
  std::optional<std::int64_t> examples_allowed{};  ///< RunOptions::examples
  Outcome outcome = Outcome::not_recovered;        ///< by test error and `recovery`
  std::string failed_phase;                        ///< empty if none failed
  std::string message;                             ///< one sentence on how it ended
  std::string likely_cause;  ///< of a run that did not recover (likely_cause.h); empty if none stands out
  std::optional<attention::Index> heads_found{};  ///< of the layer handed back
  double test_error = 1;            ///< relative squared error on fresh examples; 1 without a layer
  double null_error = 1;            ///< of the null predictor
  double advantage = 0;             ///< 1 - test_error / null_error
  double recovery = 1e-10;          ///< RunOptions::recovery
  std::string null_description;     ///< what the null predictor is
  std::int64_t test_examples = 0;   ///< behind test_error
  std::optional<double> holdout{};  ///< of a data file
  std::optional<HeadMatch> parameter_error{};  ///< where the truth is known
  std::vector<learner::Phase> phases;          ///< in the order they ran
  std::int64_t examples_used = 0;              ///< distinct examples read
  double seconds = 0;                          ///< wall clock
  int threads = 1;                             ///< it may have used
  std::uint64_t seed = 1;                      ///< RunOptions::seed
  std::string version;                         ///< of the program that ran it

  std::optional<attention::Layer> layer{};  ///< what was learnt
};

/// Runs a learner on problem.training and scores what it hands back on problem.test. A learner that ends
/// without a layer is scored by its predictions, or else as predicting zero, and the message says so. The outcome is `stopped` if the
/// time limit ran out or `control` was stopped, whatever the score.
///
/// Throws InputError (unknown method or option, too few examples for the counting bound, k = 1) and
/// BudgetError before the run starts; never for what happens in it.
RunResult run(const Problem& problem, const RunOptions& options, const RunControl& control);

/// What stands for a run that run() refused with a BudgetError, `why`: stopped, scored as predicting zero.
RunResult refused_run(const Problem& problem, const RunOptions& options, const std::string& why);

/// Checks the method's name and options alone; returns it with every option. Throws InputError.
Spec check_method(const Spec& method);

/// This library's version, "major.minor.patch".
std::string version();

}  // namespace hardhead::study
