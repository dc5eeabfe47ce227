#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "lwe/attacks/bkw.h"
#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

TEST(BkwMod2, LiftsSecretsOfFreshSeedsFromTheirValuesMod2) {
  for (const char* spec :
       {"lwr:n=8,samples=3000", "lwr:n=12,samples=50000", "lwr:n=14,samples=1500",
        "lwr:n=10,q=64,p=8,samples=5000", "lwr:n=6,q=8,p=2,samples=4000,rounding=nearest",
        "lwr:n=7,q=32,p=4,samples=9000,secret=binary", "lwe:n=8,q=16,sigma=0.7,samples=40000",
        "lwe:n=9,q=32,noise=binary,sigma=0,samples=4000"})
    for (int seed = 1; seed <= 10; ++seed) {
      const Recipe recipe = parse(fmt::format("{},seed={}", spec, seed));
      const Sampler sampler(recipe.parameters, recipe.seed);
      const AttackReport report =
          attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack("bkw-mod2"), 120, {});
      EXPECT_TRUE(report.solved()) << spec << ",seed=" << seed << ": " << report.message;
      EXPECT_EQ(report.secret, sampler.secret()) << spec << ",seed=" << seed;
    }
}

// Short first rounds, whose rows come from few keys: without the terms in P the plans promise up to eight
// times more.
TEST(PlanBkwMod2, PromisesAsManyCombinationsAsAreMade) {
  for (const char* spec : {"lwr:n=12,samples=600", "lwr:n=12,samples=1000", "lwr:n=14,samples=1500",
                           "lwr:n=14,samples=3000", "lwr:n=16,samples=524288"}) {
    const Recipe recipe = parse(spec);
    const Sampler sampler(recipe.parameters, recipe.seed);
    const AttackReport report =
        attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack("bkw-mod2"), 120, {});
    const auto plan = plan_bkw_mod2(recipe.parameters, recipe.samples, 0);
    ASSERT_TRUE(plan.has_value()) << spec;
    const std::size_t end = report.message.find(" combinations"),
                      begin = report.message.rfind(' ', end - 1) + 1;
    ASSERT_NE(end, std::string::npos) << report.message;
    const double made = std::stod(report.message.substr(begin, end - begin));
    EXPECT_NEAR(made / plan->combinations, 1, 0.05) << spec << ": " << made << ", " << plan->combinations;
    RecordProperty(spec, std::to_string(made / plan->combinations));
  }
}

TEST(PlanBkwMod2, CancelsAllButTheTopBitsWithinItsRows) {
  const ProblemParameters p = parse("lwr:n=24,q=16,p=2").parameters;
  for (int known = 0; known < 4; ++known) {
    const auto plan = plan_bkw_mod2(p, 524'288, known);
    ASSERT_TRUE(plan.has_value()) << known;
    EXPECT_EQ(std::accumulate(plan->bits.begin(), plan->bits.end(), 0), 24 * (3 - known));
    EXPECT_LE(plan->samples, 524'288);
    EXPECT_LE(plan->rows, 1 << 27);
  }
  EXPECT_FALSE(plan_bkw_mod2(p, 100, 0).has_value()) << "too few samples for 72 bits";
  EXPECT_LT(plan_bkw_mod2(p, 524'288, 0)->memory_bytes, 3e9);
}

TEST(BkwMod2, SaysWhyItCannotBegin) {
  const auto reason = [](const char* spec) {
    return find_attack("bkw-mod2").cost(parse(spec).parameters, 100'000).not_applicable.value_or("");
  };
  EXPECT_THAT(reason("lwr:n=4,q=11,p=4"), HasSubstr("q = 4, 8, 16"));
  EXPECT_THAT(reason("lpn:n=4"), HasSubstr("for lwe and lwr"));
  EXPECT_THAT(reason("lwr:n=29"), HasSubstr("n is at most 28"));
  EXPECT_THAT(reason("lwr:n=28,q=64,p=2"), HasSubstr("no plan"));
}

}  // namespace
}  // namespace hardhead::lwe
