#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"
#include "base/statistics/binomial_interval.h"
#include "hardness/families/instance.h"
#include "study/run/run.h"

namespace hardhead::experiments {

/// An instance's examples with labels that carry no information on what is hidden. Example n keeps its
/// tokens, and its label is that of other tokens, which are drawn anew but for the last (switch) coordinate
/// of both. Given the switch coordinate the label is distributed as a true one and independent of everything
/// else: for `lwr` with an odd entry in w it is uniform on the p levels.
class UnrelatedLabels final : public attention::SampleSource {
 public:
  /// Tokens of example n from item n of `tokens`, those that the label is of from item n of `labels`.
  UnrelatedLabels(const hardness::Instance& instance, Stream tokens, Stream labels);
  attention::Index d() const override { return own_.d(); }
  attention::Index k() const override { return own_.k(); }
  attention::Inputs inputs() const override { return own_.inputs(); }
  std::int64_t size() const override { return unlimited; }
  void read(std::int64_t first, attention::Block& block) const override;

 private:
  attention::SimulatedSource own_, other_;
  std::shared_ptr<const attention::Teacher> teacher_;
};

/// The reduction from distinguishing to learning, as a program: a learner of a hard family tells its labels
/// from unrelated ones. In trial t, on the instance of seed + t, a coin decides between true and unrelated
/// labels. The distinguisher sees examples and says which.
///
///     a learner   says "true" if its test error, on fresh examples with labels of the same kind, is below
///                 (1 - threshold) times the least error that unrelated labels of the same law allow
///                 (hardness::NullPredictor::unrelated_error; the null predictor may not know their mean)
///     an attack   says "true" if it finds a secret that verifies (labels of LWR only)
///
/// advantage = 2 P(right) - 1, with the exact (Clopper-Pearson) 95% interval of P(right).
struct DistinguishOptions {
  Spec method{"sculpt", {}};              ///< a learner, an attack of lwe/, or `auto`
  std::optional<learner::Learner> own{};  ///< in its place: a learner that no name stands for
  study::RunOptions run{};     ///< its examples, heads and time limit a trial; its method is not used
  std::int64_t trials = 20;    ///< at least 1
  std::uint64_t seed = 1;      ///< of the first instance, of examples and coins
  double threshold = 0.05;     ///< in (0, 1)
  std::int64_t samples = 400;  ///< examples for an attack; half have the switch on
};

/// What was said in all trials.
struct DistinguishResult {
  std::string method;                       ///< the learner or attack
  std::int64_t trials = 0, right = 0;       ///< trials, and right answers among them
  std::int64_t true_trials = 0;             ///< trials with true labels
  std::int64_t said_true_of_true = 0;       ///< answers "true" in those
  std::int64_t said_true_of_unrelated = 0;  ///< answers "true" in the others
  std::int64_t refused = 0;                 ///< trials on which no attack was begun, which is no answer of it
  std::string refusal;                      ///< why, on the first of them
  double advantage = 0;                     ///< 2 right / trials - 1
  statistics::Interval interval;            ///< of the advantage
  /// A learner's test error over the least that unrelated labels allow, trial by trial.
  std::vector<double> true_errors;
  std::vector<double> unrelated_errors;  ///< errors on unrelated labels
  double seconds = 0;                    ///< all trials
};

/// As `lwe distinguish --json` has it, and Python's DistinguishResult.
template <class Visit>
void describe(Visit& visit, const DistinguishResult*) {
  using R = DistinguishResult;
  visit("method", &R::method);
  visit("advantage", &R::advantage);
  visit("interval", &R::interval);
  visit("trials", &R::trials);
  visit("right", &R::right);
  visit("true_trials", &R::true_trials);
  visit("said_true_of_true", &R::said_true_of_true);
  visit("said_true_of_unrelated", &R::said_true_of_unrelated);
  visit("refused", &R::refused);
  visit.if_any("refusal", &R::refusal);
  visit("relative_errors_true", &R::true_errors);
  visit("relative_errors_unrelated", &R::unrelated_errors);
  visit("seconds", &R::seconds);
}

/// Throws InputError for a spec whose family hides nothing behind a switch (hardness::Hidden), an unknown
/// method, a learner by values, an attack with options or a number of heads, and options out of range;
/// Stopped.
DistinguishResult distinguish(const Spec& spec, const DistinguishOptions& options, const RunContext& context);

}  // namespace hardhead::experiments
