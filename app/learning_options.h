#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/flags.h"
#include "base/text/spec.h"
#include "study/problem/problem.h"
#include "study/run/run.h"

namespace hardhead::app {

/// What the commands that run learners can be told.
struct LearningOptions {
  std::vector<Spec> methods;  ///< learners with their options
  std::vector<std::pair<std::string, std::string>>
      phases;                        ///< name, route: options of the methods that have them
  learner::Task task;                ///< what the learner is told; its seed is the common one
  double holdout = 0.1;              ///< fraction of a data file that is held back for the test
  std::optional<std::string> truth;  ///< a layer file to compare with, for data files
  double recovery = 1e-10;           ///< test error up to which a layer counts as recovered
  bool require_recovery = false;     ///< exit with 4 unless the layer is recovered

  /// Which examples, and which truth.
  study::ProblemOptions problem_options(std::uint64_t seed) const;
  /// For the first method given, or the default one.
  study::RunOptions run_options(std::uint64_t seed) const;
  /// The methods given, or the fallback, with the phases as options. Throws InputError for a phase that no
  /// method has, or that a method was given already.
  std::vector<Spec> chosen_methods(const std::vector<Spec>& fallback) const;
};

/// A learner or an attack with its options, as --method takes it.
Reader<Spec> method_spec();

/// --heads, --examples.
FlagTable<learner::Task> told_flags();
/// --time-limit.
FlagTable<learner::Task> time_limit_flags();
/// --memory-limit.
FlagTable<learner::Task> memory_limit_flags();
/// --tolerance, --policy, --length, --budget.
FlagTable<study::ValueAccess> value_flags();
/// --method, --phase, --heads, --examples, --holdout, --truth, --recovery, --time-limit, --memory-limit,
/// --require-recovery.
FlagTable<LearningOptions> learning_flags();

}  // namespace hardhead::app
