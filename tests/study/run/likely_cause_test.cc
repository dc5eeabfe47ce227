#include "study/run/likely_cause.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "study/problem/problem.h"

namespace hardhead::study {
namespace {

TEST(LikelyCause, IsTheConditionThatTheKnobBreaks) {
  for (const std::string which :
       {"theta_incoherence", "theta_stable_rank", "theta_diagonal", "theta_non_arithmetic",
        "theta_norm_ratio", "theta_norm", "w_incoherence", "w_stable_rank", "w_norm_ratio", "label_noise"})
    EXPECT_EQ(likely_cause(open_problem(fmt::format("degraded:which={},knob=1", which), {}))->condition,
              which);
  // A heavy column bounds the stable rank.
  EXPECT_THAT(likely_cause(open_problem("degraded:which=theta_column,knob=1", {}))->condition,
              testing::AnyOf("theta_column", "theta_stable_rank"));
}

std::string condition_of(const std::string& spec) {
  const auto cause = likely_cause(open_problem(spec, {}));
  return cause ? cause->condition : "none";
}

TEST(LikelyCause, OfTheHardFamiliesIsWhatTheyAreMadeOf) {
  for (const char* spec :
       {"parity:d=12,m=2", "parity:d=12,m=3", "parity:d=12,m=4", "parity:d=12,m=3,variant=minimal",
        "parity:d=20,m=2,variant=minimal", "path:d=12,m=6,variant=minimal,t=1", "lwr:n=3,q=16,p=2",
        "lwr:n=4,q=8", "staircase"})
    EXPECT_EQ(condition_of(spec), "W_sum = 0") << spec;
  // Noise on the labels comes first: it bounds every learner's error from below.
  for (const char* spec : {"lwe:n=8", "lpn:n=8"}) EXPECT_EQ(condition_of(spec), "label_noise") << spec;
}

TEST(LikelyCause, IsMeasuredOnTheLayerWhateverItsFamilySays) {
  Problem problem = open_problem("nice:d=24,k=3,m=3", {});
  ASSERT_FALSE(likely_cause(problem));
  const auto cause_of = [&](const std::function<void(std::vector<attention::Head>&)>& change) {
    attention::Layer layer = *open_problem("nice:d=24,k=3,m=3", {}).truth;
    change(layer.heads);
    problem.truth = std::make_shared<attention::Layer>(layer);
    const auto cause = likely_cause(problem);
    return cause ? cause->str() : "none";
  };
  using Heads = std::vector<attention::Head>;
  EXPECT_EQ(cause_of([](Heads& heads) { heads[0].w = -heads[1].w - heads[2].w; }), "W_sum = 0");
  EXPECT_EQ(cause_of([](Heads& heads) {
              for (int i = 1; i < 3; ++i) heads[i].theta = (i + 0.3) * heads[0].theta;
            }),
            "identical directions");
  EXPECT_EQ(cause_of([](Heads& heads) {
              heads[0].theta.setZero();
              heads[1].theta = -heads[2].theta;
            }),
            "identical directions")
      << "a head without a direction tells nothing";
  EXPECT_NE(cause_of([](Heads& heads) { heads[1].theta = heads[0].theta; }), "identical directions")
      << "the third head has another";
  EXPECT_NE(cause_of([](Heads& heads) { heads[1].theta = heads[2].theta = heads[0].theta; }),
            "identical directions")
      << "one head would do";
  EXPECT_NE(cause_of([](Heads& heads) { heads.resize(1); }), "identical directions") << "one head has one";
}

TEST(LikelyCause, IsReadBackFromItsText) {
  for (const char* text : {"theta_norm (16)", "w_norm_ratio", "label_noise (0.125)", "theta_norm (2.3e+02)",
                           "W_sum = 0", "identical directions"})
    EXPECT_EQ(LikelyCause::parse(text).str(), text);
  EXPECT_EQ(LikelyCause::parse("theta_norm (16)").condition, "theta_norm");
  EXPECT_EQ(LikelyCause::parse("theta_norm (16)").factor, 16);
  for (const char* text : {"theta_norm (", "theta_norm (16", "theta_norm (x)", "theta_norm (16) (2)"})
    EXPECT_THROW(LikelyCause::parse(text), InputError) << text;
}

TEST(LikelyCause, IsFoundForLayersOfAHundredHeads) {
  const Problem hard = open_problem("lwr:n=6,q=16,p=2", {});
  EXPECT_GT(hard.truth->m(), 100);
  EXPECT_TRUE(likely_cause(hard));
}

TEST(LikelyCause, IsNoneForANiceLayerAndWhereTheLayerIsUnknown) {
  for (int seed = 1; seed <= 5; ++seed)
    EXPECT_FALSE(likely_cause(open_problem(fmt::format("nice:d=24,k=3,m=3,seed={}", seed), {})));
  Problem unknown = open_problem("nice:d=6,k=2", {});
  unknown.truth.reset();
  EXPECT_FALSE(likely_cause(unknown));
}

}  // namespace
}  // namespace hardhead::study
