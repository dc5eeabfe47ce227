#include "hardness/concepts/all_members.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sq/dimension/information.h"

namespace hardhead::hardness {
namespace {

using Order = std::vector<int>;

/// All orders of m of the n coordinates.
std::vector<Order> orders(int n, int m) {
  std::vector<Order> out{{}};
  for (int j = 0; j < m; ++j) {
    std::vector<Order> longer;
    for (const Order& head : out)
      for (int c = 0; c < n; ++c)
        if (std::ranges::count(head, c) == 0) {
          longer.push_back(head);
          longer.back().push_back(c);
        }
    out = std::move(longer);
  }
  return out;
}

/// The label at every point of n bits.
std::vector<std::int64_t> labels_of(const std::vector<std::int64_t>& values, const Order& order, int n) {
  std::vector<std::int64_t> out;
  for (std::size_t z = 0; z < std::size_t{1} << n; ++z) {
    std::size_t word = 0;
    for (std::size_t j = 0; j < order.size(); ++j) word |= (z >> order[j] & 1) << j;
    out.push_back(values[word]);
  }
  return out;
}

// rho by its definition, E_Q[L_f L_g] - 1 over all (x, y), of all pairs of members.
TEST(JuntaPairs, AreTheirDefinition) {
  struct Case {
    JuntaFunction function;
    int d, m;
  };
  for (const auto& [function, d, m] : {Case{JuntaFunction::staircase, 5, 2},
                                       {JuntaFunction::staircase, 5, 3},
                                       {JuntaFunction::parity, 5, 2},
                                       {JuntaFunction::majority, 4, 2},
                                       {JuntaFunction::conjunction, 5, 2},
                                       {JuntaFunction::address, 5, 3},
                                       {JuntaFunction::scaled_parity, 5, 2},
                                       {JuntaFunction::staircase, 4, 3}}) {
    const JuntaOptions options{.d = d, .m = m, .function = function};
    const auto values = junta_values(function, m);
    const int n = d - 1, points = 1 << n;
    std::map<std::int64_t, Rational> law;
    for (const std::int64_t value : values) law[value] += Rational(1, std::ssize(values));
    std::vector<std::vector<std::int64_t>> members;
    for (const Order& order : orders(n, m)) members.push_back(labels_of(values, order, n));
    std::map<std::pair<Rational, Rational>, Rational> expected;
    Rational largest = 0;
    for (const auto& f : members) {
      Rational row = 0;
      for (const auto& g : members) {
        Rational rho = 0, agreement = 0;
        for (std::size_t z = 0; z < f.size(); ++z) {
          for (const auto& [y, mass] : law) {
            const Rational ratio = 1 / mass;  // of a label that is right
            rho += mass / points * ((f[z] == y && g[z] == y ? Rational(ratio * ratio) : Rational(0)) - 1) / 2;
          }
          agreement += Rational(f[z] == g[z] ? 1 : 0, points);
        }
        expected[{rho, agreement}] += Rational(1, std::ssize(members) * std::ssize(members));
        row += abs(rho) / std::ssize(members);
      }
      largest = std::max(largest, row);
    }
    const auto pairs = junta_pairs(options);
    ASSERT_TRUE(pairs);
    std::map<std::pair<Rational, Rational>, Rational> found;
    for (const sq::PairShare& pair : pairs->shares) found[{pair.correlation, pair.agreement}] = pair.share;
    EXPECT_EQ(found, expected) << name_of(function) << " " << d << " " << m;
    EXPECT_EQ(pairs->largest_row, largest);
    const std::set<std::vector<std::int64_t>> functions(members.begin(), members.end());
    EXPECT_EQ(junta_functions(options), std::ssize(functions));
    EXPECT_EQ(sq::functions_of(*pairs), std::ssize(functions));
  }
}

TEST(JuntaPairs, OfParitiesAreThoseOfParities) {
  for (const int m : {1, 3, 6}) {
    const auto pairs = junta_pairs({.d = 12, .m = m, .function = JuntaFunction::parity});
    const sq::MemberPairs parities = sq::parity_pairs(12, m);
    ASSERT_EQ(pairs->shares.size(), parities.shares.size());
    for (const sq::PairShare& pair : parities.shares) {
      const auto same = std::ranges::find(pairs->shares, pair.correlation, &sq::PairShare::correlation);
      ASSERT_NE(same, pairs->shares.end());
      EXPECT_EQ(same->share, pair.share);
      EXPECT_EQ(same->agreement, pair.agreement);
    }
    EXPECT_EQ(pairs->largest_row, parities.largest_row);
  }
  EXPECT_FALSE(junta_pairs({.d = 12, .m = 8, .function = JuntaFunction::parity}));
}

}  // namespace
}  // namespace hardhead::hardness
