#include "hardness/gadget/head_count.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hardness/families/parity.h"
#include "hardness/gadget/interpolation.h"

namespace hardhead::hardness {
namespace {

std::vector<std::int64_t> parity(long m) {
  std::vector<std::int64_t> g;
  for (long h = 0; h <= m; ++h) g.push_back(h % 2 == 0 ? 1 : -1);
  return g;
}

/// Whether linear equations (rows: coefficients, then the right side) have a solution.
bool solvable(std::vector<std::vector<Rational>> rows) {
  std::size_t done = 0;
  const std::size_t unknowns = rows.front().size() - 1;
  for (std::size_t column = 0; column < unknowns && done < rows.size(); ++column) {
    std::size_t pivot = done;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[done], rows[pivot]);
    for (std::size_t r = done + 1; r < rows.size(); ++r) {
      const Rational factor = rows[r][column] / rows[done][column];
      for (std::size_t c = column; c <= unknowns; ++c) rows[r][c] -= factor * rows[done][c];
    }
    ++done;
  }
  for (std::size_t r = done; r < rows.size(); ++r)
    if (rows[r][unknowns] != 0) return false;
  return true;
}

enum class Constant { any, none, flat_head };

/// Whether steps at these y_i = B^(2 t_i) meet g at x = 4^h: up to a constant, or with W = 0 and none, or
/// with W = 0 and a flat head.
bool meets(const std::vector<std::int64_t>& g, const std::vector<Rational>& y, Constant constant) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t h = 0; h < g.size(); ++h) {
    std::vector<Rational> row;
    for (const Rational& at : y) row.push_back(at / (power(4, static_cast<long>(h)) + at));
    row.push_back(constant == Constant::any         ? 1
                  : constant == Constant::flat_head ? Rational(1, 2)
                                                    : Rational(0));
    row.emplace_back(g[h]);
    rows.push_back(std::move(row));
  }
  if (constant != Constant::any) {
    rows.emplace_back(y.size() + 2, Rational(1));
    rows.back()[y.size()] = constant == Constant::flat_head ? 1 : 0;
    rows.back().back() = 0;
  }
  return solvable(std::move(rows));
}

/// Fewest steps among those of a grid: half-integers t from -1/2 to H + 1/2, and places between them.
std::int64_t searched(const std::vector<std::int64_t>& g, Constant constant) {
  std::vector<Rational> grid;
  for (long h = -1; h < static_cast<long>(g.size()); ++h) {
    grid.push_back(2 * power(4, h));  // B = 2: half-integers
    grid.push_back(3 * power(4, h));
  }
  for (std::int64_t count = 0; count <= static_cast<std::int64_t>(grid.size()); ++count) {
    std::vector<bool> chosen(grid.size(), false);
    std::fill(chosen.end() - count, chosen.end(), true);
    do {
      std::vector<Rational> y;
      for (std::size_t i = 0; i < grid.size(); ++i)
        if (chosen[i]) y.push_back(grid[i]);
      if (meets(g, y, constant)) return count;
    } while (std::next_permutation(chosen.begin(), chosen.end()));
  }
  return -1;
}

TEST(HeadCount, OfParitiesIsThatOfTheFamilysVariants) {
  for (long m = 1; m <= 9; ++m) {
    EXPECT_EQ(least_steps(parity(m)), m);
    EXPECT_EQ(least_heads(parity(m)), m % 2 == 0 ? m + 2 : m + 1);
  }
}

TEST(HeadCount, IsTheFewestThatAnExactSearchFindsForParities) {
  for (long m = 1; m <= 4; ++m) {
    const auto g = parity(m);
    EXPECT_EQ(searched(g, Constant::any), least_steps(g)) << m;
    const std::int64_t without = searched(g, Constant::none), with = searched(g, Constant::flat_head) + 1;
    EXPECT_EQ(std::min(without, with), least_heads(g)) << m;
  }
}

TEST(HeadCount, IsNeverMoreThanASearchNeeds) {
  const std::vector<std::vector<std::int64_t>> functions = {{0, 0, 1},    {0, 1, 1, 0}, {0, 0, 1, 1},
                                                            {1, 0, 0, 0}, {0, 2, 1, 3}, {0, 1, 0, 0, 1},
                                                            {2, 2, 2},    {0, 1, 2, 3}};
  for (const auto& g : functions) {
    EXPECT_LE(least_steps(g), searched(g, Constant::any));
    const std::int64_t flat = searched(g, Constant::flat_head);
    const std::int64_t without = searched(g, Constant::none);
    EXPECT_LE(least_heads(g), flat < 0 ? without : std::min(without, flat + 1));
    EXPECT_LE(least_heads(g), std::ssize(g) + 1) << "H + 2 heads meet anything";
  }
}

TEST(HeadCount, OfParitiesAlongChainsIsThatOfTheCompactVariants) {
  for (long m = 1; m <= 12; ++m) {
    EXPECT_EQ(least_steps(parity(m), Slopes::chain), parity_heads(ParityVariant::compact, m)) << m;
    EXPECT_EQ(least_heads(parity(m), Slopes::chain), parity_heads(ParityVariant::compact_exact, m)) << m;
  }
}

TEST(HeadCount, OfAnySlopesCountsExponentials) {
  EXPECT_EQ(least_steps(parity(1), Slopes::any), 1);
  EXPECT_EQ(least_steps(parity(3), Slopes::any), 2);
  EXPECT_EQ(least_steps(parity(4), Slopes::any), 3);
  EXPECT_EQ(least_steps(parity(7), Slopes::any), 3);
  EXPECT_EQ(least_heads(parity(1), Slopes::any), 2);
  EXPECT_EQ(least_heads(parity(2), Slopes::any), 3);
  EXPECT_EQ(least_heads(parity(5), Slopes::any), 3);
  EXPECT_EQ(least_heads(parity(6), Slopes::any), 4);
}

TEST(HeadCount, FallsWithTheFreedomOfSlopes) {
  const std::vector<std::vector<std::int64_t>> functions = {
      {0, 0, 1}, {0, 1, 1, 0}, {1, 0, 0, 0}, {0, 2, 1, 3}, {0, 1, 0, 0, 1}, {2, 2, 2}, {0, 0}, {5, 5}};
  for (const auto& g : functions)
    for (const auto count : {least_steps, least_heads}) {
      EXPECT_LE(count(g, Slopes::chain), count(g, Slopes::one));
      EXPECT_LE(count(g, Slopes::any), count(g, Slopes::chain));
    }
}

TEST(HeadCount, CountsRootsThatALevelTouches) {
  EXPECT_EQ(least_steps(std::vector<std::int64_t>{1, 0, 1}), 2) << "a root, and one more for the sign";
  EXPECT_EQ(least_steps(std::vector<std::int64_t>{0, 0, 0, 1}), 3);
  EXPECT_EQ(least_steps(std::vector<std::int64_t>{5, 5}), 0);
  EXPECT_EQ(least_heads(std::vector<std::int64_t>{0, 0}), 0);
}

}  // namespace
}  // namespace hardhead::hardness
