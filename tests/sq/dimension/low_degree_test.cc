#include "sq/dimension/low_degree.h"

#include <gtest/gtest.h>

#include "sq/concepts/parities.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

/// An example under the null distribution: bits, a label where the switch is on, and its probability.
struct Example {
  Bits z = 0;
  int y = 0;
  Rational mass;
};

std::vector<Example> null_examples(int d) {
  std::vector<Example> out;
  const Rational each(Integer(1), Integer(1) << d);
  for (Bits z = 0; z < Bits{1} << d; ++z)
    if ((z >> (d - 1) & 1) == 0)
      out.push_back({z, 0, each});
    else
      for (const int y : {-1, 1}) out.push_back({z, y, each / 2});
  return out;
}

/// Squared norm under Q of E_S prod over `count` examples of (L_S - 1), by visiting all of them.
Rational part(const Parities& members, const std::vector<Example>& examples, int count) {
  std::vector<Rational> products(static_cast<std::size_t>(members.size()), 1);
  const auto visit = [&](const auto& self, int left, const std::vector<std::int64_t>& factors) -> Rational {
    if (left == 0) {
      std::int64_t sum = 0;
      for (const std::int64_t f : factors) sum += f;
      const Rational mean(sum, members.size());
      return mean * mean;
    }
    Rational total = 0;
    for (const Example& example : examples) {
      if (example.y == 0) continue;  // L_S = 1
      std::vector<std::int64_t> next = factors;
      for (std::size_t f = 0; f < next.size(); ++f)
        next[f] *= example.y * character(members.sets()[f], example.z);
      total += example.mass * self(self, left - 1, next);
    }
    return total;
  };
  return visit(visit, count, std::vector<std::int64_t>(static_cast<std::size_t>(members.size()), 1));
}

/// Adv_t^2 of `examples` examples, from the squared norms of its parts.
Rational squared_advantage(const std::vector<Rational>& parts, std::int64_t examples) {
  Rational out = 0;
  Integer subsets = 1;
  for (std::int64_t j = 0; j < std::ssize(parts); ++j) {
    subsets = subsets * (examples - j) / (j + 1);
    out += subsets * parts[static_cast<std::size_t>(j)];
  }
  return out;
}

TEST(LowDegree, OfParitiesIsWhatVisitingAllSamplesGives) {
  struct Case {
    int d, m, most;
  };
  for (const auto& [d, m, most] : {Case{3, 1, 3}, {4, 2, 3}, {6, 3, 2}, {8, 4, 1}, {8, 2, 1}}) {
    const Parities members = Parities::behind_switch(d, m);
    const auto examples = null_examples(d);
    std::vector<Rational> parts;
    for (int t = 1; t <= most; ++t) {
      parts.push_back(part(members, examples, t));
      const auto least = least_examples(parity_pairs(d, m), t).convert_to<std::int64_t>();
      EXPECT_GE(squared_advantage(parts, least), 1) << d << " " << m << " " << t;
      EXPECT_LT(squared_advantage(parts, least - 1), 1) << d << " " << m << " " << t;
    }
  }
}

TEST(LowDegree, OneExampleAtATimeIsTheScaleOfStatisticalQueriesAndLogarithmicallyManyThatOfElimination) {
  const auto pairs = parity_pairs(20, 6);  // 27,132 members, 2^14.7
  EXPECT_EQ(least_examples(pairs, 1), 2 * 27132);
  const Integer elimination = least_examples(pairs, 15);
  EXPECT_GE(elimination, 15);
  EXPECT_LE(elimination, 60);
  for (int t = 2; t <= 15; ++t) EXPECT_LE(least_examples(pairs, t), least_examples(pairs, t - 1));
}

TEST(LowDegree, RefusesByName) {
  expect_refusal([] { least_examples(parity_pairs(8, 2), 0); }, "degree=0 is not in 1");
  expect_refusal([] { least_examples(MemberPairs{{{0, 1}}}, 3); }, "not even 2^");
}

}  // namespace
}  // namespace hardhead::sq
