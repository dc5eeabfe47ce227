#include "sq/dimension/dimension.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hardness/concepts/named_class.h"
#include "sq/concepts/parities.h"
#include "sq/concepts/table_class.h"
#include "sq/dimension/clique.h"
#include "sq/dimension/parity_bound.h"
#include "sq/oracle/oracle.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

using hardness::make_class;

const Rational tenth(1, 10);

Dimension pairwise(const std::string& spec) {
  return pairwise_dimension(CorrelationTable(*make_class(Spec::parse(spec))), tenth);
}

void expect_exactly(const Dimension& dimension, const Rational& value) {
  EXPECT_TRUE(dimension.exact()) << dimension.lower << " .. " << dimension.upper;
  EXPECT_EQ(dimension.lower, value);
}

// Blum, Furst, Jackson, Kearns, Mansour, Rudich, STOC 1994. Correlations are summed over all inputs, not
// assumed.
TEST(PairwiseDimension, OfAllParitiesIsTwoToTheN) {
  for (int n = 1; n <= 10; ++n)
    expect_exactly(pairwise(fmt::format("parities:n={}", n)), Rational(std::int64_t{1} << n));
}

TEST(PairwiseDimension, OfSubsetsIsTheirNumberWithAndWithoutASwitch) {
  for (const auto& [d, m] : {std::pair{6, 2}, {8, 3}, {10, 4}, {12, 2}}) {
    const Rational count(binomial(static_cast<unsigned long>(d - 1), static_cast<unsigned long>(m)));
    expect_exactly(pairwise(fmt::format("parity:d={},m={}", d, m)), count);
    expect_exactly(pairwise(fmt::format("subsets:n={},m={}", d - 1, m)), count);
  }
}

// z_j and -z_j have correlation -1, all other pairs 0. (For n = 1 no two members are allowed.)
TEST(PairwiseDimension, OfDictatorsAndTheirNegationsIsN) {
  for (const int n : {1, 2, 5, 9}) expect_exactly(pairwise(fmt::format("dictators:n={}", n)), n);
}

// O. Rothaus, "On bent functions", JCT A 20, 1976: a bent function and its shifts are orthogonal.
TEST(PairwiseDimension, OfAllShiftsOfABentFunctionIsTheSizeOfTheDomain) {
  for (const int half : {1, 2, 3, 4})
    expect_exactly(pairwise(fmt::format("bent:n={}", half)), Rational(std::int64_t{1} << (2 * half)));
}

// Thresholds s, t have correlation 1 - 2|s - t| / 2^n. Three would need differences x, y >= 2^n/3 with x + y
// <= 2/3 2^n, so x = y = 2^n/3, which is no integer; two at distance 2^n/2 are orthogonal.
TEST(PairwiseDimension, OfThresholdsIsTwo) {
  for (const int n : {1, 2, 3, 5, 7}) expect_exactly(pairwise(fmt::format("thresholds:n={}", n)), 2);
}

// Two point functions have correlation 1 - 4 / 2^n: 0 for n = 2, 1/2 for n = 3, more beyond.
TEST(PairwiseDimension, OfPointFunctionsFallsToOne) {
  const int expected[] = {1, 4, 2, 1, 1};  // n = 1: correlation -1
  for (int n = 1; n <= 5; ++n) expect_exactly(pairwise(fmt::format("points:n={}", n)), expected[n - 1]);
}

// Random functions: against trying every subset.
TEST(PairwiseDimension, AgreesWithTryingEverySubset) {
  constexpr int n = 4, count = 12;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Stream stream(Domain::test, seed, "dimension");
    const TableClass members = tabulate(count, n, [&](std::int64_t f, Bits z) {
      return (stream.bits(static_cast<std::uint64_t>(f), 0)[0] >> z & 1) != 0 ? -1 : 1;
    });
    const CorrelationTable table(members);
    std::int64_t best = 1;
    for (unsigned subset = 1; subset < 1u << count; ++subset) {
      const std::int64_t size = __builtin_popcount(subset);
      bool allowed = true;
      for (int f = 0; f < count && allowed; ++f)
        for (int g = 0; g < f && allowed; ++g)
          if ((subset >> f & 1) != 0 && (subset >> g & 1) != 0)
            allowed = table.absolute(f, g) * size <= table.norm();
      if (allowed) best = std::max(best, size);
    }
    expect_exactly(pairwise_dimension(table, tenth), best);
    // Without leave to search, the bounds still hold.
    const Dimension bounds = pairwise_dimension(table, tenth, {}, 1);
    EXPECT_LE(bounds.lower, best);
    EXPECT_GE(bounds.upper, best);
  }
}

