#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "attention/sample_source.h"
#include "base/run_control.h"
#include "hardness/instance.h"

namespace hardhead::study {

/// Which examples, and which truth, a problem is made of.
struct ProblemOptions {
  std::uint64_t seed = 1;              ///< of training and test examples of simulated instances
  double holdout = 0.1;                ///< of a data file: fraction of examples held back, in (0, 1)
  std::optional<std::string> truth{};  ///< for a data file: a layer file to compare with
  bool operator==(const ProblemOptions&) const = default;  ///< all fields
};

/// A learning problem with all that is needed to judge an answer. The learner is handed `training` only.
///
///     source                    training examples              test examples
///     instance                  as many as it asks for,        test_limit of Domain::test; all inputs, once
///                               of Domain::samples             each, where Boolean and k d <= 16
///     data file of N examples   all but the last               the first test_limit of those held back
///                               max(1, round(holdout N))
///
/// Streams of a simulated instance are those of (seed, instance digest).
struct Problem {
  /// Test examples, at most.
  static constexpr std::int64_t test_limit = 16384;

  std::string source;                                     ///< as it was named
  std::string spec;                                       ///< canonical; empty for files without one
  std::string digest;                                     ///< of the instance, or of a data file's content
  attention::Index d = 0, k = 0;                          ///< features, tokens
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  std::optional<double> holdout;                          ///< of a data file

  std::shared_ptr<const attention::SampleSource> training, test;  ///< the learner's examples, the judge's
  std::int64_t test_count = 0;                                    ///< test examples used

  std::optional<hardness::Instance> instance;  ///< what lies behind a simulated source
  std::optional<attention::Layer> truth;       ///< where it is known
  double null_error = 1;                       ///< of the null predictor, relative
  std::string null_description;                ///< what the null predictor is

  /// True heads, where the truth is known.
  std::optional<attention::Index> m() const { return truth ? std::optional(truth->m()) : std::nullopt; }
};

/// Throws InputError: whatever open_source() refuses; a holdout that leaves nothing to learn from; a truth
/// of another d, or one for a source that brings its own.
///
/// A pass over all of a large file can be stopped by `control` (Stopped).
Problem open_problem(const std::string& source, const ProblemOptions& options,
                     const RunControl& control = {});

/// The same for examples that the caller has, as of a data file; `source` is what messages call them.
Problem problem_of_examples(const std::string& source,
                            const std::shared_ptr<const attention::SampleSource>& examples,
                            const ProblemOptions& options, const RunControl& control = {});

}  // namespace hardhead::study
