#include "hardness/challenge/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attention/files/layer_file.h"
#include "hardness/families/family.h"
#include "lwe/files/instance_file.h"
#include "tests/hardness/challenge/challenges.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::challenge {
namespace {

using testing::HasSubstr;

struct Named {
  std::string what;
  std::vector<double> y;
};

/// Ten predictions that are wrong in ten ways.
std::vector<Named> wrong_predictions(const LayerChallenge& challenge, const std::vector<double>& right) {
  const auto entries = static_cast<std::size_t>(challenge.terms.entries());
  const auto d = static_cast<std::size_t>(challenge.terms.d);
  const auto changed = [&](const auto& change) {
    std::vector<double> y = right;
    change(y);
    return y;
  };
  // The first label that is not 0, and its largest number.
  const auto first = static_cast<std::size_t>(
      std::ranges::find_if(right, [](double value) { return value != 0; }) - right.begin());
  const std::size_t label = first / entries * entries;
  const auto other = made_of(challenge.terms.spec.str(), challenge.examples).secret;
  return {
      {"nothing", std::vector<double>(right.size(), 0)},
      {"one label's sign", changed([&](auto& y) {
         for (std::size_t i = 0; i < entries; ++i) y[label + i] = -y[label + i];
       })},
      {"one number", changed([&](auto& y) { y[first] *= 0.4; })},
      {"every sign", changed([](auto& y) { std::ranges::transform(y, y.begin(), std::negate()); })},
      {"scale",
       changed([](auto& y) { std::ranges::transform(y, y.begin(), [](double v) { return 1.6 * v; }); })},
      {"order of the test inputs", changed([&](auto& y) { std::ranges::rotate(y, y.begin() + entries); })},
      {"order of the tokens", changed([&](auto& y) { std::ranges::rotate(y, y.begin() + d); })},
      {"a column of its own", changed([&](auto& y) { y[label + d - 1] += 3; })},
      {"one label of the last", changed([&](auto& y) { y.back() += 1.5; })},
      {"another secret of the family", right_predictions(challenge, other).y},
  };
}

const std::vector<std::string> families = {"parity:d=40,m=6", "lwr:n=8,q=16,p=4", "lwe:n=8,q=16", "lpn:n=40",
                                           "nice:d=8,k=2,m=2"};

TEST(Answer, ARightOneIsAcceptedAndEachOfTenWrongOnesIsRefused) {
  for (const std::string& spec : families) {
    const MadeLayerChallenge made = made_of(spec, 100);
    const Predictions right = right_predictions(made.challenge, made.secret);
    EXPECT_TRUE(verify(made.challenge, right).right) << spec;
    const std::vector<Named> wrong = wrong_predictions(made.challenge, right.y);
    ASSERT_EQ(wrong.size(), 10u);
    for (const Named& predictions : wrong) {
      const Verdict verdict = verify(made.challenge, Predictions{predictions.y});
      EXPECT_FALSE(verdict.right) << spec << ": " << predictions.what;
      EXPECT_NE(verdict.reason, "");
    }
  }
}

TEST(Answer, ASecretIsRightAndEachOfTenOthersIsRefused) {
  for (const char* spec : {"parity:d=40,m=6", "lwr:n=8,q=16,p=4", "lwe:n=8,q=16", "lpn:n=40"}) {
    const MadeLayerChallenge made = made_of(spec, 100);
    const auto right = std::get<std::vector<lwe::Residue>>(made.secret);
    EXPECT_TRUE(verify(made.challenge, right).right) << spec;
    const lwe::ProblemParameters& problem = made.challenge.terms.behind_switch->problem;
    for (std::uint64_t other = 1; other <= 10; ++other) {
      const auto wrong = lwe::draw_secret(problem, other);
      ASSERT_NE(wrong, right);
      EXPECT_FALSE(verify(made.challenge, wrong).right) << spec;
    }
    auto near = right;  // of a parity's secret it has another number of ones
    near[0] = near[0] == 0 ? 1 : 0;
    EXPECT_FALSE(verify(made.challenge, near).right) << spec;
    near.pop_back();
    EXPECT_FALSE(verify(made.challenge, near).right) << spec;
  }
}

TEST(Answer, NearlyRightIsRightToWithinWhatIsStated) {
  for (const std::string& spec : families) {
    const MadeLayerChallenge made = made_of(spec, 100);
    const double off = made.challenge.terms.behind_switch
                           ? 0.249 * std::abs(made.challenge.terms.behind_switch->step)
                           : 0.99 * rounding_margin;
    Predictions predictions = right_predictions(made.challenge, made.secret);
    for (std::size_t i = 0; i < predictions.y.size(); ++i) predictions.y[i] += i % 2 == 0 ? off : -off;
    EXPECT_TRUE(verify(made.challenge, predictions).right) << spec;
  }
}

TEST(Answer, ALayerIsJudgedByItsForwardPass) {
  const MadeLayerChallenge nice = made_of("nice:d=8,k=2,m=2", 20);
  auto layer = std::get<attention::Layer>(nice.secret);
  std::swap(layer.heads[0], layer.heads[1]);
  EXPECT_TRUE(verify(nice.challenge, layer).right) << "the same function";
  layer.heads[0].w(0, 0) += 1e-4;
  EXPECT_FALSE(verify(nice.challenge, layer).right);

  // The layer of the parity that a secret is.
  const MadeLayerChallenge parity = made_of("parity:d=8,m=3", 20);
  const auto& ones = std::get<std::vector<lwe::Residue>>(parity.secret);
  for (int seed = 1; seed <= 1000; ++seed) {
    const auto instance = hardness::make_instance(Spec::parse("parity:d=8,m=3,seed=" + std::to_string(seed)));
    const bool same =
        std::ranges::all_of(instance.hidden, [&](auto j) { return ones[static_cast<std::size_t>(j)] == 1; });
    EXPECT_EQ(verify(parity.challenge, instance.layer).right, same);
    if (same) return;
  }
  FAIL() << "none of 1000 seeds draws this one of 35 sets: a chance of 1e-13";
}

TEST(Answer, IsReadFromEachOfItsFormats) {
  const ScratchFolder folder;
  const MadeLayerChallenge made = made_of("parity:d=12,m=3", 40);
  const LayerChallenge& challenge = made.challenge;
  const Predictions right = right_predictions(challenge, made.secret);
  std::string csv;
  for (std::size_t i = 0; i < right.y.size(); ++i)
    csv += fmt::format("{}{}", right.y[i], (i + 1) % 24 == 0 ? "\n" : ",");
  folder.write("labels.csv", csv);
  attention::SafetensorsWriter writer(folder.path("labels.safetensors"),
                                      {{"y", attention::DType::f32, {challenge.test_examples, 2, 12}}}, {});
  writer.write(0, 0, right.y);
  writer.commit();
  lwe::write_solution(folder.path("secret.json"), {"", std::get<std::vector<lwe::Residue>>(made.secret)});
  for (const char* name : {"labels.csv", "labels.safetensors", "secret.json"})
    EXPECT_TRUE(verify(challenge, read_answer(folder.path(name), challenge)).right) << name;
}

TEST(Answer, FilesThatAreNoAnswersAreRefusedByPlace) {
  const ScratchFolder folder;
  const LayerChallenge challenge = made_of("parity:d=3,m=1", 40).challenge;
  const auto refusal = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    return refusal_of([&] { read_answer(folder.path(name), challenge); });
  };
  EXPECT_THAT(refusal("a.csv", "1,2,3,4,5,6\n1,2,x,4,5,6\n"), HasSubstr("line 2: \"x,4,5,6"));
  EXPECT_THAT(refusal("b.csv", "1,2,3,4,5\n"), HasSubstr("line 1: 5 numbers; a label has k d = 6"));
  EXPECT_THAT(refusal("c.csv", "1,2,3,4,5,6\n"), HasSubstr("1 lines, but there are 512 test inputs"));
  EXPECT_THAT(refusal("d.csv", "1,2,nan,4,5,6\n"), HasSubstr("finite"));
  EXPECT_THAT(refusal("e.csv", "1;2\n"), HasSubstr("a comma or the end of the line"));
  EXPECT_THAT(refusal("f.txt", ""), HasSubstr("ends in .json (a secret), .csv"));
  EXPECT_THAT(refusal("g.json", "{}"), HasSubstr("schema"));
  attention::write_layer(folder.path("layer.safetensors"),
                         std::get<attention::Layer>(made_of("nice:d=4,k=2,m=1", 1).secret), {});
  EXPECT_THAT(
      refusal_of([&] { verify(challenge, read_answer(folder.path("layer.safetensors"), challenge)); }),
      HasSubstr("the layer has d = 4, the challenge has d = 3"));
  const LayerChallenge nice = made_of("nice:d=4,k=2,m=1", 1).challenge;
  EXPECT_THAT(refusal_of([&] { verify(nice, std::vector<lwe::Residue>{1}); }),
              HasSubstr("a layer, or labels"));
}

}  // namespace
}  // namespace hardhead::challenge
