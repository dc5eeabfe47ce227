// What a label, or anything else a learner sees, could tell of h or of the hidden set beyond the parity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "hardness/hardness.h"
#include "lwe/problem/gf2.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::EnumerationSource;
using attention::Index;
using attention::SimulatedSource;

SimulatedSource examples_of(const Instance& instance, std::uint64_t seed = 1) {
  return {instance.teacher, instance.layer.d, 2, instance.inputs, Stream(Domain::samples, seed)};
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

struct Level {
  int sign;  // of x_{r,j0}
  bool on;   // the switch
  Index h;   // 0 where the switch is off
  auto operator<=>(const Level&) const = default;
};

Level level_of(const Instance& instance, const Block& block, Index r, Index n) {
  const Index j0 = instance.layer.d - 1;
  const auto differ = [&](Index f) {
    return block.x(f, block.column(0, n)) != block.x(f, block.column(1, n));
  };
  Level out{block.x(j0, block.column(r, n)) > 0 ? 1 : -1, differ(j0), 0};
  if (out.on) out.h = std::count_if(instance.hidden.begin(), instance.hidden.end(), differ);
  return out;
}

/// The bit patterns of feature 0 that labels of `count` examples show, level by level.
std::map<Level, std::set<std::uint64_t>> patterns(const Instance& instance, const attention::Teacher& teacher,
                                                  std::int64_t count) {
  const auto source = examples_of(instance);
  std::map<Level, std::set<std::uint64_t>> seen;
  Block block(instance.layer.d, 2, 1000);
  for (std::int64_t first = 0; first < count; first += block.count) {
    source.read(first, block);
    teacher.label(block);
    for (Index n = 0; n < block.count; ++n)
      for (Index r = 0; r < 2; ++r)
        seen[level_of(instance, block, r, n)].insert(bits(block.y(0, block.column(r, n))));
  }
  return seen;
}

/// The double each level must have: minus or plus 2 (kappa + (-1)^h), rounded once; +0.0 with the switch off.
double expected_label(const Instance& instance, const Level& level) {
  if (!level.on) return 0.0;
  Rational g = 0;  // from the layer's own weights
  for (const auto& head : instance.exact->heads) {
    const std::int64_t twice_step = head.theta.empty() ? 0 : -head.theta.back().half_units;
    g += head.theta.empty() ? Rational(head.w[0].value / 2)
                            : Rational(head.w[0].value /
                                       (1 + power(Rational(instance.exact->base), 2 * level.h - twice_step)));
  }
  return round_to_nearest(-2 * level.sign * g);
}

TEST(ParityLabels, AreOneSingleDoubleALevelInAMillionExamples) {
  for (const char* spec : {"parity:seed=3", "parity:variant=minimal", "parity:m=5,variant=minimal"}) {
    const Instance instance = make(spec);
    const auto seen = patterns(instance, *instance.teacher, 1'000'000);
    const std::size_t m = instance.hidden.size();
    EXPECT_EQ(seen.size(), 2 * (m + 1) + 2) << spec;  // every level came up
    std::set<std::uint64_t> all;
    for (const auto& [level, doubles] : seen) {
      EXPECT_EQ(doubles, std::set{bits(expected_label(instance, level))}) << spec << " h=" << level.h;
      all.insert(doubles.begin(), doubles.end());
    }
    // One zero; for each sign of x_{r,j0} and each parity one more, and the signs mirror each other.
    const bool mirrored = *instance.null.exact_error == 1;
    EXPECT_EQ(all.size(), mirrored ? 3u : 5u) << spec;
    EXPECT_FALSE(all.contains(bits(-0.0))) << spec;
  }
}

TEST(ParityLabels, TheForwardPassWouldLeakWhichIsWhyItIsNotTheTeacher) {
  const Instance instance = make("parity:seed=3");
  const attention::LayerTeacher forward(instance.layer);
  std::set<std::uint64_t> exact, leaking;
  for (const auto& [level, doubles] : patterns(instance, *instance.teacher, 20'000))
    exact.insert(doubles.begin(), doubles.end());
  for (const auto& [level, doubles] : patterns(instance, forward, 20'000))
    leaking.insert(doubles.begin(), doubles.end());
  EXPECT_EQ(exact.size(), 3u);
  EXPECT_GT(leaking.size(), 10u);
}

TEST(ParityLabels, RowsCancelBitForBitAndOtherColumnsArePositiveZero) {
  for (const char* spec : {"parity", "parity:variant=minimal", "parity:m=3,variant=minimal"}) {
    const Instance instance = make(spec);
    Block block(instance.layer.d, 2, 4096);
    examples_of(instance).read(0, block);
    for (Index n = 0; n < block.count; ++n) {
      ASSERT_EQ(bits(block.y(0, block.column(0, n)) + block.y(0, block.column(1, n))), bits(0.0));
      for (Index r = 0; r < 2; ++r)
        for (Index f = 1; f < block.d(); ++f) ASSERT_EQ(bits(block.y(f, block.column(r, n))), bits(0.0));
    }
  }
}

TEST(ParityLabels, AreTheSameWhereverTheParityIs) {
  // X and X' that differ by flips inside the hidden set which keep its parity have bit-identical labels, so a
  // label says nothing of h but its parity, and nothing of coordinates outside.
  const Instance instance = make("parity:d=12,m=6,variant=minimal");
  Block block(12, 2, 2000), flipped(12, 2, 2000);
  examples_of(instance).read(0, block);
  flipped.x = block.x;
  const Index a = instance.hidden[1], b = instance.hidden[4];
  Index outside = 0;
  while (std::find(instance.hidden.begin(), instance.hidden.end(), outside) != instance.hidden.end())
    ++outside;
  for (const Index f : {a, b, outside}) flipped.x.row(f).head(2000) *= -1;
  instance.teacher->label(flipped);
  for (Index c = 0; c < block.y.cols(); ++c) ASSERT_EQ(bits(block.y(0, c)), bits(flipped.y(0, c)));
}

TEST(ParityLabels, CorrelateWithTheHiddenCharacterAndWithNoOther) {
  const Instance instance = make("parity:d=7,m=3");
  const EnumerationSource source(instance.teacher, 7, 2);
  Block block(7, 2, 1 << 14);
  source.read(0, block);
  std::size_t hidden_mask = 0;
  for (const Index j : instance.hidden) hidden_mask |= std::size_t{1} << j;
  // Sum over X of Y_{1,1} x_{1,j0} chi_T(z) for every T, by counting on differences.
  std::vector<double> by_difference(128, 0);
  for (Index n = 0; n < block.count; ++n) {
    std::size_t difference = 0;
    for (Index f = 0; f < 7; ++f)
      if (block.x(f, n) != block.x(f, block.column(1, n))) difference |= std::size_t{1} << f;
    by_difference[difference] += block.y(0, n) * block.x(6, n);
  }
  for (std::size_t t = 0; t < 64; ++t) {
    double sum = 0;
    for (std::size_t z = 0; z < 128; ++z) sum += by_difference[z] * (std::popcount(z & t) % 2 == 0 ? 1 : -1);
    EXPECT_EQ(sum, t == hidden_mask ? -16384.0 : 0.0) << t;
  }
}

TEST(ParityLayers, OfDifferentSeedsDifferByThePlaceOfTheHiddenSetOnly) {
  for (const char* spec :
       {"parity:d=20,m=5", "parity:d=20,m=5,variant=minimal", "parity:d=20,m=6,variant=minimal"}) {
    const Instance a = make(std::string(spec) + ",seed=1"), b = make(std::string(spec) + ",seed=2");
    ASSERT_NE(a.hidden, b.hidden);
    ASSERT_EQ(a.exact->m(), b.exact->m());
    EXPECT_EQ(a.null.exact_error, b.null.exact_error);
    EXPECT_EQ(a.null.description, b.null.description);
    for (std::size_t i = 0; i < a.exact->heads.size(); ++i) {
      const auto &left = a.exact->heads[i], &right = b.exact->heads[i];
      ASSERT_EQ(left.w.size(), 1u);
      EXPECT_EQ(left.w[0].value, right.w[0].value);
      EXPECT_EQ(left.w[0].row, 19);
      EXPECT_EQ(left.w[0].column, 0);
      ASSERT_EQ(left.theta.size(), right.theta.size());
      for (std::size_t e = 0; e < left.theta.size(); ++e) {
        EXPECT_EQ(left.theta[e].half_units, right.theta[e].half_units);
        const bool is_switch = e + 1 == left.theta.size();
        EXPECT_EQ(left.theta[e].row, is_switch ? 19 : a.hidden[e]);
        EXPECT_EQ(left.theta[e].column, left.theta[e].row);
      }
    }
  }
}

TEST(ParitySeeds, HiddenSetsOfOneSeedAreNotNestedAcrossSizes) {
  // Were they the head of one shuffle, solving m=2 would give away two elements for every larger m. Here the
  // overlap of m=2 and m=6 is that of independent sets: 2 * 6 / 19 = 0.63 elements on average, not 2.
  int overlap = 0, overlap_d = 0;
  constexpr int seeds = 400;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto count = [&](const std::string& spec, const std::vector<Index>& large) {
      const auto small = make(spec + ",variant=minimal,seed=" + std::to_string(seed)).hidden;
      return static_cast<int>(std::count_if(small.begin(), small.end(), [&](Index j) {
        return std::binary_search(large.begin(), large.end(), j);
      }));
    };
    const auto large = make("parity:d=20,m=6,variant=minimal,seed=" + std::to_string(seed)).hidden;
    overlap += count("parity:d=20,m=2", large);
    overlap_d += count("parity:d=19,m=2", large);
  }
  EXPECT_NEAR(overlap, seeds * 12 / 19.0, 60);  // standard deviation below 13
  EXPECT_NEAR(overlap_d, seeds * 12 / 19.0, 60);
}

TEST(ParityNull, AveragingAllMembersGainsOneInTheirNumberAsStated) {
  // E (mean over S of chi_S)^2 = 1 / C(d-1, m): what a predictor gets without seeing an example.
  const unsigned d = 9, m = 3, members = 56;
  long squares = 0;
  for (unsigned z = 0; z < (1u << (d - 1)); ++z) {
    long sum = 0;
    for (unsigned s = 0; s < (1u << (d - 1)); ++s)
      if (std::popcount(s) == static_cast<int>(m)) sum += std::popcount(s & z) % 2 == 0 ? 1 : -1;
    squares += sum * sum;
  }
  EXPECT_EQ(squares * members, (1L << (d - 1)) * members * members);
  EXPECT_THAT(make("parity:d=9,m=3").null.description, testing::HasSubstr("all 56 members"));
}

TEST(ParityElimination, FindsTheHiddenSetFromAboutTwoDExamples) {
  // Hard for statistical queries only: each example with the switch on is one equation over GF(2).
  constexpr Index d = 20;
  for (const char* variant : {"exact", "minimal"})
    for (int seed = 1; seed <= 10; ++seed) {
      const Instance instance =
          make(std::string("parity:d=20,m=6,variant=") + variant + ",seed=" + std::to_string(seed));
      const auto source = examples_of(instance, static_cast<std::uint64_t>(seed));
      const double even =
          -2 * round_to_nearest(instance.exact->m() == 8 ? Rational(1) : 1 + Rational(-215850445, 109627749));
      std::vector<lwe::Gf2Equation> equations;
      std::optional<lwe::Gf2Solution> found;
      std::int64_t n = 0;
      Block one(d, 2, 1);
      while (!(found && found->unique()) && n < 100) {
        source.read(n++, one);
        if (one.y(0, 0) == 0) continue;  // switch off
        lwe::Gf2Equation equation{{0}, one.y(0, 0) * one.x(d - 1, 0) != even};
        for (Index f = 0; f < d - 1; ++f)
          if (one.x(f, 0) != one.x(f, 1)) equation.coefficients[0] |= std::uint64_t{1} << f;
        equations.push_back(equation);
        found = lwe::solve_gf2(equations, d - 1);
        ASSERT_TRUE(found);
      }
      EXPECT_LE(n, 70) << seed;
      std::vector<Index> set;
      for (Index f = 0; f < d - 1; ++f)
        if (found->x[static_cast<std::size_t>(f)] != 0) set.push_back(f);
      EXPECT_EQ(set, instance.hidden) << variant << seed << " after " << n << " examples";
    }
}

}  // namespace
}  // namespace hardhead::hardness
