#include "lwe/attacks/low_bits.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

/// Examples of a secret mod q, each with the candidates that `spread` makes of h.
template <class Spread>
std::vector<ResidueEquation> examples(const std::vector<Residue>& secret, std::int64_t q, std::int64_t count,
                                      std::uint64_t seed, const Spread& spread) {
  const Stream stream(Domain::test, seed, "low bits");
  const auto n = static_cast<std::int64_t>(secret.size());
  std::vector<ResidueEquation> out;
  for (std::int64_t i = 0; i < count; ++i) {
    ResidueEquation e;
    for (std::int64_t j = 0; j < n; ++j)
      e.a.push_back(static_cast<Residue>(
          stream.below(static_cast<std::uint64_t>(i * n + j), static_cast<std::uint64_t>(q))));
    e.candidates = spread(inner_product(e.a, secret, q));
    out.push_back(std::move(e));
  }
  return out;
}

std::vector<Residue> draw_residues(std::int64_t n, std::int64_t q) {
  std::vector<Residue> out;
  for (std::int64_t j = 0; j < n; ++j)
    out.push_back(static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, q)));
  return out;
}

// One candidate says all of h: bit by bit, as elimination.
RC_GTEST_PROP(LowBits, LiftTheSecretFromExactResidues, ()) {
  const std::int64_t n = *rc::gen::inRange<std::int64_t>(1, 9),
                     q = std::int64_t{1} << *rc::gen::inRange(1, 20);
  const auto secret = draw_residues(n, q);
  std::string message;
  const auto found = linearise_low_bits(examples(secret, q, n + 60, *rc::gen::inRange<std::uint64_t>(0, 1000),
                                                 [](Residue h) { return std::vector{h}; }),
                                        q, {}, message);
  RC_ASSERT(found == std::optional(secret));
}

// Candidates that differ in bits 0 and 1 together fix only the sum of these bits, which is quadratic in the
// secret.
RC_GTEST_PROP(LowBits, StartFromTheSumOfTheTwoLowestBits, ()) {
  const std::int64_t n = *rc::gen::inRange<std::int64_t>(1, 6),
                     q = std::int64_t{1} << *rc::gen::inRange(2, 10);
  const auto secret = draw_residues(n, q);
  std::string message;
  const auto found = linearise_low_bits(
      examples(secret, q, 2 * n + n * (n - 1) / 2 + 60, *rc::gen::inRange<std::uint64_t>(0, 1000),
               [](Residue h) { return std::vector{h, h ^ 3}; }),
      q, {}, message);
  RC_ASSERT(found == std::optional(secret));
}

// Candidates that contradict the bits below are dropped on the way: half of the examples say bit 0, the
// others the rest.
TEST(LowBits, DropCandidatesThatContradictTheBitsBelow) {
  const std::vector<Residue> secret = {5, 14, 3, 9};
  auto equations = examples(secret, 16, 60, 1, [](Residue h) { return std::vector{h, (h + 2) % 16}; });
  const auto others =
      examples(secret, 16, 60, 2, [](Residue h) { return std::vector{h, (h + 3) % 16, (h + 5) % 16}; });
  equations.insert(equations.end(), others.begin(), others.end());
  std::string message;
  EXPECT_EQ(linearise_low_bits(equations, 16, {}, message), secret) << message;
  EXPECT_FALSE(linearise_low_bits(others, 16, {}, message).has_value());
}

TEST(LowBits, SayWhichBitStaysOpen) {
  const std::vector<Residue> secret = {5, 14, 3, 9};
  std::string message;
  EXPECT_FALSE(linearise_low_bits({}, 16, {}, message).has_value());
  EXPECT_EQ(message, "no examples");
  const auto both =
      examples(secret, 16, 60, 1, [](Residue h) { return std::vector{h, (h + 1) % 16, h ^ 1, h ^ 3}; });
  EXPECT_FALSE(linearise_low_bits(both, 16, {}, message).has_value());
  EXPECT_THAT(message, HasSubstr("no bit of the secret: 0 examples fix bit 0, 0 bit 0 + bit 1, of 60"));
  const auto top = examples(secret, 16, 60, 1, [](Residue h) { return std::vector{h, (h + 8) % 16}; });
  EXPECT_FALSE(linearise_low_bits(top, 16, {}, message).has_value());
  EXPECT_THAT(message, HasSubstr("bits 0 .. 2 of the secret; 0 examples fix the next, of 60"));
}

TEST(LowBits, RowsOfTooLowARankLeaveBitsOpen) {
  const std::vector<Residue> secret = {5, 14, 3};
  auto equations = examples(secret, 16, 60, 1, [](Residue h) { return std::vector{h}; });
  for (ResidueEquation& e : equations) {
    e.a[0] = 2 * e.a[0] % 16;  // even: bit 0 of the first entry shows in no bit 0
    e.candidates = {inner_product(e.a, secret, 16)};
  }
  std::string message;
  EXPECT_FALSE(linearise_low_bits(equations, 16, {}, message).has_value());
}

// p = q rounds nothing: every label is its residue.
TEST(LowBits, SolveLwrThatRoundsNothing) {
  const AttackReport report =
      attack(challenge_of("lwr:n=5,q=32,p=32,samples=60"), find_attack("low-bits"), 60, {});
  EXPECT_TRUE(report.solved()) << report.message;
  EXPECT_EQ(report.secret, Sampler(challenge_of("lwr:n=5,q=32,p=32").parameters, 1).secret());
}

TEST(LowBits, AreForLwrModuloPowersOfTwo) {
  for (const char* spec : {"lwr:n=4,q=17,p=4", "lwe:n=4,q=16,sigma=1", "lpn:n=4"})
    EXPECT_THAT(find_attack("low-bits").cost(challenge_of(spec).parameters, 100).not_applicable.value_or(""),
                HasSubstr("q a power of two"))
        << spec;
}

}  // namespace
}  // namespace hardhead::lwe
