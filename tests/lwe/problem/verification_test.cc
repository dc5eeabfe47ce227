#include "lwe/problem/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/lwe/recipe.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

ProblemParameters lwe(std::int64_t n, std::int64_t q, double sigma) {
  ProblemParameters p;
  p.n = n;
  p.q = q;
  p.sigma = sigma;
  return p;
}

TEST(Verify, MeasuresCentredResiduals) {
  const ProblemParameters p = lwe(1, 12289, 2);
  // b - 5 a, centred: 0, 3, -4.
  const Samples samples{1, {1, 2, 3}, {5, 13, 11}};
  const Verification says = verify(p, samples, std::vector<Residue>{5});
  EXPECT_TRUE(says.in_secret_space);
  EXPECT_TRUE(says.fits) << says.message;
  EXPECT_EQ(says.largest_residual, 4);
  EXPECT_DOUBLE_EQ(says.residual_rms, std::sqrt((0 + 9 + 16) / 3.0));
  EXPECT_DOUBLE_EQ(says.log2_impostors, std::log2(12289) + 3 * std::log2(9 / 12289.0));
  EXPECT_FALSE(says.verified()) << "three samples do not determine a secret";
  EXPECT_THAT(says.message, HasSubstr("residuals at most 4"));
}

TEST(Verify, ResidualsOutsideTheTailOrTooLargeTogetherDoNotFit) {
  const ProblemParameters p = lwe(1, 1009, 2);
  const auto cut = static_cast<Residue>(tail_cut(2));
  const std::vector<Residue> zero = {0};
  EXPECT_TRUE(verify(p, {1, {1, 1}, {cut, 0}}, zero).fits);
  EXPECT_TRUE(verify(p, {1, {1, 1}, {0, 1009 - cut}}, zero).fits);
  EXPECT_THAT(verify(p, {1, {1, 1}, {0, cut + 1}}, zero).message, HasSubstr("1 of 2 residuals are outside"));
  // 200 residuals of the cut: each allowed, all together too many squares.
  const Verification many =
      verify(p, {1, std::vector<Residue>(200, 1), std::vector<Residue>(200, cut)}, zero);
  EXPECT_FALSE(many.fits);
  EXPECT_THAT(many.message, HasSubstr("too large for sigma=2"));
}

TEST(Verify, BinaryNoiseIsZeroOrOneModuloAnything) {
  for (const std::int64_t q : {2, 3, 4, 97}) {
    ProblemParameters p = lwe(1, q, 0);
    p.noise = Noise::binary;
    const std::vector<Residue> secret = {1};
    const auto label = [&](std::int64_t error) { return static_cast<Residue>((1 + error) % q); };
    EXPECT_TRUE(verify(p, {1, {1, 1}, {label(0), label(1)}}, secret).fits) << q;
    if (q > 2) {
      EXPECT_FALSE(verify(p, {1, {1, 1}, {label(0), label(q - 1)}}, secret).fits) << q;
    }
    if (q > 2) {
      EXPECT_FALSE(verify(p, {1, {1, 1}, {label(0), label(2)}}, secret).fits) << q;
    }
  }
}

TEST(Verify, RoundedLabelsFitExactlyOrNot) {
  ProblemParameters p;
  p.problem = ProblemKind::lwr;
  p.n = 1;
  p.q = 13;
  p.p = 4;
  Samples samples{1, {}, {}};
  for (Residue a = 0; a < 13; ++a) {
    samples.a.push_back(a);
    samples.b.push_back(4 * (6 * a % 13) / 13);
  }
  const Verification right = verify(p, samples, std::vector<Residue>{6});
  EXPECT_TRUE(right.fits);
  EXPECT_DOUBLE_EQ(right.log2_impostors,
                   std::log2(13) + 13 * std::log2(4 / 13.0));  // ceil(13 / 4) residues a label
  samples.b[3] = (samples.b[3] + 1) % 4;
  const Verification wrong = verify(p, samples, std::vector<Residue>{6});
  EXPECT_FALSE(wrong.fits);
  EXPECT_EQ(wrong.largest_residual, 1);
  EXPECT_THAT(wrong.message, HasSubstr("1 of 13 labels are wrong"));
}

