#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "sq/concepts/parities.h"
#include "sq/concepts/table_class.h"
#include "sq/oracle/oracle.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

Query random_query(int n, std::uint64_t item) {
  const auto bits = Stream(Domain::test, item, "adversary").bits(0, 0);
  return {"random signs", Range::signed_unit, all_bits(n), [key = bits[0]](Bits z, int y) {
            return std::popcount((key ^ (z * 0x9E3779B97F4A7C15u) ^ static_cast<unsigned>(y + 1)) *
                                 0xD1342543DE82EF95u) %
                               2 ==
                           0
                       ? 1.0
                       : -1.0;
          }};
}

// The transform against plain enumeration of each member by itself.
TEST(ParityClass, MeansOfAllMembersAreTheMeansOfEach) {
  for (const Parities& members : {Parities::behind_switch(7, 3), Parities::all(5), Parities::subsets(7, 2)})
    for (std::uint64_t item = 0; item < 10; ++item) {
      Query query = random_query(members.bits(), item);
      if (item % 2 == 1) query.sees &= 0b0101'1101u;
      const ClassMeans means = members.means(query);
      for (std::int64_t f = 0; f < members.size(); ++f)
        ASSERT_EQ(means.mean(f).value, exact_mean(query, members.member(f), members.bits()).value);
    }
}

TEST(ParityClass, AsTablesItHasTheSameMeans) {
  const Parities members = Parities::subsets(6, 2);
  const TableClass tables =
      tabulate(members.size(), 6, [&](std::int64_t f, Bits z) { return members.member(f).label(z); });
  for (std::uint64_t item = 0; item < 5; ++item) {
    const ClassMeans a = members.means(random_query(6, item)), b = tables.means(random_query(6, item));
    EXPECT_EQ(a.null_mean().value, b.null_mean().value);
    for (std::int64_t f = 0; f < members.size(); ++f) EXPECT_EQ(a.mean(f).value, b.mean(f).value);
  }
}

TEST(Adversary, RulesOutExactlyTheMembersItsAnswerIsWrongFor) {
  const Parities members = Parities::behind_switch(9, 3);
  Adversary adversary(members);
  const Rational tau(1, 50);
  StatOracle oracle(Stat(tau), adversary);
  std::set<std::int64_t> left;
  for (std::int64_t f = 0; f < members.size(); ++f) left.insert(f);
  for (std::uint64_t item = 0; left.size() > 1; ++item) {
    const Query query = random_query(9, item);
    const Rational answer = oracle.ask(query);
    std::set<std::int64_t> still;
    for (const std::int64_t f : left)
      if (abs(exact_mean(query, members.member(f), 9).value - answer) <= tau) still.insert(f);
    EXPECT_EQ(std::set<std::int64_t>(adversary.left().begin(), adversary.left().end()), still);
    if (!oracle.transcript().entries().back().gave_in) {
      EXPECT_LT(Rational(left.size() - still.size()), 1 / (4 * tau * tau));
    }
    left = still;
    ASSERT_FALSE(left.empty());
  }
  EXPECT_EQ(oracle.transcript().violations(), 0);
  // All answers hold for whoever is left, not only the last.
  const Concept survivor = members.member(adversary.left().front());
  for (std::uint64_t item = 0; item < static_cast<std::uint64_t>(oracle.transcript().queries()); ++item)
    EXPECT_LE(abs(exact_mean(random_query(9, item), survivor, 9).value -
                  oracle.transcript().entries()[item].answer),
              tau);
}

TEST(Adversary, GivesInOnlyWhereNoMemberIsLeftAndThenMovesAsLittleAsItCan) {
  const Parities one = Parities(4, {0b0101});
  Adversary adversary(one);
  StatOracle oracle(Stat(Rational(1, 10)), adversary);
  const Query label_times{"chi", Range::signed_unit, 0b0101,
                          [](Bits z, int y) { return y * character(0b0101, z); }};
  EXPECT_EQ(oracle.ask(label_times), Rational(9, 10));  // the truth is 1, the null answer 0
  EXPECT_TRUE(oracle.transcript().entries().back().gave_in);
  EXPECT_EQ(oracle.transcript().violations(), 0);
  EXPECT_EQ(adversary.left().size(), 1u);
}

TEST(Adversary, TheSignOfTheLabelTimesACharacterRulesOutOneMember) {
  const Parities members = Parities::behind_switch(10, 3);
  Adversary adversary(members);
  StatOracle oracle(Stat(Rational(1, 4)), adversary);
  for (std::int64_t f = 0; f < 20; ++f) {
    const Bits s = members.sets()[static_cast<std::size_t>(f)];
    EXPECT_EQ(oracle.ask({"chi", Range::signed_unit, s | members.switch_mask(),
                          [s](Bits z, int y) { return y * character(s, z); }}),
              0);
    EXPECT_EQ(adversary.left().front(), f + 1);
    EXPECT_EQ(std::ssize(adversary.left()), members.size() - f - 1);
  }
}

TEST(TableClass, RefusesWhatIsNoFamily) {
  using Tables = std::vector<std::vector<std::int8_t>>;
  expect_refusal([] { TableClass(Tables{}); }, "it is empty");
  expect_refusal([] { TableClass(Tables{{1, 1}, {1, 1, 1, 1}}); },
                 "unequal domains: member 1 has 4 points, member 0 has 2");
  expect_refusal([] { TableClass(Tables{{1, 1, 1}}); }, "3 points, not a power of two");
  expect_refusal([] { TableClass(Tables{{1, 0}}); }, "member 0 at point 1 is 0");
  expect_refusal([] { Parities(3, {}); }, "the family is empty");
  expect_refusal([] { Parities(3, {8}); }, "set 0x8 has bits past n=3");
  expect_refusal([] { Parities(3, {4}, 2); }, "set 0x4 holds the switch bit");
  expect_refusal([] { Parities::subsets(5, 6); }, "m=6 is not in 0 .. 5");
  expect_refusal([] { Parities::behind_switch(25, 2); }, "n=25 bits is not in 1 .. 24");
}

}  // namespace
}  // namespace hardhead::sq
