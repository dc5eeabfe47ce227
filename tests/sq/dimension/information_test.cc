#include "sq/dimension/information.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sq/concepts/parities.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

/// P(right) of the best guess from N examples, by visiting all of them: for each sample, the probability that
/// the likeliest member has drawn it, over all members.
Rational best_guess(const Parities& members, int examples) {
  const int d = members.bits();
  const auto points = std::int64_t{1} << d;
  Rational total = 0;
  std::vector<Bits> sample;
  const auto visit = [&](const auto& self) -> void {
    if (std::ssize(sample) == examples) {
      std::map<std::vector<int>, int> words;  // every word of labels makes one guess right
      for (const Bits set : members.sets()) {
        std::vector<int> word;
        for (const Bits z : sample) word.push_back((z >> (d - 1) & 1) != 0 ? character(set, z) : 0);
        ++words[word];
      }
      total += static_cast<std::int64_t>(words.size());
      return;
    }
    for (std::int64_t z = 0; z < points; ++z) {
      sample.push_back(static_cast<Bits>(z));
      self(self);
      sample.pop_back();
    }
  };
  visit(visit);
  return total / (Rational(members.size()) * power(Rational(points), examples));
}

TEST(InformationLimit, HoldsTheBestGuessBetweenItsBounds) {
  struct Case {
    int d, m, most;
  };
  for (const auto& [d, m, most] : {Case{3, 1, 5}, {4, 1, 3}, {4, 2, 3}, {5, 2, 3}, {6, 3, 2}}) {
    const Parities members = Parities::behind_switch(d, m);
    const MemberPairs pairs = parity_pairs(d, m);
    EXPECT_EQ(functions_of(pairs), members.size());
    for (int n = 0; n <= most; ++n) {
      const Rational right = best_guess(members, n);
      EXPECT_LE(best_guess_at_least(pairs, n), right) << d << " " << m << " " << n;
      EXPECT_GE(best_guess_at_most(functions_of(pairs), 2, n), right) << d << " " << m << " " << n;
    }
  }
}

TEST(InformationLimit, IsExactWhereThereIsOneExampleOrNone) {
  for (const int d : {3, 4, 6}) {
    const Parities members = Parities::behind_switch(d, 1);
    const MemberPairs pairs = parity_pairs(d, 1);
    EXPECT_EQ(best_guess_at_most(functions_of(pairs), 2, 0), best_guess(members, 0));
    EXPECT_EQ(best_guess_at_least(pairs, 0), Rational(1, d - 1));
  }
}

TEST(InformationLimit, IsTheLeastNumberAtWhichEachBoundReachesOneHalf) {
  const MemberPairs pairs = parity_pairs(20, 6);  // 27,132 = 2^14.7
  const InformationLimit limit = information_limit(pairs, 2);
  EXPECT_GE(best_guess_at_most(27132, 2, limit.at_least), Rational(1, 2));
  EXPECT_LT(best_guess_at_most(27132, 2, limit.at_least - 1), Rational(1, 2));
  EXPECT_GE(best_guess_at_least(pairs, *limit.enough), Rational(1, 2));
  EXPECT_LT(best_guess_at_least(pairs, *limit.enough - 1), Rational(1, 2));
  EXPECT_EQ(limit.queries_at_least, 14) << "2^13 words of labels make fewer than half of all guesses right";
  EXPECT_LT(limit.at_least, *limit.enough);
  EXPECT_EQ(*limit.enough, 36) << "27131 (3/4)^36 < 1 < 27131 (3/4)^35";
}

TEST(InformationLimit, EnoughExamplesLeaveFewOthersInTheMean) {
  const MemberPairs pairs = parity_pairs(20, 6);
  EXPECT_EQ(enough_examples(pairs, 0.01), 52) << "27131 (3/4)^52 < 0.01 < 27131 (3/4)^51";
  expect_refusal([&] { enough_examples(pairs, 0); }, "probability of failure 0");
  expect_refusal([&] { enough_examples(pairs, 1); }, "probability of failure 1");
}

TEST(InformationLimit, OfOneMemberIsReachedAtOnce) {
  const InformationLimit limit = information_limit(parity_pairs(4, 3), 2);
  EXPECT_EQ(limit.at_least, 1);
  EXPECT_EQ(limit.queries_at_least, 0);
  EXPECT_EQ(limit.enough, 1);
  expect_refusal([] { information_limit(Integer(0), 2); }, "0 functions of 2 labels");
}

}  // namespace
}  // namespace hardhead::sq
