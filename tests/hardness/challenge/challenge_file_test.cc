#include "hardness/challenge/challenge_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "attention/files/safetensors.h"
#include "hardness/challenge/any_challenge.h"
#include "lwe/files/instance_file.h"
#include "tests/hardness/challenge/challenges.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::challenge {
namespace {

using attention::DType;
using testing::HasSubstr;

RC_GTEST_PROP(ChallengeFile, PackedNumbersComeBack, ()) {
  const int bits = *rc::gen::inRange(1, 13);
  const auto values = *rc::gen::container<std::vector<lwe::Residue>>(rc::gen::inRange(0U, 1U << bits));
  const std::vector<std::uint8_t> bytes = detail::pack(values, bits);
  RC_ASSERT(bytes.size() == (values.size() * static_cast<std::size_t>(bits) + 7) / 8);
  const auto count = static_cast<std::int64_t>(values.size());
  RC_ASSERT(detail::unpack(std::as_bytes(std::span(bytes)), count, bits) == values);
}

TEST(ChallengeFile, HasAllThatIsPublished) {
  const ScratchFolder folder;
  const std::string path = folder.path("challenge.safetensors");
  for (const char* spec :
       {"parity:d=20,m=4", "lwr:n=4,q=16,p=8", "lwe:n=3,q=8", "lpn:n=12", "nice:d=6,k=2,m=2"}) {
    const LayerChallenge written = made_of(spec, 333).challenge;
    write_challenge(path, written);
    const LayerChallenge read = read_layer_challenge(path);
    EXPECT_EQ(read.terms.spec, written.terms.spec);
    EXPECT_EQ(read.examples, 333);
    EXPECT_EQ(read.training_seed, written.training_seed);
    EXPECT_EQ(read.g, written.g);
    EXPECT_EQ(read.y, written.y);
    EXPECT_EQ(read.test_examples, written.test_examples);
    EXPECT_EQ(read.test_seed, written.test_seed);
    EXPECT_EQ(read.salt, written.salt);
    EXPECT_EQ(read.commitment, written.commitment);
  }
}

/// What reading a file says whose fields were changed in this way.
class Damaged {
 public:
  std::map<std::string, std::string> metadata;
  std::vector<double> labels;
  DType dtype = DType::i8;

  explicit Damaged(const LayerChallenge& good) {
    write_challenge(path(), good);
    const attention::SafetensorsFile file(path());
    metadata = file.metadata();
    for (std::int64_t i = 0; i < file.tensor("labels").shape[0]; ++i)
      labels.push_back(attention::SafetensorsFile::element(file.tensor("labels"), i));
  }
  std::string refusal() const {
    attention::SafetensorsWriter writer(
        path(), {{"labels", dtype, {static_cast<std::int64_t>(labels.size())}}}, metadata);
    writer.write(0, 0, labels);
    writer.commit();
    return refusal_of([&] { read_layer_challenge(path()); });
  }

 private:
  std::string path() const { return folder_.path("challenge.safetensors"); }
  ScratchFolder folder_;
};

TEST(ChallengeFile, DamagedOnesAreRefusedByPlace) {
  const LayerChallenge good = made_of("lwr:n=8,q=16,p=8", 100).challenge;
  const auto refusal = [&](const std::function<void(Damaged&)>& change) {
    Damaged damaged(good);
    change(damaged);
    return damaged.refusal();
  };
  const auto with = [&](const std::string& key, const std::string& value) {
    return refusal([&](Damaged& file) { file.metadata[key] = value; });
  };
  EXPECT_EQ(refusal([](Damaged&) {}), "accepted");
  EXPECT_THAT(refusal([](Damaged& file) { file.metadata.erase("salt"); }),
              HasSubstr("its metadata has no 'salt'"));
  EXPECT_THAT(with("schema", "hardhead.challenge/2"), HasSubstr("its schema is \"hardhead.challenge/2\""));
  EXPECT_THAT(with("spec", "lwr:n=2,seed=1"), HasSubstr("a challenge has no seed"));
  EXPECT_THAT(with("spec", "lwr:n=9999"), HasSubstr("challenge.safetensors"));
  EXPECT_THAT(with("training_examples", "9000000000000"), HasSubstr("not an integer in 1 .. 67108864"));
  EXPECT_THAT(with("training_examples", "1000"), HasSubstr("about half have the switch on"));
  EXPECT_THAT(with("training_labels", "x"), HasSubstr("training_labels = \"x\""));
  EXPECT_THAT(with("test_examples", "1000000"), HasSubstr("1 .. 512"));
  EXPECT_THAT(with("training_seed", "-1"), HasSubstr("training_seed"));
  EXPECT_THAT(with("commitment", "abc"), HasSubstr("not 64 hexadecimal digits"));
  EXPECT_THAT(refusal([](Damaged& file) { file.labels.pop_back(); }),
              HasSubstr("tensor \"labels\" is not I8"));
  EXPECT_THAT(refusal([](Damaged& file) { file.dtype = DType::f32; }),
              HasSubstr("tensor \"labels\" is not I8"));
  EXPECT_THAT(with("spec", "lwr:n=8,q=16,p=5"), HasSubstr("not one of 0 .. 4"));
}

// A seed that was changed gives other inputs, of which another number has the switch on.
TEST(ChallengeFile, LabelsOfOtherInputsAreRefusedWhereExamplesAreRead) {
  LayerChallenge challenge = made_of("parity:d=20,m=4", 1000).challenge;
  challenge.g.push_back(0);
  EXPECT_THAT(refusal_of([&] { training_examples(challenge); }),
              HasSubstr("training examples have the switch on"));
  EXPECT_THAT(refusal_of([&] { training_samples(challenge, 1000); }), HasSubstr("have the switch on"));
}

TEST(ChallengeFile, EitherKindIsKnownByItsContent) {
  const ScratchFolder folder;
  write_challenge(folder.path("layer.safetensors"), made_of("parity:d=20,m=4", 100).challenge);
  const MadeSamples samples = make_samples(Spec::parse("lpn:n=40,rate=0.1,samples=500"));
  lwe::write_json_challenge(folder.path("samples.json"), samples.challenge);
  folder.write("other.json", "{}");
  folder.write("other.safetensors", "");
  EXPECT_EQ(AnyChallenge::open_if_one(folder.path("layer.safetensors"))->spec(),
            "parity:d=20,m=4,base=4,variant=exact");
  const auto opened = AnyChallenge::open_if_one(folder.path("samples.json"));
  EXPECT_EQ(opened->spec(), "lpn:n=40,q=2,rate=0.1,samples=500");
  EXPECT_EQ(opened->log2_secrets(), 40);
  EXPECT_FALSE(AnyChallenge::open_if_one(folder.path("other.json")));
  EXPECT_FALSE(AnyChallenge::open_if_one(folder.path("other.safetensors")));

  lwe::write_solution(folder.path("right.json"), {lwe::content_digest(samples.challenge), samples.secret});
  EXPECT_TRUE(opened->check(folder.path("right.json")).right);
  auto wrong = samples.secret;
  wrong[3] ^= 1;
  lwe::write_solution(folder.path("wrong.json"), {lwe::content_digest(samples.challenge), wrong});
  EXPECT_FALSE(opened->check(folder.path("wrong.json")).right);
}

}  // namespace
}  // namespace hardhead::challenge
