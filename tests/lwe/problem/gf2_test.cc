#include "lwe/problem/gf2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "base/numeric/random.h"
#include "tests/refusal.h"

namespace hardhead::lwe {
namespace {

std::vector<std::uint64_t> random_row(const Stream& stream, std::uint64_t item, std::int64_t unknowns) {
  std::vector<std::uint64_t> row(static_cast<std::size_t>((unknowns + 63) / 64));
  for (std::size_t w = 0; w < row.size(); ++w) row[w] = stream.bits(item, w)[0];
  if (unknowns % 64 != 0) row.back() &= (std::uint64_t{1} << (unknowns % 64)) - 1;
  return row;
}

bool product(const Gf2Equation& equation, const std::vector<std::uint8_t>& x) {
  bool sum = false;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (x[j] != 0 && (equation.coefficients[j / 64] >> (j % 64) & 1) != 0) sum = !sum;
  return sum;
}

std::vector<std::uint8_t> random_secret(const Stream& stream, std::uint64_t item, std::int64_t unknowns) {
  std::vector<std::uint8_t> secret;
  for (std::int64_t j = 0; j < unknowns; ++j)
    secret.push_back(static_cast<std::uint8_t>(stream.bits(item, static_cast<std::uint64_t>(j))[1] & 1));
  return secret;
}

TEST(SolveGf2, RecoversASecretFromSlightlyMoreEquationsThanUnknowns) {
  for (const std::int64_t unknowns : {1, 2, 19, 63, 64, 65, 128, 200, 513}) {
    const Stream stream(Domain::test, static_cast<std::uint64_t>(unknowns), "gf2");
    const auto secret = random_secret(stream, 1, unknowns);
    std::vector<Gf2Equation> equations;
    for (std::int64_t i = 0; i < unknowns + 30; ++i) {
      Gf2Equation equation{random_row(stream, static_cast<std::uint64_t>(10 + i), unknowns), false};
      equation.rhs = product(equation, secret);
      equations.push_back(equation);
    }
    const auto solution = solve_gf2(equations, unknowns);
    ASSERT_TRUE(solution) << unknowns;
    EXPECT_TRUE(solution->unique()) << unknowns;
    EXPECT_EQ(solution->rank, unknowns);
    EXPECT_EQ(solution->x, secret) << unknowns;
  }
}

TEST(SolveGf2, OfTooFewEquationsGivesASolutionAndSaysItIsNotUnique) {
  for (const std::int64_t unknowns : {5, 64, 100}) {
    const Stream stream(Domain::test, static_cast<std::uint64_t>(unknowns), "gf2 few");
    const auto secret = random_secret(stream, 1, unknowns);
    std::vector<Gf2Equation> equations;
    for (std::int64_t i = 0; i < unknowns / 2; ++i) {
      Gf2Equation equation{random_row(stream, static_cast<std::uint64_t>(10 + i), unknowns), false};
      equation.rhs = product(equation, secret);
      equations.push_back(equation);
      equations.push_back(equation);  // repeated: no rank
    }
    const auto solution = solve_gf2(equations, unknowns);
    ASSERT_TRUE(solution);
    EXPECT_FALSE(solution->unique());
    EXPECT_LE(solution->rank, unknowns / 2);
    for (const auto& equation : equations) EXPECT_EQ(product(equation, solution->x), equation.rhs);
  }
}

TEST(SolveGf2, AgreesWithExhaustionOnEverySmallSystem) {
  // All systems of 3 equations in 3 unknowns: 2^12.
  for (unsigned code = 0; code < (1u << 12); ++code) {
    std::vector<Gf2Equation> equations;
    for (unsigned i = 0; i < 3; ++i)
      equations.push_back({{code >> (4 * i) & 7}, (code >> (4 * i + 3) & 1) != 0});
    int solutions = 0;
    for (std::uint8_t x = 0; x < 8; ++x) {
      const std::vector<std::uint8_t> bits{static_cast<std::uint8_t>(x & 1),
                                           static_cast<std::uint8_t>(x >> 1 & 1),
                                           static_cast<std::uint8_t>(x >> 2)};
      solutions += std::all_of(equations.begin(), equations.end(),
                               [&](const auto& e) { return product(e, bits) == e.rhs; })
                       ? 1
                       : 0;
    }
    const auto found = solve_gf2(equations, 3);
    ASSERT_EQ(found.has_value(), solutions > 0) << code;
    if (!found) continue;
    EXPECT_EQ(1 << (3 - found->rank), solutions) << code;
    for (const auto& e : equations) ASSERT_EQ(product(e, found->x), e.rhs) << code;
  }
}

TEST(SolveGf2, OfContradictoryEquationsIsEmpty) {
  EXPECT_FALSE(solve_gf2(std::vector<Gf2Equation>{{{0b101}, true}, {{0b101}, false}}, 3));
  EXPECT_FALSE(solve_gf2(std::vector<Gf2Equation>{{{0}, true}}, 3));
}

TEST(SolveGf2, OfNoEquationsIsZeroOfRankZero) {
  const auto solution = solve_gf2({}, 70);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->rank, 0);
  EXPECT_EQ(solution->x, std::vector<std::uint8_t>(70, 0));
}

TEST(SolveGf2, RefusesWhatWouldStopNtl) {
  const auto refuses = [](const std::vector<Gf2Equation>& equations, std::int64_t unknowns,
                          const char* text) {
    EXPECT_THAT(refusal_of([&] { solve_gf2(equations, unknowns); }), testing::HasSubstr(text));
  };
  refuses({}, 0, "0 unknowns");
  refuses({}, -5, "-5 unknowns");
  refuses({}, gf2_max_unknowns + 1, "1048577 unknowns");
  refuses({{{0}, false}, {{0, 0}, false}}, 64, "equation 1 has 2 words");
  refuses({{{}, false}}, 1, "equation 0 has 0 words");
  refuses({{{0b1000}, false}}, 3, "equation 0 has a bit set past unknown 2");
  refuses(std::vector<Gf2Equation>(4097), gf2_max_unknowns, "4097 equations in 1048576 unknowns");
}

}  // namespace
}  // namespace hardhead::lwe
