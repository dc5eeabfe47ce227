#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "hardness/families/rounding_layer.h"
#include "tests/learner/layer_error.h"

namespace hardhead::learner {
namespace {

TEST(Flip, ReadsTheSetOfAParityWithDMinusOneQueries) {
  for (const Index d : {12, 20, 64, 256})
    for (const char* variant : {"exact", "minimal"}) {
      const hardness::Instance instance = instance_of(fmt::format("parity:d={},m=4,variant={}", d, variant));
      attention::Block off(d, 2, 1);  // h = 0: what the levels are is public
      off.x.setOnes();
      off.x(d - 1, 1) = -1;
      instance.teacher->label(off);
      const attention::ParityGadget gadget{d - 1, off.y(0, 0), off.y(0, 0) + 4};
      ValueOracle oracle(instance.teacher, d, {.tokens = 2, .gadget = gadget});
      const Report report = learn(Spec::parse("flip"), oracle, {});
      EXPECT_EQ(report.queries_used, d - 1);
      EXPECT_EQ(*report.hidden, instance.hidden);
    }
}

TEST(Flip, ReadsEverySecretOfLearningWithRounding) {
  for (const auto& [n, q, p] :
       {std::tuple{4, 16, 2}, {16, 16, 2}, {64, 4, 2}, {64, 16, 2}, {8, 64, 4}, {8, 64, 8}}) {
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      hardness::RoundingOptions options;
      options.problem.n = n, options.problem.q = q, options.problem.p = p;
      options.seed = seed;
      const hardness::RoundingProblem problem = hardness::rounding_problem(options);
      const attention::RoundingGadget gadget{problem.gadget.d - 1, n, q, p};
      ValueOracle oracle(hardness::exact_rounding(problem).teacher(), problem.gadget.d,
                         {.tokens = 2, .gadget = gadget});
      const Report report = learn(Spec::parse("flip"), oracle, {});
      const int bits = std::countr_zero(static_cast<unsigned>(q)),
                stride = std::countr_zero(static_cast<unsigned>(p));
      EXPECT_EQ(report.queries_used, n * ((bits + stride - 1) / stride));
      right += std::equal(report.hidden->begin(), report.hidden->end(), problem.secret.begin(),
                          problem.secret.end());
    }
    EXPECT_EQ(right, 100) << n << " " << q << " " << p;
  }
}

TEST(Flip, ReadsSecretsOfAnyNumberOfLevels) {
  for (const int p : {3, 5, 6, 7}) {
    hardness::RoundingOptions options;
    options.problem.n = 10, options.problem.q = 32, options.problem.p = p;
    const hardness::RoundingProblem problem = hardness::rounding_problem(options);
    const attention::RoundingGadget gadget{problem.gadget.d - 1, 10, 32, p};
    ValueOracle oracle(hardness::exact_rounding(problem).teacher(), problem.gadget.d,
                       {.tokens = 2, .gadget = gadget});
    const Report report = learn(Spec::parse("flip"), oracle, {});
    ASSERT_TRUE(report.hidden) << report.message;
    EXPECT_TRUE(std::equal(report.hidden->begin(), report.hidden->end(), problem.secret.begin(),
                           problem.secret.end()));
    EXPECT_LE(report.queries_used, 10 * 5);
  }
}

TEST(Flip, NeedsToKnowWhatIsPublic) {
  const hardness::Instance nice = instance_of("nice:k=2,d=6");
  ValueOracle oracle(nice.teacher, 6, {.tokens = 2});
  EXPECT_THROW(learn(Spec::parse("flip"), oracle, {}), InputError);
}

}  // namespace
}  // namespace hardhead::learner
