#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

RC_GTEST_PROP(MeetInTheMiddle, FindsWhatTryingEverySecretFinds, ()) {
  assert_agrees_with_brute_force("mitm", draw_small_challenge());
}

// Sums of a half lie anywhere, the ends of Z_q and of its cells included.
RC_GTEST_PROP(MeetInTheMiddle, FindsHalvesOfAnySums, ()) {
  ProblemParameters p;
  p.n = 2;
  p.q = *rc::gen::element<std::int64_t>(31, 32, 37, 61);
  p.noise = Noise::binary;
  const auto residue = [&] { return static_cast<Residue>(*rc::gen::inRange<std::int64_t>(0, p.q)); };
  const std::vector<Residue> secret = {residue(), residue()};
  Challenge challenge{p, {2, {}, {}}};
  for (int i = 0; i < 16; ++i) {
    const std::vector<Residue> row = {residue(), residue()};
    challenge.samples.a.insert(challenge.samples.a.end(), row.begin(), row.end());
    challenge.samples.b.push_back(label(p, row.data(), secret, *rc::gen::inRange<std::int64_t>(0, 2)));
  }
  std::string message;
  const auto found = find_attack("mitm").run(challenge, {}, message);
  RC_ASSERT(found.has_value());
  RC_ASSERT(verify(p, challenge.samples, *found).fits);
  if (verify(p, challenge.samples, secret).verified())
    RC_ASSERT(verify(p, challenge.samples, *found).verified());
}

TEST(MeetInTheMiddle, SplitsOddLengths) {
  for (const char* spec : {"lwe:n=1,q=97,sigma=0.3,samples=30", "lwe:n=3,q=97,sigma=0.3,samples=30",
                           "lwe:n=13,q=257,sigma=1,secret=binary,samples=30"}) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    std::string message;
    EXPECT_EQ(find_attack("mitm").run(challenge_of(spec), {}, message),
              Sampler(recipe.parameters, recipe.seed).secret())
        << spec;
  }
}

TEST(MeetInTheMiddle, SaysWhyItCannotBegin) {
  const auto reason = [](const char* spec) {
    return find_attack("mitm")
        .cost(Recipe::parse(Spec::parse(spec)).parameters, 100)
        .not_applicable.value_or("");
  };
  using testing::HasSubstr;
  EXPECT_THAT(reason("lpn:n=4"), HasSubstr("too many to match halves on"));
  EXPECT_THAT(reason("lwr:n=4,q=16,p=4"), HasSubstr("a label leaves 4 of 16 residues"));
  EXPECT_THAT(reason("lwr:n=4,q=32,p=8"), "");
  EXPECT_THAT(reason("lwe:n=51,secret=binary"), HasSubstr("2^26 halves are more than 2^25"));
  EXPECT_THAT(reason("lwe:n=50,secret=binary"), "");
}

}  // namespace
}  // namespace hardhead::lwe
