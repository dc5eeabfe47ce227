// Attacks on what a challenge publishes. Each is shown to work where there is such a leak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "attention/files/safetensors.h"
#include "hardness/challenge/challenge_file.h"
#include "lwe/attacks/attack.h"
#include "lwe/files/instance_file.h"
#include "tests/hardness/challenge/challenges.h"
#include "tests/scratch_folder.h"

namespace hardhead::challenge {
namespace {

using lwe::Residue;

/// Each has more than 2^40 secrets, so that no guess is right by chance.
const std::vector<std::string> switched = {"parity:d=64,m=12", "lwr:n=16,q=16,p=2", "lwe:n=16,q=16",
                                           "lpn:n=64"};

/// Every number that a file shows, and small ones.
std::vector<std::uint64_t> published_numbers(const LayerChallenge& c) {
  std::vector<std::uint64_t> out = {c.training_seed, c.test_seed, c.training_seed ^ c.test_seed,
                                    static_cast<std::uint64_t>(c.examples)};
  for (const std::string& hex : {c.salt, c.commitment})
    for (std::size_t at = 0; at < hex.size(); at += 16)
      out.push_back(std::stoull(hex.substr(at, 16), nullptr, 16));
  for (std::uint64_t seed = 0; seed < 32; ++seed) out.push_back(seed);
  return out;
}

/// The streams that a careless maker would have drawn from.
std::vector<Stream> published_streams(const LayerChallenge& c) {
  std::vector<Stream> out;
  for (const std::uint64_t seed : published_numbers(c))
    for (const Domain domain : {Domain::instance, Domain::samples, Domain::test})
      for (const std::string& salt : {std::string(), c.salt, c.commitment, c.terms.spec.str()})
        out.emplace_back(domain, seed, salt);
  return out;
}

/// A right secret that is drawn from something published.
std::optional<Secret> secret_from_published(const LayerChallenge& c) {
  for (const Stream& stream : published_streams(c)) {
    const Secret guess = c.terms.nice ? Secret(hardness::nice_layer(*c.terms.nice, stream))
                                      : Secret(lwe::draw_secret(c.terms.behind_switch->problem, stream));
    const Answer answer = c.terms.nice ? Answer(std::get<attention::Layer>(guess))
                                       : Answer(std::get<std::vector<Residue>>(guess));
    if (verify(c, answer).right) return guess;
  }
  return std::nullopt;
}

TEST(Leaks, NoPublishedNumberIsTheSeedOfTheSecret) {
  for (const std::string& spec : switched) {
    MadeLayerChallenge made = made_of(spec, 50);
    EXPECT_FALSE(secret_from_published(made.challenge)) << spec;
    // A maker who draws the secret from the seed of the inputs is found out.
    const auto leaked = lwe::draw_secret(made.challenge.terms.behind_switch->problem,
                                         Stream(Domain::instance, made.challenge.training_seed));
    const auto g = test_labels(made.challenge, leaked);
    made.challenge.commitment =
        commitment(made.challenge.salt, std::vector<std::int64_t>(g.begin(), g.end()));
    EXPECT_TRUE(secret_from_published(made.challenge)) << spec;
  }
  MadeLayerChallenge nice = made_of("nice:d=6,k=2,m=2", 20);
  EXPECT_FALSE(secret_from_published(nice.challenge));
  const attention::Layer leaked =
      hardness::nice_layer(*nice.challenge.terms.nice, Stream(Domain::instance, 7));
  nice.challenge.commitment =
      commitment(nice.challenge.salt, rounded_codes(right_predictions(nice.challenge, leaked).y));
  EXPECT_TRUE(secret_from_published(nice.challenge));
}

TEST(Leaks, NothingIsDrawnTwiceAlike) {
  for (const char* spec : {"parity:d=64,m=12", "lwr:n=16,q=16,p=2", "lpn:n=64", "nice:d=6,k=2,m=1"}) {
    const MadeLayerChallenge a = made_of(spec, 200), b = made_of(spec, 200);
    EXPECT_NE(a.challenge.training_seed, b.challenge.training_seed);
    EXPECT_NE(a.challenge.test_seed, b.challenge.test_seed);
    EXPECT_NE(a.challenge.training_seed, a.challenge.test_seed);
    EXPECT_NE(a.challenge.salt, b.challenge.salt);
    EXPECT_NE(a.challenge.commitment, b.challenge.commitment);
    if (a.challenge.terms.behind_switch) {
      EXPECT_NE(std::get<0>(a.secret), std::get<0>(b.secret)) << spec;
    }
  }
}

TEST(Leaks, AFileHasTheFieldsThatAreDocumentedAndNothingElse) {
  const ScratchFolder folder;
  for (const std::string spec : {"parity:d=64,m=12", "lwr:n=16,q=16,p=2", "nice:d=6,k=2,m=2"}) {
    const MadeLayerChallenge made = made_of(spec, 300);
    const std::string path = folder.path("challenge.safetensors");
    write_challenge(path, made.challenge);
    const attention::SafetensorsFile file(path);
    std::set<std::string> keys;
    for (const auto& [key, value] : file.metadata()) keys.insert(key);
    std::set<std::string> documented = {"schema",        "spec",          "training_examples",
                                        "training_seed", "test_examples", "test_seed",
                                        "salt",          "commitment"};
    if (made.challenge.terms.behind_switch) documented.insert("training_labels");
    EXPECT_EQ(keys, documented);
    ASSERT_EQ(file.tensors().size(), 1u);
    const std::size_t labels =
        made.challenge.terms.behind_switch ? (made.challenge.g.size() + 7) / 8 : 8 * made.challenge.y.size();
    EXPECT_EQ(file.tensors().begin()->second.bytes.size(), labels)
        << "one bit a label, or one double a number";
    EXPECT_THAT(file.metadata().at("spec"), testing::Not(testing::HasSubstr("seed")));
  }
}

/// The largest |correlation| of a +-1 feature of an input, or of a product of the two tokens' features, with
/// the centred labels, in standard deviations of unrelated ones.
double largest_correlation(const LayerChallenge& c) {
  attention::Block block(c.terms.d, c.terms.k, c.examples);
  training_examples(c)->read(0, block);
  const attention::Index j0 = c.terms.d - 1;
  std::vector<attention::Index> on;
  for (attention::Index n = 0; n < block.count; ++n)
    if (block.token(0)(j0, n) != block.token(1)(j0, n)) on.push_back(n);
  const auto count = static_cast<double>(on.size());
  double mean = 0, square = 0;
  for (const Residue g : c.g) mean += g / count, square += static_cast<double>(g) * g / count;
  const double deviation = std::sqrt(square - mean * mean);
  double largest = 0;
  for (attention::Index f = 0; f < j0; ++f) {
    double first = 0, second = 0, both = 0;
    for (std::size_t i = 0; i < on.size(); ++i) {
      const double centred = (c.g[i] - mean) / deviation;
      const double a = block.token(0)(f, on[i]), b = block.token(1)(f, on[i]);
      first += centred * a, second += centred * b, both += centred * a * b;
    }
    largest = std::max({largest, std::abs(first), std::abs(second), std::abs(both)});
  }
  return largest / std::sqrt(count);
}

// Beyond 7 deviations once in 10^9 such tests; 200 features are looked at.
TEST(Leaks, NoFeatureOfTheInputsCorrelatesWithLabels) {
  for (const std::string& spec : switched)
    EXPECT_LT(largest_correlation(made_of(spec, 4000).challenge), 7) << spec;
  EXPECT_GT(largest_correlation(made_of("parity:d=64,m=1", 4000).challenge), 40)
      << "where one does, it shows";
}

/// The secret by elimination, after the errors that this stream would have made are taken away.
bool elimination_finds(const LayerChallenge& c, const Stream* errors) {
  lwe::Challenge samples = training_samples(c, c.examples);
  const lwe::ErrorLaw law(samples.parameters);
  if (errors != nullptr)
    for (std::size_t i = 0; i < samples.samples.b.size(); ++i)
      samples.samples.b[i] ^= static_cast<Residue>(law.value(errors->bits(i, 0)[0]));
  samples.parameters.rate = 0;
  return lwe::attack(samples, lwe::find_attack("elimination"), 10, {}).solved();
}

TEST(Leaks, TheNoiseIsThatOfNoPublishedStream) {
  MadeLayerChallenge made = made_of("lpn:n=20,rate=0.125", 400);
  LayerChallenge& c = made.challenge;
  EXPECT_FALSE(elimination_finds(c, nullptr));
  for (const std::uint64_t seed : {c.training_seed, c.test_seed, std::uint64_t{0}, std::uint64_t{1}})
    for (const std::string& salt : {std::string(), c.salt, c.commitment}) {
      const Stream stream(Domain::samples, seed, salt);
      EXPECT_FALSE(elimination_finds(c, &stream));
    }
  // With the errors of the seed of the inputs the labels are as good as exact.
  const lwe::Samples rows = training_samples(c, c.examples).samples;
  const Stream published(Domain::samples, c.training_seed);
  const lwe::ErrorLaw law(c.terms.behind_switch->problem);
  for (std::size_t i = 0; i < c.g.size(); ++i)
    c.g[i] = lwe::label(c.terms.behind_switch->problem, rows.row(static_cast<std::int64_t>(i)).data(),
                        std::get<0>(made.secret), law.value(published.bits(i, 0)[0]));
  EXPECT_TRUE(elimination_finds(c, &published));
}

// The binary entropy of the labels that a hash has to be tried for.
TEST(Leaks, TheTestLabelsAreTooManyToTry) {
  for (const std::string& spec : switched) {
    const MadeLayerChallenge made = made_of(spec, 50);
    EXPECT_GT(test_labels(made.challenge, std::get<0>(made.secret)).size(), 128u)
        << "512 coins of which fewer than 129 fall on one side: a chance of 2^-97";
  }
}

// challenge.h: knowing which seed of test inputs passed is worth at most log2(1/P) bits.
TEST(Leaks, ASeedOfTestInputsPassesOftenEnoughToSayLittle) {
  const MadeLayerChallenge made = made_of("nice:d=16,k=3,m=4", 1);
  LayerChallenge c = made.challenge;
  int passed = 0;
  constexpr int draws = 400;
  for (int i = 0; i < draws; ++i) {
    c.test_seed = static_cast<std::uint64_t>(i);
    passed += rounds_safely(right_predictions(c, made.secret).y) ? 1 : 0;
  }
  EXPECT_GE(passed, draws / 128)
      << "P is e^-3: 20 of 400 are expected, and fewer than 3 have a chance of 1e-6";
}

TEST(Leaks, SamplesAreThoseOfNoPublishedNumber) {
  const MadeSamples made = make_samples(Spec::parse("lwe:n=20,q=97,sigma=1,samples=80"));
  EXPECT_TRUE(lwe::verify(made.challenge.parameters, made.challenge.samples, made.secret).verified());
  const std::string digest = lwe::content_digest(made.challenge);
  std::vector<std::uint64_t> seeds = {made.challenge.samples.a[0], made.challenge.samples.b[0],
                                      std::stoull(digest.substr(0, 16), nullptr, 16)};
  for (std::uint64_t seed = 0; seed < 200; ++seed) seeds.push_back(seed);
  for (const std::uint64_t seed : seeds)
    EXPECT_FALSE(lwe::verify(made.challenge.parameters, made.challenge.samples,
                             lwe::draw_secret(made.challenge.parameters, seed))
                     .verified());
  EXPECT_NE(made.secret, make_samples(made.spec).secret);
}

}  // namespace
}  // namespace hardhead::challenge