TEST(Verify, ParityWithNoiseIsAQuestionOfHowMany) {
  ProblemParameters p;
  p.problem = ProblemKind::lpn;
  p.n = 1;
  p.rate = 0.1;
  const auto wrong = [&](std::size_t count) {
    Samples samples{1, std::vector<Residue>(1000, 1), std::vector<Residue>(1000, 1)};
    std::fill_n(samples.b.begin(), count, 0);
    return verify(p, samples, std::vector<Residue>{1});
  };
  const double slack = std::sqrt(64 * std::log(2.0) * 1000 / 2);  // of Hoeffding's bound 2^-64
  EXPECT_TRUE(wrong(100).verified());
  EXPECT_TRUE(wrong(static_cast<std::size_t>(100 + slack)).fits);
  EXPECT_FALSE(wrong(static_cast<std::size_t>(100 + slack) + 1).fits);
  EXPECT_LE(wrong(100).log2_impostors, -64);
  EXPECT_EQ(wrong(500).log2_impostors, INFINITY);
}

/// 200 samples whose coefficients are `rows` again and again, with the labels of `secret`.
Samples repeated(const ProblemParameters& p, const std::vector<std::vector<Residue>>& rows,
                 const std::vector<Residue>& secret) {
  Samples out{p.n, {}, {}};
  for (std::size_t i = 0; i < 200; ++i) {
    const std::vector<Residue>& row = rows[i % rows.size()];
    out.a.insert(out.a.end(), row.begin(), row.end());
    out.b.push_back(inner_product(row, secret, p.q));
  }
  return out;
}

TEST(Verify, BelievesNoSecretThatTheCoefficientsLeaveOpen) {
  const ProblemParameters p = lwe(2, 97, 0);
  std::vector<std::vector<Residue>> first_only;
  for (Residue a = 1; a < 97; ++a) first_only.push_back({a, 0});
  for (const auto& rows : {std::vector<std::vector<Residue>>{{1, 0}}, first_only}) {
    const Samples samples = repeated(p, rows, {7, 50});
    for (const Residue second : {0, 50}) {
      const Verification says = verify(p, samples, std::vector<Residue>{7, second});
      EXPECT_TRUE(says.fits);
      EXPECT_FALSE(says.verified()) << says.message;
    }
  }
  EXPECT_THAT(verify(p, repeated(p, first_only, {7, 50}), std::vector<Residue>{7, 0}).message,
              HasSubstr("determine the secret only up to 2^6.6 others"));  // 96 of them
}

TEST(Verify, KnowsWhatIsOpenModuloAPowerOfTwo) {
  const ProblemParameters p = lwe(2, 16, 0);
  std::vector<std::vector<Residue>> even;  // second coefficients are multiples of 8: its low bit alone counts
  for (Residue a = 0; a < 16; ++a)
    for (const Residue b : {0, 8}) even.push_back({a, b});
  const Verification open = verify(p, repeated(p, even, {5, 3}), std::vector<Residue>{5, 9});
  EXPECT_FALSE(open.verified());
  EXPECT_DOUBLE_EQ(open.log2_impostors, std::log2(7));
  even.push_back({0, 1});
  EXPECT_TRUE(verify(p, repeated(p, even, {5, 3}), std::vector<Residue>{5, 3}).verified());
}

