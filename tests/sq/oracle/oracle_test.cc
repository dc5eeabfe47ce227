#include "sq/oracle/oracle.h"

#include <gtest/gtest.h>

#include <array>

#include "sq/concepts/parities.h"
#include "tests/sq/random_query.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

constexpr int n = 6;

Query draw_query(const Stream& stream, std::uint64_t item, Range range) {
  return random_query(stream, item, range, n);
}

Concept target() {
  return Parities::behind_switch(n, 3).member(4);
}

TEST(Oracle, EveryPolicyKeepsEveryPromiseExactly) {
  const Stream stream(Domain::test, 1, "queries");
  const Parities members = Parities::behind_switch(n, 3);
  for (const Policy& policy : policies())
    for (const Rational& tolerance : {Rational(1, 3), Rational(1, 100), Rational(1, 1'000'000)}) {
      FixedTarget fixed(target(), n, policy);
      Adversary first(members), second(members);
      StatOracle stat(Stat(tolerance), fixed), stat_against(Stat(tolerance), first);
      VstatOracle vstat(Vstat(1 / tolerance), fixed), vstat_against(Vstat(1 / tolerance), second);
      for (std::uint64_t item = 0; item < 150; ++item) {
        stat.ask(draw_query(stream, item, Range::signed_unit));
        vstat.ask(draw_query(stream, item, Range::unit));
        stat_against.ask(draw_query(stream, item, Range::signed_unit));
        vstat_against.ask(draw_query(stream, item, Range::unit));
      }
      for (const Transcript* transcript : {&stat.transcript(), &vstat.transcript(),
                                           &stat_against.transcript(), &vstat_against.transcript()}) {
        EXPECT_EQ(transcript->queries(), 150);
        EXPECT_EQ(transcript->violations(), 0);
      }
    }
}

/// What goes round as an SQ oracle: Gaussian noise around the true mean.
class GaussianNoise final : public Answerer {
 public:
  explicit GaussianNoise(double sigma) : sigma_(sigma) {}
  Reply reply(const Query& query, const Contract&) override {
    const Mean truth = exact_mean(query, target(), n);
    std::array<double, 1> normal{};
    stream_.normals(asked_++, normal);
    return {.answer = truth.value + Rational(sigma_ * normal[0]), .truth = truth};
  }

 private:
  double sigma_;
  Stream stream_{Domain::test, 3, "noise"};
  std::uint64_t asked_ = 0;
};

TEST(Oracle, ABrokenPolicyIsCaughtByTheSameCheck) {
  const Stream queries(Domain::test, 2, "queries");
  GaussianNoise noise(0.05);
  StatOracle stat(Stat(Rational(1, 10)), noise);  // two standard deviations
  VstatOracle vstat(Vstat(20), noise);
  for (std::uint64_t item = 0; item < 400; ++item) {
    stat.ask(draw_query(queries, item, Range::signed_unit));
    vstat.ask(draw_query(queries, item, Range::unit));
  }
  EXPECT_GT(stat.transcript().violations(), 5);
  EXPECT_LT(stat.transcript().violations(), 60);
  EXPECT_GT(vstat.transcript().violations(), 0);
  for (const Entry& entry : stat.transcript().entries())
    EXPECT_EQ(entry.kept, abs(entry.answer - entry.truth.value) + entry.truth.charge <= Rational(1, 10));
}

TEST(Oracle, OneUnitPastTheToleranceBreaksIt) {
  const Rational tiny(1, Integer(1) << 200);
  const Stat stat(Rational(1, 10));
  const Mean mean{Rational(1, 7), 0};
  EXPECT_TRUE(stat.allows(mean, mean.value + Rational(1, 10)));
  EXPECT_FALSE(stat.allows(mean, mean.value + Rational(1, 10) + tiny));
  EXPECT_FALSE(stat.allows({mean.value, tiny}, mean.value - Rational(1, 10)));
  // p = 1/2, t = 25: the radius is sqrt(1/100); p = 1/5, t = 4: 1/4 and sqrt(1/25) = 1/5.
  const Vstat vstat(25);
  EXPECT_TRUE(vstat.allows({Rational(1, 2), 0}, Rational(6, 10)));
  EXPECT_FALSE(vstat.allows({Rational(1, 2), 0}, Rational(6, 10) + tiny));
  EXPECT_TRUE(Vstat(4).allows({Rational(1, 5), 0}, Rational(9, 20)));
  EXPECT_FALSE(Vstat(4).allows({Rational(1, 5), 0}, Rational(9, 20) + tiny));
}

