#include "learner/cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "base/error.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

std::vector<Spec> all_but_exec() {
  std::vector<Spec> out;
  for (const Method& method : testing::methods_by_examples())
    if (method.name != "exec") out.push_back({method.name, {}});
  return out;
}

// Its time is that of its steps and its own heads, however many examples and heads there are.
bool trains_a_student(const std::string& name) {
  return name == "adam" || name == "sgd" || name == "sign-sgd";
}

double on(int cores, attention::Index d, attention::Index k, attention::Index m, double examples) {
  return tbb::task_arena(cores).execute([&] { return pass_seconds(d, k, m, examples); });
}

TEST(PassSeconds, AreSharedByTheCoresOfTheArenaAndGrowWithExamplesAndHeads) {
  const double one = on(1, 16, 3, 2, 1000);
  EXPECT_DOUBLE_EQ(on(2, 16, 3, 2, 1000), one / 2);
  EXPECT_DOUBLE_EQ(on(1, 16, 3, 2, 3000), one * 3);
  EXPECT_DOUBLE_EQ(on(1, 16, 3, 4, 1000), one * 2);
}

// Products with d x d matrices cost most where d is large, products of tokens with tokens where k is.
TEST(PassSeconds, AreQuadraticInTheLargerOfFeaturesAndTokens) {
  EXPECT_NEAR(on(1, 2000, 2, 1, 1) / on(1, 1000, 2, 1, 1), 4, 0.01);
  EXPECT_NEAR(on(1, 2, 2000, 1, 1) / on(1, 2, 1000, 1, 1), 4, 0.01);
  EXPECT_DOUBLE_EQ(on(1, 40, 8, 1, 1) / on(1, 8, 40, 1, 1), 1) << "(d + k) d k";
}

TEST(PredictedSeconds, GrowWithFeaturesHeadsAndExamples) {
  for (const Spec& method : all_but_exec()) {
    const auto at = [&](attention::Index d, attention::Index m, std::int64_t examples) {
      return Learner(method).predicted_seconds({d, 3}, m, {.heads = m, .examples = examples})->learnt;
    };
    EXPECT_GT(at(8, 2, 700), 0) << method.name;
    EXPECT_GT(at(16, 2, 700), at(8, 2, 700)) << method.name;
    if (!trains_a_student(method.name)) {
      EXPECT_GT(at(16, 3, 700), at(16, 2, 700)) << method.name;
      EXPECT_GT(at(16, 2, 190), at(16, 2, 150)) << method.name;
    }
    EXPECT_GE(at(16, 2, 1'000'000), at(16, 2, 900)) << method.name;
  }
}

TEST(PredictedSeconds, OfALayerThatIsNotLearntCountAllThatALearnerMayDo) {
  for (const Spec& method : all_but_exec()) {
    const PredictedSeconds seconds = *Learner(method).predicted_seconds({16, 3}, 2, {});
    EXPECT_GE(seconds.not_learnt, seconds.learnt) << method.name;
  }
  const auto not_learnt = [](const char* method) {
    return Learner(parse_learner(method)).predicted_seconds({16, 3}, 2, {.heads = 2})->not_learnt;
  };
  for (const char* method : {"adam", "gauss-newton"})
    EXPECT_DOUBLE_EQ(not_learnt(fmt::format("{}:starts=6", method).c_str()),
                     2 * not_learnt(fmt::format("{}:starts=3", method).c_str()));
  EXPECT_DOUBLE_EQ(not_learnt("adam:steps=20000"), 2 * not_learnt("adam:steps=10000"));
  const auto of_examples = [](std::int64_t examples) {
    return Learner({"gauss-newton", {}})
        .predicted_seconds({16, 3}, 2, {.heads = 2, .examples = examples})
        ->not_learnt;
  };
  EXPECT_DOUBLE_EQ(of_examples(688), 888. / 200 * of_examples(200)) << "each number of examples once";
}

TEST(PredictedSeconds, CountTheSearchForTheNumberOfHeads) {
  const Spec method{"gauss-newton", {}};
  const double told = Learner(method).predicted_seconds({16, 3}, 3, {.heads = 3})->learnt;
  EXPECT_GT(Learner(method).predicted_seconds({16, 3}, 3, {})->learnt, told);
  EXPECT_LT(Learner(method).predicted_seconds({16, 3}, 3, {})->learnt, 1.5 * told)
      << "the number is read off the labels";
}

TEST(PredictedSeconds, AreAtMostTheTimeLimitAndUnknownForAProgramOfTheUsers) {
  for (const Spec& method : all_but_exec())
    EXPECT_EQ(Learner(method).predicted_seconds({64, 3}, 4, {.heads = 4, .time_limit_seconds = 1e-4}),
              (PredictedSeconds{1e-4, 1e-4}))
        << method.name;
  const Spec program = parse_learner("exec:true");
  EXPECT_EQ(Learner(program).predicted_seconds({8, 3}, 2, {}), std::nullopt);
  EXPECT_EQ(Learner(program).predicted_seconds({8, 3}, 2, {.time_limit_seconds = 60}), std::nullopt);
}

TEST(PredictedSeconds, NeedAMethodAndTwoTokens) {
  EXPECT_THROW(Learner({"sculp", {}}).predicted_seconds({8, 3}, 2, {}), InputError);
  for (const Spec& method : all_but_exec())
    EXPECT_THROW(Learner(method).predicted_seconds({8, 1}, 2, {}), InputError);
}

}  // namespace
}  // namespace hardhead::learner
