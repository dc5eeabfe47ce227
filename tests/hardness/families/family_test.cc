#include "hardness/families/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

void refuses(const std::string& spec, const std::vector<std::string>& texts) {
  try {
    make(spec);
    FAIL() << "accepted " << spec;
  } catch (const InputError& error) {
    for (const auto& text : texts) EXPECT_THAT(error.what(), testing::HasSubstr(text)) << spec;
  }
}

TEST(Family, EachBadSpecIsRefusedByNameValueAndConstraint) {
  refuses("pairty:d=20", {"unknown family 'pairty'", "did you mean 'parity'?", "one of: nice, diagonal"});
  refuses("nice:heads=2", {"'nice' has no parameter 'heads'", "theta_norm"});
  refuses("nice:theta_nrm=2", {"did you mean 'theta_norm'?"});
  refuses("nice:d=0", {"d=0", "1 .. 1024"});
  refuses("nice:m=0", {"m=0", "1 .. 64"});
  refuses("nice:k=65", {"k=65", "1 .. 64"});
  refuses("nice:w_norm=0", {"w_norm=0"});
  refuses("nice:theta_norm=-1", {"theta_norm=-1"});
  refuses("nice:inputs=cube", {"inputs=cube", "boolean | gaussian | sphere"});
  refuses("nice:seed=-1", {"seed=-1"});
  refuses("parity:d=0", {"d=0", "2 .. 1048576"});
  refuses("parity:d=1", {"d=1", "2 .. 1048576"});
  refuses("parity:d=513", {"spec 'parity:d=513,m=6", "d=513 is more than 512"});
  refuses("parity:m=0", {"m=0", "1 .. 1048575"});
  refuses("parity:d=20,m=20", {"m=20", "d-1=19"});
  refuses("parity:base=1", {"base=1", "2 .. 1048576"});
  refuses("parity:base=2.5", {"base=2.5"});
  refuses("parity:variant=approximate", {"variant=approximate", "exact | minimal"});
}

TEST(Family, CanonicalSpecsHaveEveryParameterInTheTablesOrder) {
  EXPECT_EQ(make("parity:seed=4,m=3").spec.str(), "parity:d=20,m=3,base=4,variant=exact,seed=4");
  EXPECT_EQ(make("nice:w_norm=0.5,d=4").spec.str(),
            "nice:d=4,k=3,m=2,theta_norm=2,w_norm=0.5,inputs=boolean,seed=1");
}

TEST(Family, PresetsAreSpecsThatCanBeMade) {
  for (const Family& family : families()) {
    EXPECT_EQ(&find_family(family.name), &family);
    for (const auto& [spec, meaning] : family.presets) {
      const Instance instance = make(spec);
      EXPECT_EQ(instance.spec.name, family.name);
      EXPECT_NE(instance.teacher, nullptr);
      EXPECT_NO_THROW(instance.layer.validate());
    }
  }
}

/// The ends of a parameter's range, and what lies between them; at most three quarters of what memory a grid
/// is to take at m and d.
std::vector<std::string> values_of(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::choice) return parameter.choices;
  if (parameter.kind == Parameter::Kind::text) return {};
  const double low = parameter.minimum, high = parameter.maximum;
  std::vector<double> values{low, (low + high) / 2, high};
  for (const double factor : {2.0, 3.0, 17.0})
    if (low * factor < high && low > 0) values.push_back(low * factor);
  std::vector<std::string> out;
  for (const double value : values)
    out.push_back(parameter.kind == Parameter::Kind::integer
                      ? fmt::format("{}", std::llround(std::floor(value)))
                      : fmt::format("{}", value));
  return out;
}

/// Whether the spec was made; if not, it was refused by an InputError that begins with it.
bool is_made(const std::string& spec) {
  try {
    const Instance instance = make(spec);
    EXPECT_NO_THROW(instance.layer.validate()) << spec;
    EXPECT_NE(instance.teacher, nullptr) << spec;
    const InstanceShape shape = instance_shape(Spec::parse(spec));
    EXPECT_EQ(shape.d, instance.layer.d) << spec;
    EXPECT_EQ(shape.k, instance.k) << spec;
    EXPECT_EQ(shape.m, instance.layer.m()) << spec;
    EXPECT_EQ(shape.inputs, instance.inputs) << spec;
    const bool forward =
        std::dynamic_pointer_cast<const attention::LayerTeacher>(instance.teacher) != nullptr;
    EXPECT_EQ(shape.forward, forward) << spec;
    return true;
  } catch (const InputError& refusal) {
    EXPECT_THAT(refusal.what(), testing::StartsWith("spec '" + spec.substr(0, spec.find(':') + 1)));
  } catch (const std::exception& other) {
    ADD_FAILURE() << spec << ": " << other.what();
  }
  return false;
}

