#include "experiments/hardness_profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/attacks/rounding_attack.h"
#include "lwe/attacks/attack.h"
#include "study/problem/problem.h"
#include "tests/refusal.h"

namespace hardhead::experiments {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

HardnessProfile profile_of(const std::string& spec, const HardnessOptions& options = {}) {
  return hardness_profile(Spec::parse(spec), options);
}

/// The bound of this name; 0 without one.
double bound_of(const HardnessProfile& profile, const std::string& name) {
  for (const ProvedBound& bound : profile.bounds)
    if (bound.of == name) return bound.at_least.convert_to<double>();
  return 0;
}

TEST(HardnessProfile, OfParityHasItsBoundsInNumbers) {
  const HardnessProfile profile = profile_of("parity:d=20,m=6");
  ASSERT_EQ(profile.bounds.size(), 9u);
  // C(19, 6) = 27132.
  EXPECT_EQ(profile.bounds[0].at_least, Rational(4 * 27131, 100));
  EXPECT_EQ(profile.bounds[1].at_least, Rational(2 * 27131, 3));
  EXPECT_THAT(profile.bounds[1].meaning, HasSubstr("it reads 18088 examples at least"));
  EXPECT_EQ(profile.bounds[2].of, "examples to statistics of degree 1");
  EXPECT_EQ(profile.bounds[2].at_least, 2 * 27132);
  EXPECT_EQ(profile.bounds[3].of, "examples to statistics of degree 15") << "log2 27132 = 14.7";
  EXPECT_EQ(profile.bounds[4].of, "examples, whoever computes");
  EXPECT_THAT(profile.bounds[4].meaning, HasSubstr("from 36 on"));
  EXPECT_EQ(profile.bounds[5].at_least, 14) << "value queries";
  EXPECT_EQ(profile.bounds[6].at_least, 8) << "heads of one slope: as many as it has";
  EXPECT_EQ(profile.bounds[7].at_least, 5) << "slopes in a chain";
  EXPECT_EQ(profile.bounds[8].at_least, 4) << "any slopes";
  EXPECT_THAT(profile.remarks.back(), HasSubstr("8 heads hide 6 bits as exact (1086), 8 bits as minimal"));
  EXPECT_THAT(profile.remarks.back(), HasSubstr("15 bits as compact (3696)")) << "C(19, 9) = 92,378";
  EXPECT_THAT(profile.remarks.front(), HasSubstr("leap 6"));
  EXPECT_EQ(profile_of("parity:d=20,m=6", {Rational(1, 100), {}}).bounds[0].at_least,
            Rational(4 * 27131, 10'000));
  EXPECT_THAT(refusal_of([] { profile_of("parity:d=20,m=6", {Rational(3, 4), {}}); }), HasSubstr("tau=3/4"));
}

TEST(HardnessProfile, OfParitiesNamesTheHeadsThatEachVariantHasAndNoFewer) {
  for (const char* spec : {"parity:d=12,m=4", "parity:d=12,m=4,variant=minimal",
                           "parity:d=12,m=5,variant=minimal", "parity:d=12,m=2,variant=minimal"}) {
    const HardnessProfile profile = profile_of(spec);
    EXPECT_EQ(bound_of(profile, "heads, steps of one slope"), static_cast<double>(profile.shape.m)) << spec;
  }
  for (const char* spec : {"parity:d=12,m=5,variant=compact", "parity:d=12,m=5,variant=compact-exact",
                           "parity:d=12,m=4,variant=compact", "parity:d=12,m=4,variant=compact-exact"}) {
    const HardnessProfile profile = profile_of(spec);
    EXPECT_EQ(bound_of(profile, "heads, slopes in a chain"), static_cast<double>(profile.shape.m)) << spec;
    EXPECT_LT(profile.shape.m, bound_of(profile, "heads, steps of one slope")) << spec;
  }
}

TEST(HardnessProfile, OfRoundingSaysWhatIsKnownWithoutExamplesAndWhatLeaks) {
  const HardnessProfile small = profile_of("lwr:n=6,q=4,secret=fixed-weight,weight=2");
  ASSERT_EQ(small.remarks.size(), 2u);
  EXPECT_THAT(small.remarks[0], HasSubstr("by 6.67% of the null error"));
  EXPECT_THAT(small.remarks[1], HasSubstr("leap 2 for correlations")) << "the parity of the high bits";
  const HardnessProfile leaks = profile_of("lwr:n=3,q=64,p=3");
  EXPECT_THAT(leaks.remarks[leaks.remarks.size() - 2],
              HasSubstr("p=3 does not divide q=64: labels correlate at 0.0156"));
  EXPECT_TRUE(profile_of("lwr:n=8,q=64,p=4").remarks.empty());
  const HardnessProfile pairs = profile_of("lwr:n=2,q=4", {Rational(1, 10), 3});
  EXPECT_EQ(pairs.bounds[0].of, "queries to STAT(1/10)");
  EXPECT_EQ(pairs.bounds[1].of, "examples to statistics of degree 1");
  EXPECT_EQ(pairs.bounds[2].of, "examples to statistics of degree 3");
  EXPECT_EQ(pairs.bounds[3].of, "examples, whoever computes");
  EXPECT_LE(pairs.bounds.back().at_least, Rational(pairs.shape.m)) << "heads";
}

TEST(HardnessProfile, OfTooManySecretsStillHasTheInformationLimit) {
  const HardnessProfile profile = profile_of("lwr:n=8,q=16");
  ASSERT_EQ(profile.bounds.size(), 5u);
  EXPECT_EQ(profile.bounds[1].of, "value queries, whoever computes");
  EXPECT_EQ(profile.bounds[1].at_least, 31) << "half of 2^32 - 1 secrets, a bit a query";
}

TEST(HardnessProfile, OfNoisyParitiesHasTheirBounds) {
  const HardnessProfile profile = profile_of("lpn:n=19,secret=fixed-weight,weight=6,rate=0.25");
  ASSERT_EQ(profile.bounds.size(), 5u);
  EXPECT_EQ(profile.bounds[0].at_least, Rational(4 * 4 * 27132, 100)) << "a quarter of the correlation";
  EXPECT_EQ(profile.bounds[1].at_least, 4 * 2 * 27132);
  EXPECT_EQ(profile.bounds[3].at_least, profile_of("parity:d=20,m=6").bounds[4].at_least)
      << "the information limit is that of labels without noise";
  EXPECT_EQ(profile.bounds[4].at_least, 14);
  EXPECT_THAT(profile.remarks.front(), HasSubstr("leap of at most 6"));
  EXPECT_EQ(profile_of("lwe:n=4").bounds.size(), 2u);
}

// rho(w, v) is 3/2 for v = w and 1/2 where v - w is one of three even vectors; one of these v may be 0, which
// is no secret.
TEST(HardnessProfile, OfSmallLweLayersHasTheBoundsOfLabelsWithoutNoise) {
  const HardnessProfile profile = profile_of("lwe:n=2,q=4");
  ASSERT_EQ(profile.bounds.size(), 5u);
  EXPECT_EQ(profile.bounds[0].at_least, Rational(2, 100) / (Rational(3, 2) + Rational(3, 2)) * 15);
  EXPECT_EQ(profile.bounds[1].of, "examples to statistics of degree 1");
}

TEST(HardnessProfile, OfNoisyLayersSaysAtWhichNoiseLearnersWereMeasured) {
  const HardnessProfile profile = profile_of("lpn:n=19,secret=fixed-weight,weight=3,rate=0.25");
  ASSERT_FALSE(profile.learners.empty());
  EXPECT_THAT(profile.unlike, ElementsAre("rate=0.25 where the measured layers have 0.125"));
  EXPECT_THAT(profile.verdict(),
              StartsWith("not settled for learners; measured were layers unlike this one"));
  EXPECT_THAT(profile_of("lpn:n=19,secret=fixed-weight,weight=3").verdict(), StartsWith("easy for learners"));
  EXPECT_THAT(profile_of("lwe:n=4,q=4").unlike, ElementsAre("sigma=1 where the measured layers have 0.5"));
  EXPECT_TRUE(profile_of("lwe:n=4,q=4,sigma=0.5").unlike.empty());
}

TEST(HardnessProfile, SaysWhatALearnerTakesThatIsToldTheGadget) {
  const HardnessProfile profile = profile_of("parity:d=512,m=2");
  ASSERT_TRUE(profile.gadget);
  EXPECT_EQ(profile.gadget->name, "walsh");
  EXPECT_EQ(profile.gadget->examples, 128);
  EXPECT_THAT(profile.verdict(),
              HasSubstr("easy for learners that are told the gadget (walsh: 128 examples"));
  EXPECT_EQ(profile_of("parity:d=70,m=8").gadget->name, "walsh:size=8") << "9e9 sets are tried on demand";
  EXPECT_EQ(profile_of("lwr:n=3").gadget->name, "table") << "its labels are no product";
  EXPECT_FALSE(profile_of("lwr:n=7").gadget) << "28 bits";
  EXPECT_FALSE(profile_of("nice:d=8").gadget) << "no switch";
}

TEST(HardnessProfile, PredictsNoLearnerWhereHardlyAnythingIsHidden) {
  const HardnessProfile one = profile_of("parity:d=20,m=19"), few = profile_of("parity:d=12,m=10");
  EXPECT_TRUE(one.learners.empty());
  EXPECT_THAT(one.remarks.back(), StartsWith("nothing is hidden"));
  EXPECT_THAT(few.remarks.back(), StartsWith("one of 11 sets is hidden"));
  EXPECT_FALSE(profile_of("parity:d=20,m=2").learners.empty());
}

TEST(HardnessProfile, OfAJuntaHasTheAttackThatTriesAllSets) {
  const HardnessProfile profile = profile_of("junta:d=20,m=3");
  ASSERT_TRUE(profile.attack);
  EXPECT_EQ(profile.attack->name, "all sets of coordinates");
  EXPECT_LT(profile.attack->seconds, 1);
  EXPECT_EQ(profile_of("junta:d=20,m=3,function=parity").attack->name,
            profile_of("parity:d=20,m=3").attack->name);
  EXPECT_GT(profile_of("junta:d=512,m=8,function=random").attack->seconds, 3600) << "4e16 sets";
}

TEST(HardnessProfile, OfAJuntaHasAllBoundsAndItsLeaps) {
  const HardnessProfile profile = profile_of("junta:d=20,m=3,function=parity");
  ASSERT_EQ(profile.bounds.size(), 8u);
  EXPECT_EQ(profile.bounds[0].at_least, Rational(4 * 969, 100)) << "that of the parities of three bits";
  EXPECT_EQ(profile.bounds[1].at_least, 2 * 969);
  EXPECT_THAT(profile.remarks.front(), HasSubstr("leap 3"));
  EXPECT_LT(profile_of("junta:d=20,m=3").bounds[0].at_least, profile.bounds[0].at_least)
      << "a staircase of as many bits is easier";
  EXPECT_EQ(profile_of("junta:d=20,m=8").bounds.size(), 5u) << "too many matchings for pairs";
}

TEST(HardnessProfile, OfNiceLayersHasTheCountingBound) {
  const HardnessProfile profile = profile_of("nice:d=16,k=2,m=32");
  ASSERT_EQ(profile.bounds.size(), 1u);
  EXPECT_EQ(profile.bounds[0].at_least, 512) << "2 m d / k equations";
  EXPECT_FALSE(profile.attack);
}

TEST(HardnessProfile, SaysWhereThereIsNothing) {
  const HardnessProfile profile = profile_of("staircase");
  EXPECT_TRUE(profile.bounds.empty());
  EXPECT_TRUE(profile.learners.empty());
  EXPECT_FALSE(profile.attack);
  EXPECT_THAT(profile.remarks.front(), HasSubstr("no hardness is claimed"));
  EXPECT_THAT(profile_of("smoothed").remarks.front(), HasSubstr("claim R18"));
  EXPECT_EQ(profile.best_learner(), nullptr);
  EXPECT_THAT(profile.verdict(), HasSubstr("no learner's cost is fitted here"));
  EXPECT_THAT(refusal_of([] { profile_of("parity:d=4,m=9"); }), HasSubstr("m=9 is more than d-1=3"));
}

TEST(HardnessProfile, TheBestLearnerIsTheQuickestThatEndsWithTheLayer) {
  HardnessProfile profile = profile_of("staircase");
  const auto learner = [](const char* name, double seconds) {
    study::LearnerCost out{.learner = name};
    out.seconds = {seconds, {seconds / 2, 2 * seconds}};
    return out;
  };
  profile.learners = {learner("sculpt, hull", 1), learner("slow", 100'000), learner("quick", 9000)};
  profile.learners.push_back({.learner = "never fitted", .no_fit = "costs at 2 values of m"});
  ASSERT_NE(profile.best_learner(), nullptr);
  EXPECT_EQ(profile.best_learner()->learner, "quick");
  EXPECT_EQ(profile.verdict(), "hard for learners (about 2.5 h, 75 min .. 5.0 h, by quick)");
  profile.learners[2] = learner("quick", 7000);
  EXPECT_THAT(profile.verdict(),
              HasSubstr("not settled, easy or hard, for learners (about 117 min, 58 min .. 3.9 h"));
  profile.learners[2] = learner("quick", 1700);
  EXPECT_THAT(profile.verdict(), HasSubstr("easy for learners (about 28 min"));
}

TEST(HardnessProfile, SaysInWhatTheMeasuredLayersDiffer) {
  EXPECT_TRUE(profile_of("parity:d=20,m=3,seed=9").unlike.empty());
  EXPECT_THAT(profile_of("parity:d=20,m=3,variant=minimal").unlike,
              testing::ElementsAre("variant=minimal where the measured layers have exact"));
}

// What is said of the attack is tried.
TEST(AttackCost, OfRoundingIsOfAnAttackThatSolvesIt) {
  for (const char* spec : {"lwr:n=3,q=16,p=2", "lwr:n=4,q=8,p=2", "lwr:n=4,q=16,p=4", "lwr:n=3,q=16,p=3",
                           "lwr:n=8,q=16,p=3", "lwr:n=9,q=16", "lwr:n=6,q=64,p=16"}) {
    const Spec canonical = profile_of(spec).spec;
    const auto cost = cheapest_attack(canonical);
    ASSERT_TRUE(cost) << spec;
    const study::Problem problem = study::open_problem(spec, {});
    const auto challenge =
        rounding_challenge(canonical, *problem.training, static_cast<std::int64_t>(2 * cost->examples));
    const lwe::AttackReport report = lwe::attack(challenge, lwe::find_attack(cost->name), 60, {});
    EXPECT_TRUE(report.solved()) << spec << " by " << cost->name << ": " << report.message;
  }
}

// On plain samples of noisy problems, with as many as the cost says: at least nine of ten are solved.
TEST(AttackCost, IsThatOfSucceeding) {
  int tried = 0, solved = 0;
  for (const std::int64_t n : {2, 4, 6, 8, 12, 16})
    for (const std::int64_t q : {16, 64, 256})
      for (const double sigma : {0.5, 1.0, 2.0}) {
        const lwe::ProblemParameters p{.n = n, .q = q, .sigma = sigma};
        for (const AttackCost& cost : attack_costs(p)) {
          const auto samples = static_cast<std::int64_t>(cost.examples / 2);
          if (cost.beyond || cost.seconds > 0.05 || samples * n > 100'000) continue;
          ++tried;
          const lwe::Sampler sampler(p, static_cast<std::uint64_t>(tried));
          const lwe::AttackReport report =
              lwe::attack({p, sampler.draw(0, samples)}, lwe::find_attack(cost.name), 60, {});
          solved += report.solved() ? 1 : 0;
          RecordProperty(fmt::format("{} n={} q={} sigma={}", cost.name, n, q, sigma), report.message);
        }
      }
  EXPECT_GT(tried, 60);
  EXPECT_GE(10 * solved, 9 * tried) << solved << " of " << tried;
}

TEST(AttackCost, IsKnownOfTheFamiliesThatHideEquations) {
  EXPECT_THAT(cheapest_attack(profile_of("parity:d=20,m=6").spec)->name, HasSubstr("elimination"));
  EXPECT_EQ(cheapest_attack(profile_of("parity:d=20,m=6").spec)->examples, 62);
  for (const char* spec : {"lwe", "lpn", "lpn:n=12,rate=0"})
    EXPECT_TRUE(cheapest_attack(profile_of(spec).spec)) << spec;
  EXPECT_EQ(cheapest_attack(profile_of("lpn:n=12,rate=0").spec)->name, "elimination");
  EXPECT_FALSE(cheapest_attack(profile_of("nice").spec));
}

/// Specs over the ranges of the families that hide equations.
std::vector<std::string> families_in_their_ranges() {
  std::vector<std::string> out;
  for (const int n : {1, 2, 3, 4, 6, 9, 16, 24, 40}) {
    for (const auto& [q, p] : {std::pair{2, 2}, {4, 2}, {8, 2}, {16, 2}, {16, 3}, {16, 16}, {64, 8}})
      for (const char* secret : {"uniform", "binary", "fixed-weight,weight=2"})
        out.push_back(fmt::format("lwr:n={},q={},p={},secret={}", n, q, p, secret));
    for (const int q : {16, 64, 256})
      for (const char* sigma : {"0", "0.5", "1", "4", "64"})
        out.push_back(fmt::format("lwe:n={},q={},sigma={}", n, q, sigma));
    for (const char* rate : {"0", "0.01", "0.125", "0.45", "0.499"})
      out.push_back(fmt::format("lpn:n={},rate={}", n, rate));
  }
  for (const int d : {3, 5, 8, 12, 20, 33, 60, 200, 512})
    for (const int m : {1, 2, 3, 4, 6, 8, 12}) {
      for (const char* family : {"parity", "block-parity"})
        out.push_back(fmt::format("{}:d={},m={}", family, d, m));
      for (const char* function : {"parity", "majority", "staircase"})
        out.push_back(fmt::format("junta:d={},m={},function={}", d, m, function));
    }
  return out;
}

// A grid over the ranges: whoever computes reads the examples of the information limit at least, an attack
// that is named is one that succeeds, and the two hard verdicts do not meet an easy one.
TEST(HardnessProfile, IsConsistentOverTheRangesOfAllFamilies) {
  int profiles = 0, with_attack = 0, beyond = 0, with_learners = 0;
  for (const std::string& spec : families_in_their_ranges()) {
    HardnessProfile profile;
    try {
      profile = profile_of(spec);
    } catch (const InputError&) {
      continue;  // outside the family's ranges
    }
    ++profiles;
    for (const ProvedBound& bound : profile.bounds) EXPECT_GE(bound.at_least, 0) << spec << ": " << bound.of;
    const bool has_limit = std::ranges::any_of(
        profile.bounds, [](const ProvedBound& bound) { return bound.of == "examples, whoever computes"; });
    ASSERT_TRUE(has_limit) << spec;
    const double limit = bound_of(profile, "examples, whoever computes");
    for (const study::LearnerCost& learner : profile.learners)
      if (!learner.no_fit) {
        ++with_learners;
        EXPECT_GE(learner.examples.interval.high, limit) << spec << ": " << learner.learner;
      }
    for (const auto& cost : {profile.gadget, profile.attack})
      if (cost) {
        EXPECT_GE(cost->examples, limit) << spec << ": " << cost->name;
        EXPECT_TRUE(std::isfinite(cost->seconds)) << spec;
      }
    with_attack += profile.attack ? 1 : 0;
    if (!profile.attack || !profile.attack->beyond) continue;
    ++beyond;
    EXPECT_EQ(profile.verdict().find("easy for whoever"), std::string::npos) << spec;
    EXPECT_THAT(profile.verdict(), HasSubstr("hopeless here")) << spec;
  }
  EXPECT_GE(profiles, 500);
  EXPECT_GT(with_attack, 400);
  EXPECT_GT(beyond, 2);
  EXPECT_GT(with_learners, 50);
  RecordProperty("profiles", profiles);
}

}  // namespace
}  // namespace hardhead::experiments
