#include "hardness/challenge/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lwe/attacks/attack.h"
#include "tests/hardness/challenge/challenges.h"
#include "tests/refusal.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using testing::HasSubstr;

TEST(Challenge, TrainingExamplesAreTheSameInWhateverBlock) {
  for (const char* spec : {"lwr:n=3,q=16,p=4", "nice:d=5,k=3,m=2"}) {
    const auto examples = training_examples(made_of(spec, 5000).challenge);
    Block all(examples->d(), examples->k(), 5000), part(examples->d(), examples->k(), 70);
    examples->read(0, all);
    examples->read(4100, part);
    for (attention::Index a = 0; a < part.k; ++a) {
      EXPECT_TRUE((part.token(a).array() == all.token(a).middleCols(4100, 70).array()).all()) << spec;
      EXPECT_TRUE((part.label(a).array() == all.label(a).middleCols(4100, 70).array()).all()) << spec;
    }
    EXPECT_THROW(examples->read(4990, part), InputError);
  }
}

// The learner that is told nothing but equations finds what was hidden.
TEST(Challenge, SamplesBehindTheSwitchLeadAttacksToTheSecret) {
  for (const auto& [spec, examples, attack] : {std::tuple{"parity:d=24,m=4", 400, "elimination"},
                                               {"lwr:n=3,q=16,p=2", 400, "exhaustive"},
                                               {"lpn:n=12,rate=0.1", 1000, "exhaustive"}}) {
    const MadeLayerChallenge made = made_of(spec, examples);
    const lwe::Challenge samples = training_samples(made.challenge, examples);
    const lwe::AttackReport found = lwe::attack(samples, lwe::find_attack(attack), 60, {});
    ASSERT_TRUE(found.solved()) << spec << ": " << found.message;
    EXPECT_TRUE(verify(made.challenge, found.secret).right) << spec;
  }
}

TEST(Challenge, FewerSamplesAreThoseOfTheFirstExamples) {
  const LayerChallenge challenge = made_of("parity:d=24,m=4", 9000).challenge;
  const lwe::Samples all = training_samples(challenge, 9000).samples;
  const lwe::Samples some = training_samples(challenge, 100).samples;
  EXPECT_EQ(all.count(), static_cast<std::int64_t>(challenge.g.size()));
  EXPECT_TRUE(std::equal(some.b.begin(), some.b.end(), all.b.begin()));
  EXPECT_TRUE(std::equal(some.a.begin(), some.a.end(), all.a.begin()));
  EXPECT_THAT(refusal_of([] { training_samples(made_of("nice:d=4,k=2,m=1", 10).challenge, 10); }),
              HasSubstr("hides no secret of LWE"));
}

// 6000 labels at a rate of 1/8: a share outside of these bounds has a chance below 1e-20.
TEST(Challenge, NoiseIsOnTrainingLabelsAloneAndAtItsRate) {
  const MadeLayerChallenge made = made_of("lpn:n=16,rate=0.125", 12000);
  const lwe::Challenge samples = training_samples(made.challenge, 12000);
  const auto& secret = std::get<std::vector<lwe::Residue>>(made.secret);
  double wrong = 0;
  for (std::int64_t i = 0; i < samples.samples.count(); ++i)
    wrong += lwe::label(samples.parameters, samples.samples.row(i).data(), secret, 0) !=
             samples.samples.b[static_cast<std::size_t>(i)];
  EXPECT_NEAR(wrong / static_cast<double>(samples.samples.count()), 0.125, 0.04);
  EXPECT_TRUE(verify(made.challenge, secret).right) << "test labels are exact";
}

TEST(Challenge, MakingOneRefusesWhatIsOutOfRange) {
  EXPECT_THAT(refusal_of([] { made_of("parity", 0); }), HasSubstr("0 examples: 1 .. "));
  EXPECT_THAT(refusal_of([] { made_of("parity", most_examples + 1); }), HasSubstr("are expected"));
  EXPECT_THAT(refusal_of([] { make_samples(Spec::parse("lwe:n=8,samples=20,seed=3")); }),
              HasSubstr("has no seed"));
}

}  // namespace
}  // namespace hardhead::challenge
