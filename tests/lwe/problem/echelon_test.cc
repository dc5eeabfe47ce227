#include "lwe/problem/echelon.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <atomic>

#include "base/run/stop_token.h"

namespace hardhead::lwe {
namespace {

std::int64_t draw_modulus() {
  return *rc::gen::element<std::int64_t>(2, 3, 4, 5, 7, 8, 9, 16, 97, 65537, 2147483647,
                                         std::int64_t{1} << 31);
}

ModMatrix draw_matrix(std::int64_t rows, std::int64_t columns, std::int64_t q) {
  ModMatrix out(rows, columns);
  // Few different entries, so that rows depend on one another and pivots are missing now and then.
  const std::int64_t below = *rc::gen::element<std::int64_t>(2, 3, q);
  for (Residue& entry : out.entries)
    entry = static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, std::min(below, q)));
  return out;
}

std::uint64_t product(const Residue* row, const std::vector<Residue>& x, std::int64_t q) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    sum = (sum + std::uint64_t{row[j]} * x[j]) % static_cast<std::uint64_t>(q);
  return sum;
}

TEST(InverseMod, IsTheInverseOfUnitsAndZeroForOthers) {
  for (const std::int64_t q : {2, 3, 4, 7, 8, 16, 97, 256, 1009})
    for (std::int64_t a = 0; a < q; ++a) {
      const Residue inverse = inverse_mod(static_cast<Residue>(a), q);
      bool unit = false;
      for (std::int64_t b = 0; b < q; ++b) unit = unit || a * b % q == 1;
      EXPECT_EQ(inverse != 0, unit) << a << " mod " << q;
      if (unit) {
        EXPECT_EQ(a * inverse % q, 1) << a << " mod " << q;
      }
    }
  EXPECT_EQ(std::uint64_t{2147483629} * inverse_mod(2147483629, 2147483647) % 2147483647, 1U);
  EXPECT_EQ(
      std::uint64_t{2147483647} * inverse_mod(2147483647, std::int64_t{1} << 31) % (std::uint64_t{1} << 31),
      1U);
}

RC_GTEST_PROP(ReduceRows, LeavesIdentityColumnsAtPivotsAndNoUnitBelow, ()) {
  const std::int64_t q = draw_modulus(), rows = *rc::gen::inRange<std::int64_t>(1, 7),
                     columns = *rc::gen::inRange<std::int64_t>(1, 7),
                     allowed = *rc::gen::inRange<std::int64_t>(0, columns + 1);
  ModMatrix matrix = draw_matrix(rows, columns, q);
  const auto pivots = reduce_rows(matrix, allowed, q);
  RC_ASSERT(std::ranges::is_sorted(pivots));
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    RC_ASSERT(pivots[k] < allowed);
    for (std::int64_t i = 0; i < rows; ++i)
      RC_ASSERT(matrix.row(i)[pivots[k]] == (i == static_cast<std::int64_t>(k) ? 1U : 0U));
  }
  for (auto i = static_cast<std::int64_t>(pivots.size()); i < rows; ++i)
    for (std::int64_t c = 0; c < allowed; ++c) RC_ASSERT(inverse_mod(matrix.row(i)[c], q) == 0);
}

// The rows' span is unchanged: what all rows annihilate before, they do after, and the other way round.
RC_GTEST_PROP(ReduceRows, KeepsTheSolutions, ()) {
  const std::int64_t q = *rc::gen::element<std::int64_t>(2, 3, 4, 5, 8),
                     rows = *rc::gen::inRange<std::int64_t>(1, 5),
                     columns = *rc::gen::inRange<std::int64_t>(1, 4);
  const ModMatrix before = draw_matrix(rows, columns, q);
  ModMatrix after = before;
  reduce_rows(after, columns, q);
  std::vector<Residue> x(static_cast<std::size_t>(columns), 0);
  for (std::size_t j = 0; j < x.size();) {
    bool solves_before = true, solves_after = true;
    for (std::int64_t i = 0; i < rows; ++i) {
      solves_before = solves_before && product(before.row(i), x, q) == 0;
      solves_after = solves_after && product(after.row(i), x, q) == 0;
    }
    RC_ASSERT(solves_before == solves_after);
    for (j = 0; j < x.size() && ++x[j] == q; ++j) x[j] = 0;
  }
}

// By trying all x: there is an answer if and only if there is one solution, and it is that one.
RC_GTEST_PROP(SolveMod, FindsTheSolutionIfThereIsOneOnly, ()) {
  const std::int64_t q = *rc::gen::element<std::int64_t>(2, 3, 4, 5, 7, 8),
                     rows = *rc::gen::inRange<std::int64_t>(1, 6),
                     unknowns = *rc::gen::inRange<std::int64_t>(1, 4);
  ModMatrix equations = draw_matrix(rows, unknowns + 1, q);
  if (*rc::gen::arbitrary<bool>()) {  // right sides of a solution
    std::vector<Residue> planted;
    for (std::int64_t j = 0; j < unknowns; ++j)
      planted.push_back(static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, q)));
    for (std::int64_t i = 0; i < rows; ++i)
      equations.row(i)[unknowns] = static_cast<Residue>(product(equations.row(i), planted, q));
  }
  std::vector<std::vector<Residue>> solutions;
  std::vector<Residue> x(static_cast<std::size_t>(unknowns), 0);
  for (std::size_t j = 0; j < x.size();) {
    bool solves = true;
    for (std::int64_t i = 0; i < rows; ++i)
      solves = solves && product(equations.row(i), x, q) == equations.row(i)[unknowns];
    if (solves) solutions.push_back(x);
    for (j = 0; j < x.size() && ++x[j] == q; ++j) x[j] = 0;
  }
  const auto answer = solve_mod(equations, q);
  RC_TAG(solutions.size() == 1 ? "one solution" : solutions.empty() ? "none" : "several");
  RC_ASSERT(answer.has_value() == (solutions.size() == 1));
  if (answer) RC_ASSERT(*answer == solutions.front());
}

RC_GTEST_PROP(SolveMod, RecoversWhatWasPlantedAtAnyModulus, ()) {
  const std::int64_t q = draw_modulus(), unknowns = *rc::gen::inRange<std::int64_t>(1, 8);
  std::vector<Residue> planted;
  for (std::int64_t j = 0; j < unknowns; ++j)
    planted.push_back(static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, q)));
  // Rows of a unit lower triangle in the order drawn, and some more: they determine the unknowns.
  ModMatrix equations(unknowns + 2, unknowns + 1);
  for (std::int64_t i = 0; i < equations.rows; ++i) {
    for (std::int64_t j = 0; j < unknowns; ++j)
      equations.row(i)[j] = i == j  ? 1
                            : j < i ? static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, q))
                                    : 0;
    equations.row(i)[unknowns] = static_cast<Residue>(product(equations.row(i), planted, q));
  }
  RC_ASSERT(solve_mod(equations, q) == std::optional(planted));
  Residue& last = equations.row(unknowns + 1)[unknowns];
  last = static_cast<Residue>((last + 1) % q);
  RC_ASSERT(!solve_mod(equations, q).has_value());
}

TEST(ReduceRows, CanBeStopped) {
  const std::atomic<bool> up = true;
  ModMatrix matrix(3, 3);
  EXPECT_THROW(reduce_rows(matrix, 3, 7, StopToken(&up)), Stopped);
}

}  // namespace
}  // namespace hardhead::lwe