TEST(Family, EverySpecInsideTheRangesIsMadeOrRefusedWithItsReason) {
  int made = 0, refused = 0;
  const auto count = [&](const std::string& spec) { ++(is_made(spec) ? made : refused); };
  for (const Family& family : families())
    for (const Parameter& one : family.parameters)
      for (const std::string& value : values_of(one)) count(family.name + ":" + one.name + "=" + value);
  for (const int n : {1, 2, 3, 7, 16, 31})
    for (const int seed : {1, 2}) count(fmt::format("lwr:n={},seed={}", n, seed));
  for (const std::string family : {"lwr", "lwr-path", "staircase"})
    for (const int n : {1, 2, 3, 8, 64}) {
      for (const int q : {4, 16, 32, 64})
        for (const std::string secret : {"uniform", "binary", "ternary"})
          if (n < 64 || secret == "uniform")  // the longest take seconds each
            count(fmt::format("{}:n={},q={},secret={}", family, n, q, secret));
      if (n <= 3) count(fmt::format("{}:n={},q=256", family, n));
    }
  fmt::print("{} specs made, {} refused\n", made, refused);
  EXPECT_GT(made, refused);
}

TEST(Family, OneThatIsAddedIsFoundByItsName) {
  Family mine = find_family("nice");
  EXPECT_THROW(add_family(mine), InputError) << "the library has that name";
  mine.name = "mine";
  EXPECT_THROW(find_family("mine"), InputError);
  mine.summary = "the first";
  add_family(mine);
  const Family& first = find_family(mine.name);
  mine.summary = "the second";
  add_family(mine);
  EXPECT_EQ(find_family("mine").summary, "the second");
  EXPECT_EQ(first.summary, "the first") << "whoever has it keeps it";
  mine.name = "no word";
  EXPECT_THROW(add_family(mine), InputError);
}

TEST(Family, DigestIsAFunctionOfWhatTheSpecMeans) {
  for (const std::string family : {"nice:d=5", "parity:d=8"}) {
    const std::string digest = make(family).digest;
    EXPECT_EQ(digest.size(), 64u);
    EXPECT_EQ(make(family).digest, digest);
    EXPECT_EQ(make(family + ",seed=1").digest, digest);  // the default, written out
    EXPECT_NE(make(family + ",seed=2").digest, digest);
    EXPECT_NE(make(family + ",m=4").digest, digest);
  }
}

TEST(Nice, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("nice").digest, "778b6bc8f16330ef196f9fad0a3347134f027a5152e53e9aec05d73d23928f5b");
  EXPECT_EQ(make("nice:d=7,k=2,m=3,theta_norm=0.3,w_norm=10,inputs=sphere,seed=12").digest,
            "6fad7d144d3593279ecf78fbb0f8cee7547903a7d2564971f507ba03fe6b5849");
}

TEST(Nice, MatricesHaveTheNormsAskedForAndNoneIsDrawnTwice) {
  const Instance instance = make("nice:d=24,m=3,theta_norm=2.5,w_norm=0.25");
  EXPECT_EQ(instance.layer.m(), 3);
  std::vector<double> first;
  for (const auto& head : instance.layer.heads) {
    EXPECT_NEAR(head.theta.norm(), 2.5, 1e-14);
    EXPECT_NEAR(head.w.norm(), 0.25, 1e-15);
    first.push_back(head.theta(0, 1) / 2.5);
    first.push_back(head.w(0, 1) / 0.25);
  }
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
}

TEST(Nice, EntriesLookNormal) {
  const auto theta = make("nice:d=200,m=1,theta_norm=200").layer.heads[0].theta;  // entries N(0, 1)
  EXPECT_NEAR(theta.mean(), 0, 5 / 200.0);
  EXPECT_NEAR(theta.array().pow(4).mean(), 3, 5 * std::sqrt(96.0) / 200);
}

TEST(Nice, ZeroThetaIsUniformAttentionWithoutSignedZeros) {
  const Instance instance = make("nice:d=4,theta_norm=0");
  for (const auto& head : instance.layer.heads)
    for (attention::Index a = 0; a < 4; ++a)
      for (attention::Index b = 0; b < 4; ++b) {
        EXPECT_EQ(head.theta(a, b), 0.0);
        EXPECT_FALSE(std::signbit(head.theta(a, b)));
      }
}

TEST(Nice, TeacherIsTheForwardPassOfItsLayer) {
  const Instance instance = make("nice:d=6,k=4,inputs=gaussian");
  EXPECT_EQ(instance.k, 4);
  EXPECT_EQ(instance.inputs, attention::Inputs::gaussian);
  EXPECT_FALSE(instance.exact);
  EXPECT_FALSE(instance.null.exact_error);
  EXPECT_TRUE(instance.hidden.empty());
  attention::Block ours(6, 4, 10);
  attention::draw_tokens(instance.inputs, Stream(Domain::test, 1), 0, ours);
  attention::Block theirs = ours;
  instance.teacher->label(ours);
  attention::LayerTeacher(instance.layer).label(theirs);
  EXPECT_EQ(ours.y, theirs.y);
}

}  // namespace
}  // namespace hardhead::hardness
