#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/flags.h"
#include "base/text/spec.h"
#include "study/problem/problem.h"
#include "study/run/run.h"
#include "study/sweep/journal.h"

namespace hardhead::app {

/// What the commands that run learners can be told.
struct LearningOptions {
  std::vector<learner::Learner> methods;  ///< bound to their options
  learner::Task task;                     ///< what the learner is told; its seed is the common one
  double holdout = 0.1;                   ///< fraction of a data file that is held back for the test
  std::optional<std::string> truth{};     ///< a layer file to compare with, for data files
  double recovery = 1e-10;                ///< test error up to which a layer counts as recovered
  bool require_recovery = false;          ///< exit with 4 unless the layer is recovered

  /// For the first method given, or the default one.
  study::RunOptions run_options() const;
};

/// Of examples that are drawn from a layer file: what the file may not say.
struct LayerExamples {
  std::optional<std::int64_t> tokens{};  ///< of an input
  std::optional<std::string> inputs{};   ///< their distribution

  /// The sources with this said of each file (study::file_named). Throws InputError if it is said and none of
  /// them is a file.
  std::vector<std::string> of(std::vector<std::string> sources) const;
};

/// --tokens, --inputs.
FlagTable<LayerExamples> layer_examples_flags();

/// Values of one parameter, each of which is set in every source: --against.
struct Axis {
  std::string name;                 ///< the parameter's
  std::vector<std::string> values;  ///< as they are written

  /// The source with the parameter at a value: of a spec, or k or inputs of a layer file. Throws InputError
  /// for a text that is neither.
  std::string at(const std::string& source, const std::string& value) const;
};

/// "m=2,3,4".
Reader<Axis> axis_values();
/// --against
inline const Flag against_flag = {"--against", "KEY=V,V,..",
                                  "set this parameter of each SPEC to one value after the other"};

/// The journal of a command: the file that is named, or else that of its folder; none without either.
std::optional<study::JournalFile> journal_of(const std::optional<std::string>& file,
                                             const std::optional<std::string>& folder);

/// A learner with its options.
Reader<learner::Learner> learner_spec();
/// A learner or an attack with its options, as --method takes it where either will do.
Reader<Spec> method_spec();

/// --heads, --examples.
FlagTable<learner::Task> told_flags();
/// --time-limit.
FlagTable<learner::Task> time_limit_flags();
/// --tolerance, --policy, --length, --budget.
FlagTable<study::ValueAccess> value_flags();
/// --method, --heads, --examples, --holdout, --truth, --recovery, --time-limit, --memory-limit,
/// --require-recovery. `learners` says which learners are run where --method is not given.
FlagTable<LearningOptions> learning_flags(std::string learners);

}  // namespace hardhead::app
