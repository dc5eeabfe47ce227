#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/spec.h"
#include "sq/game.h"
#include "study/compare.h"

namespace hardhead::app {

/// Everything a command line can say. Each command reads the part it has flags for.
struct Settings {
  std::string source;                ///< the SPEC, SOURCE, name or file a command is about
  std::vector<std::string> sources;  ///< instead of it, of a command that takes several

  bool json = false, quiet = false;
  std::uint64_t seed = 1;
  int threads = 1;

  std::vector<Spec> methods;
  std::vector<std::pair<std::string, std::string>>
      phases;  ///< name, route: options of methods that have them
  std::optional<attention::Index> heads;
  std::optional<std::int64_t> examples;
  double holdout = 0.1;
  std::optional<std::string> truth;
  double recovery = 1e-10;
  std::optional<double> time_limit_seconds, memory_limit_bytes;
  bool require_recovery = false;

  std::string output;                  ///< empty: none
  std::int64_t count = 0;              ///< sample: how many examples
  bool anonymous = false;              ///< sample: without spec and digests
  std::int64_t seeds = 1;              ///< compare, certify: how many
  int jobs = 1;                        ///< compare, sweep: runs at the same time
  bool quick = false;                  ///< reproduce: the quick setting
  bool markdown = false;               ///< man: Markdown instead of roff
  std::optional<std::string> journal;  ///< compare: a file of runs done
  std::vector<std::string> measures;   ///< compare: PHASE.NAME, columns beyond the usual

  std::int64_t trials = 20;                ///< lwe distinguish
  std::optional<attention::Index> tokens;  ///< certify
  std::vector<std::string> constants;      ///< certify: NAME=VALUE

  sq::GameOptions game;                 ///< sq play; its tolerance is that of sq dimension and bound too
  std::optional<std::string> policy;    ///< sq play
  std::string definition = "pairwise";  ///< sq dimension
  std::optional<Rational> gamma;        ///< sq dimension, bound: of the average-correlation definition
  Rational alpha = 1, delta = 1;        ///< sq bound: the goal

  study::ProblemOptions problem_options() const;
  /// For the method given, or the default one.
  study::RunOptions run_options() const;
  /// The methods given, or the fallback, with the phases as options. Throws InputError for a phase that no
  /// method has, or that a method was given already.
  std::vector<Spec> chosen_methods(const std::vector<Spec>& fallback) const;
};

}  // namespace hardhead::app
