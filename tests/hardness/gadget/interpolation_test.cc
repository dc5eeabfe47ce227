#include "hardness/gadget/interpolation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::hardness {
namespace {

nlohmann::json known_answers(const std::string& name) {
  std::ifstream in(std::string(HARDHEAD_TEST_DIR) + "/known_answers/" + name);
  return nlohmann::json::parse(in);
}

std::vector<Rational> parity_function(long h_max) {
  std::vector<Rational> g;
  for (long h = 0; h <= h_max; ++h) g.push_back(h % 2 == 0 ? 1 : -1);
  return g;
}

std::vector<Rational> function_of(const nlohmann::json& known) {
  const long h_max = known["H"];
  if (known["function"] == "(-1)^h") return parity_function(h_max);
  const long p = known["p"], q = known["q"];
  EXPECT_EQ(known["function"],
            "floor(" + std::to_string(p) + "*h/" + std::to_string(q) + ") mod " + std::to_string(p));
  std::vector<Rational> g;
  for (long h = 0; h <= h_max; ++h) g.push_back(p * h / q % p);
  return g;
}

std::vector<Rational> rationals(const nlohmann::json& texts) {
  std::vector<Rational> out;
  for (const std::string text : texts) out.push_back(parse_rational(text));
  return out;
}

std::vector<Rational> steps_of(const StepWeights& steps) {
  std::vector<Rational> out;
  for (const int twice : steps.twice_steps) out.push_back(Rational(twice, 2));
  return out;
}

Rational sum_of(const std::vector<Rational>& weights) {
  return std::accumulate(weights.begin(), weights.end(), Rational(0));
}

std::vector<Rational> random_function(const Stream& stream, std::uint64_t item, std::size_t length) {
  std::vector<Rational> g;
  for (std::size_t h = 0; h < length; ++h)
    g.push_back(Rational(static_cast<long>(stream.below(100 * item + 2 * h, 2001)) - 1000,
                         static_cast<long>(stream.below(100 * item + 2 * h + 1, 50)) + 1));
  return g;
}

TEST(MinimalSteps, EqualEveryKnownParityWeightExactly) {
  const auto known = known_answers("parity_weights.json");
  ASSERT_EQ(known["cases"].size(), 30u);
  for (const auto& c : known["cases"]) {
    const auto steps = minimal_steps(parity_function(c["m"]), c["B"]);
    EXPECT_EQ(steps_of(steps), rationals(c["steps"])) << c["m"] << " " << c["B"];
    EXPECT_EQ(steps.weights, rationals(c["weights"])) << c["m"] << " " << c["B"];
    EXPECT_EQ(steps.offset, parse_rational(std::string(c["kappa"])));
    EXPECT_EQ(sum_of(steps.weights), parse_rational(std::string(c["weight_sum"])));
  }
}

TEST(ExactInterpolation, EqualsEveryKnownWeightExactly) {
  const auto known = known_answers("interpolation_weights.json");
  ASSERT_EQ(known["cases"].size(), 21u);
  for (const auto& c : known["cases"]) {
    const auto steps = exact_interpolation(function_of(c), c["B"]);
    EXPECT_EQ(steps_of(steps), rationals(c["steps"])) << c["function"] << " " << c["B"];
    EXPECT_EQ(steps.weights, rationals(c["weights"])) << c["function"] << " " << c["B"];
    EXPECT_EQ(steps.offset, 0);
    EXPECT_EQ(sum_of(steps.weights), 0);
  }
}

TEST(ExactInterpolation, MeetsAnyRationalFunctionValueForValueWithWeightsThatSumToZero) {
  const Stream stream(Domain::test, 1, "interpolation");
  for (std::uint64_t item = 0; item < 24; ++item) {
    const std::int64_t base = std::array{2, 3, 4, 10, 1 << 20}[item % 5];
    const auto g = random_function(stream, item, 1 + item % 9);
    const auto steps = exact_interpolation(g, base);
    ASSERT_EQ(steps.weights.size(), g.size() + 1);
    EXPECT_EQ(sum_of(steps.weights), 0);
    EXPECT_EQ(steps.values, g);
    for (std::size_t h = 0; h < g.size(); ++h) EXPECT_EQ(evaluate(steps, base, static_cast<long>(h)), g[h]);
  }
}

TEST(MinimalSteps, MeetAnyRationalFunctionUpToTheOffset) {
  const Stream stream(Domain::test, 2, "interpolation");
  for (std::uint64_t item = 0; item < 24; ++item) {
    const std::int64_t base = std::array{2, 3, 4, 10, 1 << 20}[item % 5];
    const auto g = random_function(stream, item, 1 + item % 9);
    const auto steps = minimal_steps(g, base);
    ASSERT_EQ(steps.weights.size(), g.size() - 1);
    for (std::size_t h = 0; h < g.size(); ++h) {
      EXPECT_EQ(evaluate(steps, base, static_cast<long>(h)), g[h] + steps.offset);
      EXPECT_EQ(steps.values[h], g[h] + steps.offset);
    }
  }
}

TEST(MinimalSteps, ParityWeightsSumToZeroForEvenAndToTwiceTheOffsetForOddSizes) {
  for (long m = 1; m <= 21; ++m) {
    const auto steps = minimal_steps(parity_function(m), 4);
    EXPECT_EQ(sum_of(steps.weights), m % 2 == 0 ? Rational(0) : Rational(2 * steps.offset)) << m;
  }
}

TEST(ExactInterpolation, ParityWeightsStayOfTheStatedSize) {
  for (const auto& [base, limit] : {std::pair{2, 136.4}, {4, 7.8}, {16, 2.7}}) {
    const auto steps = exact_interpolation(parity_function(60), base);
    double largest = 0;
    for (const Rational& w : steps.weights) largest = std::max(largest, std::abs(round_to_nearest(w)));
    EXPECT_LE(largest, limit) << base;
  }
}

TEST(ExactInterpolation, HoldsAtAHundredHeads) {
  const auto g = parity_function(98);
  const auto steps = exact_interpolation(g, 4);
  EXPECT_EQ(sum_of(steps.weights), 0);
  for (const long h : {0L, 1L, 49L, 98L}) EXPECT_EQ(evaluate(steps, 4, h), g[static_cast<std::size_t>(h)]);
}

TEST(Interpolation, RefusesAnEmptyFunctionAndABaseBelowTwo) {
  const auto g = parity_function(3);
  EXPECT_THROW(exact_interpolation({}, 4), InputError);
  EXPECT_THROW(minimal_steps({}, 4), InputError);
  EXPECT_THROW(exact_interpolation(g, 1), InputError);
  EXPECT_THROW(minimal_steps(g, 0), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
