#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

RC_GTEST_PROP(Exhaustive, FindsWhatTryingEverySecretFinds, ()) {
  assert_agrees_with_brute_force("exhaustive", draw_small_challenge());
}

// A search cut into tasks by its first coordinates: more of them than fit into one block of settings.
TEST(Exhaustive, FindsTheSecretWhereverItLies) {
  for (const char* spec : {"lwe:n=18,q=97,sigma=0.3,secret=binary,samples=60", "lwr:n=5,q=16,p=4,samples=60",
                           "lwe:n=9,q=31,sigma=0,secret=ternary,samples=40"})
    for (int seed = 1; seed <= 4; ++seed) {
      const Recipe recipe = Recipe::parse(Spec::parse(std::string(spec) + ",seed=" + std::to_string(seed)));
      const Sampler sampler(recipe.parameters, recipe.seed);
      std::string message;
      const Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
      EXPECT_EQ(find_attack("exhaustive").run(challenge, {}, message), sampler.secret())
          << spec << ", " << seed;
    }
}

// Parity with noise: the transform's largest correlation is the fewest wrong labels.
RC_GTEST_PROP(Exhaustive, OfParitiesTheFewestWrongLabelsWin, ()) {
  ProblemParameters p;
  p.problem = ProblemKind::lpn;
  p.n = *rc::gen::inRange<std::int64_t>(1, 9);
  p.rate = 0.2;
  Challenge challenge{p, {p.n, {}, {}}};
  const auto bits = [](std::size_t count) {
    return *rc::gen::container<std::vector<Residue>>(count, rc::gen::element<Residue>(0, 1));
  };
  challenge.samples.b =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<Residue>>(rc::gen::element<Residue>(0, 1)));
  challenge.samples.a = bits(challenge.samples.b.size() * static_cast<std::size_t>(p.n));
  const auto wrong = [&](const std::vector<Residue>& secret) {
    return verify(p, challenge.samples, secret).largest_residual;
  };
  std::int64_t fewest = challenge.samples.count();
  for (std::uint32_t s = 0; s < 1U << p.n; ++s) {
    std::vector<Residue> secret;
    for (std::int64_t j = 0; j < p.n; ++j) secret.push_back(s >> j & 1);
    fewest = std::min(fewest, wrong(secret));
  }
  std::string message;
  const auto found = find_attack("exhaustive").run(challenge, {}, message);
  RC_ASSERT(found.has_value());
  RC_ASSERT(wrong(*found) == fewest);
}

TEST(Exhaustive, SaysWhyItCannotBegin) {
  const auto reason = [](const char* spec) {
    return find_attack("exhaustive")
        .cost(Recipe::parse(Spec::parse(spec)).parameters, 100)
        .not_applicable.value_or("");
  };
  using testing::HasSubstr;
  EXPECT_THAT(reason("lpn:n=29"), HasSubstr("2^29 correlations are more than 2^28"));
  EXPECT_THAT(reason("lpn:n=28"), "");
  EXPECT_THAT(reason("lwe:n=45,secret=binary"), HasSubstr("2^45 secrets are more than 2^44"));
  EXPECT_THAT(reason("lwe:n=44,secret=binary"), "");
  EXPECT_THAT(reason("lwe:n=2,q=16,sigma=3"), HasSubstr("excludes no secret"));
  EXPECT_THAT(reason("lwe:n=1,q=1048573,sigma=1"), HasSubstr("tables too large"));
}

}  // namespace
}  // namespace hardhead::lwe
