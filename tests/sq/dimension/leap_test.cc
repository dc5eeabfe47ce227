#include "sq/dimension/leap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

using Function = std::function<std::int64_t(const std::vector<int>&)>;

std::vector<std::int64_t> table(int m, const Function& f) {
  std::vector<std::int64_t> out;
  for (Bits word = 0; word < Bits{1} << m; ++word) {
    std::vector<int> z;
    for (int j = 0; j < m; ++j) z.push_back((word >> j & 1) != 0 ? -1 : 1);
    out.push_back(f(z));
  }
  return out;
}

struct Known {
  const char* name;
  int m;
  Function f;
  int csq, sq;
};

// Worked out by hand from the Fourier expansions.
const std::vector<Known> known = {
    {"one bit", 1, [](const auto& z) { return z[0]; }, 1, 1},
    {"xor", 2, [](const auto& z) { return z[0] * z[1]; }, 2, 2},
    {"parity of 3", 3, [](const auto& z) { return z[0] * z[1] * z[2]; }, 3, 3},
    {"parity of 5", 5, [](const auto& z) { return z[0] * z[1] * z[2] * z[3] * z[4]; }, 5, 5},
    {"staircase", 3, [](const auto& z) { return z[0] + z[0] * z[1] + z[0] * z[1] * z[2]; }, 1, 1},
    {"staircase with a step of two", 4,
     [](const auto& z) { return z[0] + z[0] * z[1] * z[2] + z[0] * z[1] * z[2] * z[3]; }, 2, 2},
    {"majority", 3, [](const auto& z) { return z[0] + z[1] + z[2] > 0 ? 1 : -1; }, 1, 1},
    {"and", 3, [](const auto& z) { return z[0] + z[1] + z[2] == -3 ? -1 : 1; }, 1, 1},
    {"address", 3, [](const auto& z) { return z[0] > 0 ? z[1] : z[2]; }, 1, 1},
    {"not all equal", 3, [](const auto& z) { return z[0] == z[1] && z[1] == z[2] ? 1 : -1; }, 2, 2},
    // The size 4 + 2 z_1 + z_2 tells z_1 and z_2 to queries of |y|; correlations see products of 4 and 5
    // bits.
    {"parity of 5 with a size", 5,
     [](const auto& z) { return z[0] * z[1] * z[2] * z[3] * z[4] * (4 + 2 * z[0] + z[1]); }, 4, 3},
    {"scaled parity", 4,
     [](const auto& z) { return z[0] * z[1] * z[2] * z[3] * (16 + z[0] + 2 * z[1] + 4 * z[2] + 8 * z[3]); },
     3, 1},
    {"two xors", 4, [](const auto& z) { return z[0] * z[1] + z[2] * z[3]; }, 2, 2},
    {"constant", 2, [](const auto&) { return 7; }, 0, 0},
};

TEST(Leaps, AreThoseWorkedOutByHand) {
  for (const Known& one : known) {
    const Leaps found = leaps(table(one.m, one.f));
    EXPECT_EQ(found.csq, one.csq) << one.name;
    EXPECT_EQ(found.sq, one.sq) << one.name;
  }
}

/// The least k over all orders of the detectable sets, each skipped where it has more than k new bits.
int leap_by_all_orders(std::vector<Bits> sets) {
  Bits all = 0;
  for (const Bits s : sets) all |= s;
  int best = 64;
  std::ranges::sort(sets);
  do {
    for (int k = 0; k < best; ++k) {
      Bits seen = 0;
      for (const Bits s : sets)
        if (std::popcount(s & ~seen) <= k) seen |= s;
      if (seen == all) best = k;
    }
  } while (std::ranges::next_permutation(sets).found);
  return best;
}

TEST(Leaps, OfAListOfSetsAreTheBestOfAllItsOrders) {
  const std::vector<std::vector<Bits>> lists = {{1, 3, 7},      {7, 3},         {5, 6, 24},
                                                {1, 6, 31},     {15},           {3, 12, 15},
                                                {9, 6, 15, 16}, {7, 56, 63, 1}, {31, 30, 28}};
  for (const auto& list : lists) EXPECT_EQ(leap_of(list), leap_by_all_orders(list));
}

TEST(Leaps, DoNotDependOnNamesOrSignsOfBits) {
  for (const Known& one : known) {
    std::vector<int> order(static_cast<std::size_t>(one.m));
    std::iota(order.rbegin(), order.rend(), 0);
    const Leaps turned = leaps(table(one.m, [&](const auto& z) {
      std::vector<int> other;
      for (const int j : order) other.push_back(-z[static_cast<std::size_t>(j)]);
      return one.f(other);
    }));
    EXPECT_EQ(turned.csq, one.csq) << one.name;
    EXPECT_EQ(turned.sq, one.sq) << one.name;
  }
}

TEST(Leaps, RefuseWhatIsNoTable) {
  expect_refusal([] { leaps(std::vector<std::int64_t>{1, 2, 3}); }, "3 values are not 2^m");
}

}  // namespace
}  // namespace hardhead::sq