TEST(AverageDimension, OfAnOrthogonalClassIsItsClosedForm) {
  const CorrelationTable table(Parities::subsets(8, 3));  // N = 56, A(k) = 1/k
  for (const int s : {1, 2, 5, 10, 56})
    expect_exactly(average_dimension(table, Rational(1, s)), Rational(55 / s));
  const CorrelationTable behind(Parities::behind_switch(9, 3));  // A(k) = 1/(2k)
  expect_exactly(average_dimension(behind, Rational(1, 10)), Rational(55 / 5));
}

TEST(AverageDimension, OfThresholdsIsExactUpTo20MembersAndBoundedBeyond) {
  const CorrelationTable table(*make_class(Spec::parse("thresholds:n=4")));
  const AverageCorrelations exact = average_correlations(table);
  EXPECT_EQ(exact.lower, exact.upper);
  EXPECT_EQ(exact.lower[1], 1);
  EXPECT_EQ(exact.lower[2], (2 + 2 * Rational(7, 8)) / 4);  // neighbours
  const AverageCorrelations bounds =
      average_correlations(CorrelationTable(*make_class(Spec::parse("thresholds:n=5"))));
  for (std::size_t k = 1; k < bounds.lower.size(); ++k) {
    EXPECT_LE(bounds.lower[k], bounds.upper[k]);
    EXPECT_LE(bounds.upper[k], 1);
    if (k > 1) {
      EXPECT_LE(bounds.upper[k], bounds.upper[k - 1]);
    }
  }
  const Dimension dimension =
      average_dimension(CorrelationTable(*make_class(Spec::parse("thresholds:n=5"))), Rational(3, 4));
  EXPECT_LE(dimension.lower, dimension.upper);
}

TEST(SeparationDimension, OfParitiesIsBetweenParsevalAndAQuery) {
  const Parities members = Parities::behind_switch(10, 3);  // N = 84
  const CorrelationTable table(members);
  for (const Rational& tau : {Rational(1, 4), Rational(1, 10), Rational(2, 5)}) {
    const Dimension dimension = separation_dimension(members, table, tau);
    // 1/(4 tau^2), strictly.
    const Rational limit = 1 / (4 * tau * tau);
    const Integer most = numerator(limit) / denominator(limit);
    EXPECT_EQ(dimension.lower,
              Rational(84) / (Rational(most) == limit ? Rational(most - 1) : Rational(most)));
    EXPECT_GE(dimension.upper, dimension.lower);
    EXPECT_LE(dimension.upper, 84);
  }
  const Dimension never = separation_dimension(members, table, Rational(1, 2));
  EXPECT_EQ(never.lower, 0);
  EXPECT_FALSE(never.exact());
  EXPECT_EQ(never.theorem.substr(0, 10), "unwinnable");
}

TEST(Dimension, BoundsAreTheirFormulas) {
  EXPECT_EQ(pairwise("parities:n=10").bound_queries, (Rational(1024, 100) - 1) / 2);
  EXPECT_EQ(pairwise("parity:d=10,m=4").bound_queries, (Rational(126 * 4, 100) - 1) / 2);
  EXPECT_EQ(pairwise("points:n=5").bound_queries, 0);
}

TEST(Clique, FindsThePlantedOneAndNoLarger) {
  Graph graph(70);
  for (int i = 0; i < 70; i += 10)
    for (int j = 0; j < i; j += 10) graph.join(i, j);
  for (int i = 1; i < 70; ++i)
    if (i % 10 != 0) graph.join(i, i - 1);
  EXPECT_EQ(has_clique(graph, 7, 1000, {}), true);
  EXPECT_EQ(has_clique(graph, 8, 1000, {}), false);
  EXPECT_EQ(has_clique(graph, 7, 2, {}), std::nullopt);
}

TEST(Dimension, RefusesByName) {
  const CorrelationTable table(Parities::all(3));
  expect_refusal([&] { pairwise_dimension(table, 0); }, "tau=0 is not in (0, 1]");
  expect_refusal([&] { average_dimension(table, 2); }, "gamma=2 is not in (0, E[f^2]=1]");
  expect_refusal([&] { separation_dimension(Parities::all(3), table, Rational(3, 2)); }, "tau=3/2");
  expect_refusal([] { CorrelationTable(Parities::subsets(16, 5)); }, "4368 members are more than 4096");
  expect_refusal([] { make_class(Spec::parse("paritees:n=3")); }, "did you mean 'parities'");
  expect_refusal([] { make_class(Spec::parse("parities:n=13")); }, "n=13");
}

}  // namespace
}  // namespace hardhead::sq
