#include "experiments/distinguish.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "hardness/families/family.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;

DistinguishResult play(const std::string& spec, const std::string& method, std::int64_t trials) {
  DistinguishOptions options;
  options.method = Spec::parse(method);
  options.run.task.examples = 1500;
  if (method.starts_with("gauss-newton")) options.run.task.heads = 4;  // attacks are not told
  options.trials = trials;
  return distinguish(Spec::parse(spec), options, {});
}

TEST(UnrelatedLabels, KeepTokensAndTheLawOfLabelsButKnowNothingOfTheRest) {
  const auto instance = hardness::make_instance(Spec::parse("lwr:n=3,q=16,p=2"));
  const Stream tokens(Domain::test, 1);
  const UnrelatedLabels unrelated(instance, tokens, Stream(Domain::test, 2));
  const attention::SimulatedSource source(instance.teacher, instance.layer.d, 2, instance.inputs, tokens);
  Block x(instance.layer.d, 2, 20'000), y = x;
  source.read(0, x);
  unrelated.read(0, y);
  EXPECT_EQ(x.x, y.x);
  const Index j0 = instance.layer.d - 1;
  int on = 0, ones = 0, equal = 0;
  for (Index n = 0; n < x.count; ++n) {
    const bool is_on = x.token(0)(j0, n) != x.token(1)(j0, n);
    EXPECT_EQ(y.label(0)(0, n) == 0 && y.label(1)(0, n) == 0, !is_on || y.label(0)(0, n) == 0);
    if (!is_on) continue;
    ++on;
    ones += y.label(0)(0, n) == -2 * y.token(0)(j0, n) ? 1 : 0;
    equal += x.label(0)(0, n) == y.label(0)(0, n) ? 1 : 0;
  }
  EXPECT_NEAR(ones, on / 2.0, 2.5 * std::sqrt(on));
  EXPECT_NEAR(equal, on / 2.0, 2.5 * std::sqrt(on));
}

TEST(Distinguish, AnAttackInTheLearnersPlaceIsAlwaysRight) {
  const DistinguishResult result = play("lwr:n=3,q=16,p=2", "exhaustive", 160);
  EXPECT_EQ(result.right, 160);
  EXPECT_EQ(result.advantage, 1);
  EXPECT_GT(result.interval.low, 0.95);
  EXPECT_GT(result.true_trials, 40);
  EXPECT_LT(result.true_trials, 120);
  EXPECT_EQ(play("lwr:n=3,q=16,p=2", "auto", 10).advantage, 1);
}

TEST(Distinguish, AnAttackThatIsNeverBegunIsSaidToBeRefused) {
  const DistinguishResult refused = play("lwr:n=3,q=16,p=2", "mitm", 6);
  EXPECT_EQ(refused.refused, 6);
  EXPECT_THAT(refused.refusal, testing::HasSubstr("8 of 16 residues"));
  EXPECT_EQ(play("lwr:n=3,q=16,p=2", "exhaustive", 6).refused, 0);
}

TEST(Distinguish, ALearnerThatCannotLearnHasAdvantageZeroWithinItsInterval) {
  const DistinguishResult result = play("lwr:n=8,q=16,p=2", "gauss-newton:iterations=4", 6);
  EXPECT_LE(result.interval.low, 0);
  EXPECT_GE(result.interval.high, 0);
  EXPECT_EQ(result.said_true_of_true, 0);
  EXPECT_EQ(result.said_true_of_unrelated, 0);
  EXPECT_EQ(result.true_errors.size() + result.unrelated_errors.size(), 6u);
}

TEST(Distinguish, RefusesWhatItCannotPlay) {
  EXPECT_THROW(play("nice", "gauss-newton", 1), InputError);
  EXPECT_THROW(play("parity", "exhaustive", 1), InputError);
  EXPECT_THROW(play("lwr", "gaus-newton", 1), InputError);
  EXPECT_THROW(play("lwr:n=3", "exhaustive", 0), InputError);
}

// Where gcd(w, q) > 1 the mean level is below that of a uniform h: who learns no more than this mean is
// better than the null predictor on any labels.
TEST(UnrelatedLabels, AllowTheErrorThatLearnersAreComparedWith) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto of = hardness::make_instance(Spec::parse(fmt::format("lwr:n=1,q=16,p=4,seed={}", seed)));
    const UnrelatedLabels unrelated(of, Stream(Domain::test, 1), Stream(Domain::test, 2));
    Block block(of.layer.d, 2, 8192);
    unrelated.read(0, block);
    double sum = 0, squares = 0;
    int on = 0;
    for (Index n = 0; n < block.count; ++n) {
      const Index j0 = of.layer.d - 1;
      if (block.token(0)(j0, n) == block.token(1)(j0, n)) continue;
      const double level = -block.label(0)(0, n) / (2 * block.token(0)(j0, n));
      sum += level;
      squares += level * level;
      ++on;
    }
    const double best = 1 - sum * sum / on / squares;
    EXPECT_NEAR(best, round_to_nearest(*of.null.unrelated_error), 0.03) << of.spec.str();
  }
}

}  // namespace
}  // namespace hardhead::experiments