TEST(Verify, ASmallSecretIsOpenWhereAnEntryIsNotSeenOrTwoAreSeenTogether) {
  ProblemParameters p = lwe(3, 97, 0);
  std::vector<std::vector<Residue>> unseen, together, apart;
  for (Residue a = 1; a < 97; ++a) {
    unseen.push_back({a, a * a % 97, 0});
    together.push_back({a, a * a % 97, a * a % 97});
    apart.push_back({a, a * a % 97, 1});
  }
  for (const SecretKind kind : {SecretKind::binary, SecretKind::ternary, SecretKind::fixed_weight}) {
    p.secret = kind;
    p.weight = kind == SecretKind::fixed_weight ? 1 : 0;
    const std::vector<Residue> secret = {0, 1, 0};
    EXPECT_FALSE(verify(p, repeated(p, together, secret), secret).verified());
    EXPECT_TRUE(verify(p, repeated(p, apart, secret), secret).verified());
    // Of fixed weight, no other secret differs in the unseen entry alone.
    EXPECT_EQ(verify(p, repeated(p, unseen, secret), secret).verified(), kind == SecretKind::fixed_weight);
  }
}

// The union bound is a bound: of uniform rows, as many wrong secrets fit by chance as it says, or fewer.
TEST(Verify, ExpectsAtLeastTheImpostorsThereAre) {
  const ProblemParameters p = lwe(2, 97, 3);
  double expected = 0;
  int fitting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Sampler sampler(p, seed);
    const Samples samples = sampler.draw(0, 4);
    const Verification truth = verify(p, samples, sampler.secret());
    expected += std::exp2(truth.log2_impostors);
    for (Residue x = 0; x < 97; ++x)
      for (Residue y = 0; y < 97; ++y) {
        const std::vector<Residue> other = {x, y};
        if (other == sampler.secret()) continue;
        const Verification says = verify(p, samples, other);
        fitting += says.fits && says.largest_residual <= truth.largest_residual ? 1 : 0;
      }
  }
  EXPECT_GT(fitting, 0) << "four samples leave impostors";
  EXPECT_LE(fitting, 2 * expected);
  EXPECT_GE(fitting, expected / 4);
}

TEST(Verify, ASecretOfAnotherKindIsOutsideTheSpace) {
  ProblemParameters p = lwe(3, 97, 1);
  const Samples samples{3, {1, 2, 3}, {0}};
  const auto says = [&](SecretKind kind, const std::vector<Residue>& secret) {
    p.secret = kind;
    p.weight = kind == SecretKind::fixed_weight ? 2 : 0;
    const Verification out = verify(p, samples, secret);
    EXPECT_FALSE(out.in_secret_space);
    EXPECT_FALSE(out.fits);
    return out.message;
  };
  EXPECT_THAT(says(SecretKind::uniform, {1, 2}), HasSubstr("the secret has 2 entries, n=3"));
  EXPECT_THAT(says(SecretKind::uniform, {1, 2, 97}), HasSubstr("entry 2 of the secret is 97"));
  EXPECT_THAT(says(SecretKind::binary, {1, 96, 0}),
              HasSubstr("entry 1 of the secret is 96, which no binary secret"));
  EXPECT_THAT(says(SecretKind::ternary, {1, 96, 2}), HasSubstr("entry 2 of the secret is 2"));
  EXPECT_THAT(says(SecretKind::fixed_weight, {1, 0, 0}), HasSubstr("the secret has 1 ones, weight=2"));
}

TEST(Verify, SamplesMustFitTheParameters) {
  const ProblemParameters p = lwe(2, 97, 1);
  const std::vector<Residue> secret = {1, 2};
  EXPECT_THROW(verify(p, {2, {1, 2, 3}, {0}}, secret), InputError);
  EXPECT_THROW(verify(p, {2, {}, {}}, secret), InputError);
  EXPECT_THROW(verify(p, {3, {1, 2, 3}, {0}}, secret), InputError);
  EXPECT_THAT([&] { verify(p, {2, {1, 2, 97, 0}, {0, 1}}, secret); },
              testing::ThrowsMessage<InputError>(HasSubstr("sample 1: coefficient 97 is not below q=97")));
}