TEST(Oracle, TheRadiusOfVstatIsLegalAndCloseToTheLargest) {
  for (int t = 1; t <= 1000; t = 3 * t + 1)
    for (int i = 0; i <= 20; ++i)
      for (const Rational& charge : {Rational(0), rounding_charge()}) {
        const Vstat vstat(t);
        const Mean mean{Rational(i, 20), charge};
        const Rational radius = vstat.radius(mean);
        EXPECT_TRUE(vstat.allows(mean, mean.value + radius));
        EXPECT_TRUE(vstat.allows(mean, mean.value - radius));
        EXPECT_FALSE(vstat.allows(mean, mean.value + radius + Rational(1, Integer(1) << 59)));
      }
}

TEST(Oracle, PoliciesDifferAsTheirNamesSay) {
  const Query tilted{"tilted", Range::signed_unit, 1, [](Bits z, int) { return z == 0 ? 0.75 : 0.5; }};
  const Rational tau(1, 10), truth(5, 8);
  const auto answer = [&](const char* policy, std::uint64_t seed) {
    FixedTarget fixed(target(), n, find_policy(policy), seed);
    return StatOracle(Stat(tau), fixed).ask(tilted);
  };
  EXPECT_EQ(answer("honest", 1), truth);
  EXPECT_EQ(answer("rounding", 1), Rational(6, 10));
  EXPECT_NE(answer("random", 1), answer("random", 2));
  EXPECT_NE(answer("random", 1), truth);
}

TEST(Oracle, OneStatGivesOneBitOfAFreshExample) {
  OneStatOracle oracle(target(), n, 7);
  const Query on{"is the label 1", Range::bit, 0, [](Bits, int y) { return y == 1 ? 1.0 : 0.0; }};
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < 4000; ++i) ones += oracle.ask(on) ? 1 : 0;
  EXPECT_EQ(oracle.examples(), 4000);
  EXPECT_NEAR(static_cast<double>(ones), 1000, 150);  // a quarter: half with the switch on, half of those odd
  expect_refusal([&] { oracle.ask({"real", Range::unit, 0, [](Bits, int) { return 0.5; }}); },
                 "1-STAT answers {0, 1}");
}

TEST(Oracle, HonestSamplesAreWithinTheirHoeffdingWidth) {
  HonestOracle oracle(target(), n, 2000, 1 - 1e-9, 3);
  const Stream queries(Domain::test, 4, "queries");
  for (std::uint64_t item = 0; item < 200; ++item) oracle.ask(draw_query(queries, item, Range::signed_unit));
  EXPECT_EQ(oracle.transcript().violations(), 0);
  std::int64_t exact = 0;
  for (const Entry& entry : oracle.transcript().entries()) exact += entry.answer == entry.truth.value ? 1 : 0;
  EXPECT_LT(exact, 100);  // constant queries aside, samples miss the mean
  EXPECT_LT(oracle.contract().tau(), Rational(16, 100));
  expect_refusal([] { HonestOracle(target(), n, 1, 0.5, 1); }, "is not in (0, 1]");
  expect_refusal([] { HonestOracle(target(), n, 0, 0.5, 1); }, "examples_per_query=0");
  expect_refusal([] { HonestOracle(target(), n, 100, 1, 1); }, "confidence=1");
}

TEST(Oracle, RefusesTolerancesAndRangesByName) {
  expect_refusal([] { Stat(Rational(0)); }, "tau=0 is not in (0, 1]");
  expect_refusal([] { Stat(Rational(-1, 2)); }, "tau=-1/2");
  expect_refusal([] { Stat(Rational(11, 10)); }, "tau=11/10");
  expect_refusal([] { Vstat(Rational(1, 2)); }, "t=1/2 is less than 1");
  FixedTarget fixed(target(), n, find_policy("honest"));
  StatOracle stat(Stat(Rational(1, 10)), fixed);
  VstatOracle vstat(Vstat(10), fixed);
  const Query query{"phi", Range::unit, 1, [](Bits, int) { return 1.5; }};
  expect_refusal([&] { stat.ask(query); }, "query 'phi' has range [0, 1]; STAT(1/10) answers [-1, 1]");
  expect_refusal([&] { vstat.ask(query); }, "query 'phi' returned 1.5");
  StatOracle fine(Stat(Rational(1, Integer(1) << 40)), fixed);
  expect_refusal([&] { fine.ask({"off grid", Range::signed_unit, 1, [](Bits, int) { return 0.1; }}); },
                 "its tolerance is less than");
  expect_refusal([] { FixedTarget(target(), 25, find_policy("honest")); }, "n=25");
}

}  // namespace
}  // namespace hardhead::sq
