#include "lwe/attacks/bkw.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

ProblemParameters parameters_of(const std::string& spec) {
  return Recipe::parse(Spec::parse(spec)).parameters;
}

TEST(PlanBkw, CutsAllCoordinatesAndStaysWithinItsMeans) {
  for (const char* spec : {"lpn:n=24,rate=0.125", "lpn:n=60,rate=0.05", "lwe:n=6,q=101,sigma=1", "lwr:n=6",
                           "lwe:n=4,q=31,noise=binary,sigma=0", "lwr:n=9,q=64,p=16"})
    for (const double samples : {1e3, 1e5, 1e7}) {
      const ProblemParameters p = parameters_of(spec);
      const auto plan = plan_bkw(p, p.n, samples);
      if (!plan) continue;
      EXPECT_GE(plan->rounds * plan->block + plan->tail, p.n) << spec;
      EXPECT_LT((plan->rounds - 1) * plan->block + plan->tail, p.n) << spec << ": a round too many";
      EXPECT_LE(plan->samples, samples) << spec;
      EXPECT_LE(std::pow(static_cast<double>(p.q), static_cast<double>(std::max(plan->block, plan->tail))),
                0x1p25);
    }
}

TEST(PlanBkw, MoreSamplesAreNeverDearer) {
  const ProblemParameters p = parameters_of("lpn:n=40,rate=0.125");
  double before = INFINITY;
  for (double samples = 100; samples < 1e9; samples *= 2) {
    const auto plan = plan_bkw(p, p.n, samples);
    if (plan) {
      EXPECT_LE(plan->seconds, before) << samples;
    }
    if (plan) before = plan->seconds;
  }
  EXPECT_LT(before, INFINITY);
  EXPECT_FALSE(plan_bkw(p, p.n, 100).has_value());
}

// One coordinate is read off at once. The samples are those of the header's formula with each problem's bias.
TEST(PlanBkw, WithoutRoundsTheBiasAloneCounts) {
  using std::numbers::pi;
  const auto needed = [](double bias, double q) { return 8 * (std::log(q) + 5) / (bias * bias); };
  const auto planned = [](const char* spec) { return plan_bkw(parameters_of(spec), 1, 1e9).value().samples; };
  EXPECT_NEAR(planned("lpn:n=1,rate=0.125"), needed(0.75, 2), 1e-6);
  EXPECT_NEAR(planned("lwe:n=1,q=101,sigma=4"), needed(std::exp(-2 * pi * pi * 16 / (101 * 101)), 101), 1e-6);
  EXPECT_NEAR(planned("lwe:n=1,q=31,noise=binary,sigma=0"), needed(std::cos(pi / 31), 31), 1e-6);
  EXPECT_NEAR(planned("lwr:n=1,q=16,p=4"), needed(std::sin(pi * 4 / 16) / (4 * std::sin(pi / 16)), 16), 1e-6);
}

TEST(Bkw, SolvesEveryProblemItHasABiasFor) {
  for (const char* spec :
       {"lpn:n=14,rate=0.1,samples=8000", "lpn:n=1,rate=0.2,samples=200", "lwe:n=3,q=31,sigma=1,samples=6000",
        "lwe:n=3,q=32,sigma=1,samples=6000", "lwe:n=3,q=31,noise=binary,sigma=0,samples=6000",
        "lwr:n=4,q=16,p=4,samples=20000", "lwe:n=4,q=31,sigma=1,secret=ternary,samples=20000"})
    for (int seed = 1; seed <= 3; ++seed) {
      const Recipe recipe = Recipe::parse(Spec::parse(fmt::format("{},seed={}", spec, seed)));
      const Sampler sampler(recipe.parameters, recipe.seed);
      const AttackReport report =
          attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack("bkw"), 60, {});
      EXPECT_TRUE(report.solved()) << spec << ", " << seed << ": " << report.message;
      EXPECT_EQ(report.secret, sampler.secret()) << spec << ", " << seed;
    }
}

// Coordinates that do not show in the rows cancel all the same; the others are found.
TEST(Bkw, FindsWhatTheRowsDoShow) {
  Challenge challenge = challenge_of("lpn:n=12,rate=0.1,samples=6000");
  const std::vector<Residue> secret(12, 1);
  for (std::int64_t i = 0; i < challenge.samples.count(); ++i) {
    Residue* row = challenge.samples.a.data() + 12 * i;
    row[3] = 0;
    challenge.samples.b[static_cast<std::size_t>(i)] =
        label(challenge.parameters, row, secret, i % 10 == 0 ? 1 : 0);
  }
  std::string message;
  auto found = find_attack("bkw").run(challenge, {}, message);
  ASSERT_TRUE(found.has_value());
  (*found)[3] = 1;
  EXPECT_EQ(*found, secret) << message;
}

TEST(Bkw, SaysWhyItCannotBegin) {
  using testing::HasSubstr;
  const auto objection = [](const char* spec) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    return find_attack("bkw").cost(recipe.parameters, recipe.samples).objection(recipe.samples);
  };
  EXPECT_THAT(objection("lwe:n=4,q=16,sigma=30"), HasSubstr("a sample has no bias"));
  EXPECT_THAT(objection("lwe:n=4,q=67108859,sigma=1"),
              HasSubstr("no plan with tables of at most 33554432 entries"));
  EXPECT_THAT(objection("lpn:n=24,samples=100"), HasSubstr("samples, there are 100"));
}

}  // namespace
}  // namespace hardhead::lwe