// With as many samples the right secret verifies about every other time, with half of them hardly ever.
TEST(SamplesToVerify, AreAsManyAsLetTheRightSecretBeBelieved) {
  for (const char* spec :
       {"lwe:n=8,q=257,sigma=2", "lwe:n=20,q=97,sigma=1,secret=binary", "lwr:n=8,q=64,p=4",
        "lwr:n=8,q=64,p=4,rounding=nearest", "lwr:n=8,q=64,p=4,rounding=even", "lwe:n=8,q=97,sigma=15",
        "lpn:n=30,rate=0.125", "lwe:n=6,q=101,sigma=0", "lwe:n=10,q=101,noise=binary,sigma=0"}) {
    const ProblemParameters p = parse(spec).parameters;
    const auto needed = samples_to_verify(p);
    ASSERT_TRUE(needed) << spec;
    int with_more = 0, with_half = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Sampler sampler(p, seed);
      const auto verified = [&](double count) {
        return verify(p, sampler.draw(0, static_cast<std::int64_t>(count)), sampler.secret()).verified();
      };
      with_more += verified(std::ceil(1.5 * *needed)) ? 1 : 0;
      with_half += verified(std::ceil(*needed / 2)) ? 1 : 0;
    }
    EXPECT_GE(with_more, 17) << spec << ": " << *needed;
    EXPECT_LE(with_half, 2) << spec << ": " << *needed;
  }
}

TEST(SamplesToVerify, AreNoNumberWhereTheNoiseLeavesNoResidueOut) {
  EXPECT_FALSE(samples_to_verify(parse("lwe:n=10,q=97,sigma=60").parameters));
  EXPECT_FALSE(samples_to_verify(parse("lwe:n=10,q=97,sigma=25").parameters));
  EXPECT_TRUE(samples_to_verify(parse("lwe:n=10,q=97,sigma=20").parameters));
  EXPECT_FALSE(samples_to_verify(parse("lwe:n=4,q=2,noise=binary,sigma=0").parameters));
  EXPECT_TRUE(samples_to_verify(parse("lwe:n=10,q=97,sigma=4").parameters));
}

// Two levels, to the nearest: -s has the labels of s but for halves, and with halves to even all of them.
TEST(Verify, ComparesASecretWithItsNegative) {
  for (const auto& [rounding, verified] : {std::pair{"floor", true}, {"nearest", true}, {"even", false}}) {
    const Recipe recipe = parse(std::string("lwr:n=8,q=16,p=2,samples=200,rounding=") + rounding);
    const Sampler sampler(recipe.parameters, 1);
    const Verification says = verify(recipe.parameters, sampler.draw(0, 200), sampler.secret());
    EXPECT_TRUE(says.fits);
    EXPECT_EQ(says.verified(), verified) << rounding << ": " << says.message;
  }
}

// The largest of many errors says nothing, but their mean square does.
TEST(Verify, BelievesMoreWithMoreSamples) {
  const Recipe recipe = parse("lwe:n=12,q=16,sigma=2");
  const Sampler sampler(recipe.parameters, 1);
  for (const std::int64_t count : {300, 3000, 30'000}) {
    const Samples samples = sampler.draw(0, count);
    EXPECT_TRUE(verify(recipe.parameters, samples, sampler.secret()).verified()) << count;
    std::vector<Residue> wrong = sampler.secret();
    wrong[0] = (wrong[0] + 1) % 16;
    EXPECT_FALSE(verify(recipe.parameters, samples, wrong).verified()) << count;
  }
}

TEST(Verify, TriesBothRoundingsOfAChallengeThatDoesNotSay) {
  const Recipe recipe = parse("lwr:n=4,q=64,p=8,rounding=nearest,samples=40");
  const Sampler sampler(recipe.parameters, 1);
  Challenge challenge{recipe.parameters, sampler.draw(0, 40)};
  challenge.parameters.rounding = Rounding::floor;
  EXPECT_FALSE(verify(challenge, sampler.secret()).verified());
  challenge.rounding_known = false;
  EXPECT_TRUE(verify(challenge, sampler.secret()).verified());
  EXPECT_THAT(verify(challenge, sampler.secret()).message, HasSubstr("rounded: nearest"));
  EXPECT_FALSE(verify(challenge, std::vector<Residue>{1, 2, 3, 4}).verified());
}

}  // namespace
}  // namespace hardhead::lwe
