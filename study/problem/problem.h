#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "hardness/families/instance.h"
#include "study/problem/null_predictor.h"
#include "study/problem/source.h"

namespace hardhead::study {

/// Which examples, and which truth, a problem is made of.
struct ProblemOptions {
  std::uint64_t seed = 1;              ///< of training and test examples of simulated instances
  double holdout = 0.1;                ///< of a data file: fraction of examples held back, in (0, 1)
  std::optional<std::string> truth{};  ///< for a data file: a layer file to compare with
  bool operator==(const ProblemOptions&) const = default;  ///< all fields
};

/// What a report says of a problem.
struct ProblemSummary {
  std::string source{};                                   ///< as it was named
  std::string spec{};                                     ///< canonical; empty for files without one
  std::string digest{};                                   ///< of the instance, or of a data file's content
  attention::Index d = 0, k = 0;                          ///< features, tokens
  std::optional<attention::Index> m{};                    ///< true heads, where the truth is known
  attention::Inputs inputs = attention::Inputs::boolean;  ///< distribution of X
  double null_error = 1;                                  ///< of the null predictor, relative
  double ceiling_error = 0;                               ///< hardness::Instance::ceiling_error
  std::string null_description{};                         ///< what the null predictor is
  std::int64_t test_count = 0;                            ///< test examples used
  std::optional<double> holdout{};                        ///< of a data file

  /// Whether the test examples are all inputs, once each: of an instance with few enough of them.
  bool tested_on_all_inputs() const {
    return !spec.empty() && inputs == attention::Inputs::boolean && k * d < 63 &&
           test_count == std::int64_t{1} << (k * d);
  }
  /// 1 - (test error - ceiling error) / (null error - ceiling error): 0 at the null error, 1 for what
  /// regression on the training labels tends to. Noise without mean 0 makes the ceiling's error larger than
  /// 0; who knows its law and what is hidden can then have more than 1.
  double advantage(double test_error) const {
    return 1 - (test_error - ceiling_error) / (null_error - ceiling_error);
  }
  /// The test error that has this advantage.
  double error_at(double advantage) const { return null_error - advantage * (null_error - ceiling_error); }
};

/// A learning problem with all that is needed to judge an answer. The learner is handed `training` only.
///
///     source                    training examples              test examples
///     instance                  as many as it asks for,        test_examples() of Domain::test; all inputs,
///                               of Domain::samples             once each, where Boolean and k d <= 16
///     data file of N examples   all but the last               the first test_limit of those held back
///                               max(1, round(holdout N))
///
/// Streams of a simulated instance are those of (seed, instance digest).
struct Problem : ProblemSummary {
  /// Test examples used at most.
  static constexpr std::int64_t test_limit = 16384;
  /// Test examples of an instance with a large layer, at least: a forward pass over all of them is to take at
  /// most test_operations (learner/cost.h), about ten seconds of a core.
  static constexpr std::int64_t least_test_examples = 4096;
  static constexpr double test_operations = 1e11;  ///< see least_test_examples

  std::shared_ptr<const attention::SampleSource> training, test;  ///< the learner's examples, the judge's
  /// The learner's examples for the judge: of an instance, labels without noise.
  std::shared_ptr<const attention::SampleSource> clean_training;
  bool test_is_exhaustive = false;                     ///< the test examples are all inputs, once each
  std::optional<AffinePredictor> null_affine;          ///< the null predictor, where it is an affine one
  std::shared_ptr<const hardness::Instance> instance;  ///< what lies behind a simulated source; else null
  std::shared_ptr<const attention::Layer> truth;       ///< null where it is unknown
};

/// Throws InputError: whatever Source::resolve() refuses; a holdout that leaves nothing to learn from; a
/// truth of another d, or one for a source that brings its own; examples of the caller that have no end;
/// labels, or weights w of a layer, whose squares are no doubles.
///
/// A pass over all of a large file can be stopped by `context` (Stopped).
Problem open_problem(const Source& source, const ProblemOptions& options, const RunContext& context = {});

/// How many test examples an instance of this shape gets:
///
///     test_limit, or test_operations / pass_operations(d, k, m) where that is less, but at least
///     least_test_examples.
///
/// The 95% interval of an advantage is then up to twice as long. Of layers with d >= 256, whose examples have
/// many numbers, it is within 0.01 of its middle (tests/study/problem/problem_test.cc).
std::int64_t test_examples(attention::Index d, attention::Index k, attention::Index m);

/// How many examples an affine null predictor of the 1 + 2 d features of a row is fitted on: as for
/// test_examples(), with k (1 + 2 d)^2 operations an example.
std::int64_t null_fit_examples(attention::Index d, attention::Index k);

/// Gives a problem that was made of examples a layer to compare with. Throws InputError for a problem that
/// brings its own, and for another d.
void set_truth(Problem& problem, attention::Layer truth);

}  // namespace hardhead::study
