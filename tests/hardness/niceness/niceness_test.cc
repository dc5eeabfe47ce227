#include "hardness/niceness/niceness.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "hardness/families/family.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using attention::Layer;
using attention::Matrix;

Certificate certify(const Layer& layer, std::optional<Index> k = 2, const std::string& constants = "c") {
  return hardness::certify(layer, k, niceness_constants().read(Spec::parse(constants)));
}

const Condition& find(const Certificate& certificate, const std::string& name, const std::string& subject) {
  for (const Condition& c : certificate.conditions)
    if (c.name == name && c.subject == subject) return c;
  throw std::runtime_error(name + ", " + subject + " is missing");
}

Matrix matrix(Index d, std::initializer_list<double> rows) {
  return Eigen::Map<const attention::RowMatrix>(rows.begin(), d, d);
}

/// theta 0 = [3 0; 0 4], theta 1 = [0 1; -1 0]; w 0 = identity, w 1 = 16 [1 1; 1 1].
Layer small_layer() {
  return {2,
          {{matrix(2, {3, 0, 0, 4}), Matrix::Identity(2, 2)},
           {matrix(2, {0, 1, -1, 0}), Matrix::Constant(2, 2, 16)}}};
}

TEST(Niceness, ValuesAndThresholdsOfASmallLayerByHand) {
  const Certificate certificate = certify(small_layer(), 2);
  const auto expect = [&](const char* name, const char* subject, double value, double threshold, double flip,
                          ConditionStatus verdict) {
    const Condition c = find(certificate, name, subject);
    EXPECT_NEAR(c.value, value, 1e-13 * value) << name << " " << subject;
    EXPECT_NEAR(c.threshold, threshold, 1e-13) << name << " " << subject;
    EXPECT_NEAR(c.constant_at_flip, flip, 1e-12) << name << " " << subject;
    EXPECT_EQ(c.status, verdict) << name << " " << subject;
  };
  // d = 2: log d is max(1, ln 2) = 1; m = k = 2.
  expect("theta_incoherence", "theta 0, theta 1", 0, 0.5, 0, ConditionStatus::pass);
  expect("theta_stable_rank", "theta 0", 25.0 / 16, 4, 25.0 / 64, ConditionStatus::fail);
  expect("theta_stable_rank", "theta 1", 2, 4, 0.5, ConditionStatus::fail);
  expect("theta_diagonal", "theta 0", 49.0 / 25, 1, 49.0 / 25, ConditionStatus::fail);
  expect("theta_diagonal", "theta 1", 0, 1, 0, ConditionStatus::pass);
  expect("theta_column", "theta 0", 16.0 / 25, 1, 16.0 / 25, ConditionStatus::pass);
  expect("theta_column", "theta 1", 0.5, 1, 0.5, ConditionStatus::pass);
  expect("theta_norm_ratio", "theta 0", 1, 2, 0.5, ConditionStatus::pass);
  expect("theta_norm_ratio", "theta 1", 5 / std::sqrt(2.0), 2, 2.5 / std::sqrt(2.0), ConditionStatus::fail);
  expect("theta_norm", "theta 0", 25, 1, 25, ConditionStatus::fail);
  expect("theta_norm", "theta 1", 2, 1, 2, ConditionStatus::fail);
  expect("w_incoherence", "w 0, w 1", 1 / std::sqrt(2.0), 0.5, std::sqrt(2.0), ConditionStatus::fail);
  expect("w_stable_rank", "w 1", 1, 4, 0.25, ConditionStatus::fail);
  expect("w_norm_ratio", "w 0", 4.5, 1, 4.5, ConditionStatus::fail);  // 32 / sqrt 2 = 2^4.5, r = max(2, 1)
  expect("w_norm_ratio", "w 1", 0, 1, 0, ConditionStatus::pass);
  expect("injectivity", "layer", 2, 2, 1, ConditionStatus::pass);
  EXPECT_LE(find(certificate, "theta_non_arithmetic", "theta 1").value, 1e-14);
  EXPECT_EQ(certificate.nice(), false);
}

TEST(Niceness, OrderOfTheHeadsAndScaleChangeNoVerdictThatDoesNotMeasureThem) {
  const Layer layer = make_instance(Spec::parse("nice:d=12,k=2,m=3")).layer;
  Layer other = layer;
  std::swap(other.heads[0], other.heads[2]);
  for (auto& head : other.heads) {
    head.theta *= -0x1p200;
    head.w *= 0x1p-200;
  }
  const Certificate one = certify(layer), two = certify(other);
  const std::map<std::string, std::string> renamed = {{"theta 0", "theta 2"},
                                                      {"theta 2", "theta 0"},
                                                      {"w 0", "w 2"},
                                                      {"w 2", "w 0"},
                                                      {"theta 0, theta 1", "theta 1, theta 2"},
                                                      {"theta 1, theta 2", "theta 0, theta 1"},
                                                      {"w 0, w 1", "w 1, w 2"},
                                                      {"w 1, w 2", "w 0, w 1"}};
  for (const Condition& c : one.conditions) {
    const auto name = renamed.find(c.subject);
    const Condition image = find(two, c.name, name == renamed.end() ? c.subject : name->second);
    if (c.name == "theta_norm")
      EXPECT_EQ(image.status, ConditionStatus::fail);
    else
      EXPECT_NEAR(image.value, c.value, 1e-9) << c.name << " " << c.subject;
    EXPECT_EQ(image.threshold, c.threshold) << c.name;
  }
}

TEST(Niceness, AConstantMovesItsOwnThresholdAndTheVerdictFlipsWhereItSays) {
  const Layer layer = make_instance(Spec::parse("nice:d=10,k=2,m=3")).layer;
  for (const Condition& c : certify(layer).conditions) {
    if (c.name == "w_norm_ratio") continue;  // equal norms: holds with every constant
    for (const double factor : {0.99, 1.0, 1.01}) {
      const Certificate other =
          certify(layer, 2, fmt::format("c:{}={}", c.name, c.constant_at_flip * factor));
      const Condition moved = find(other, c.name, c.subject);
      const bool pass = c.at_least ? factor <= 1 : factor >= 1;
      EXPECT_EQ(moved.status, pass ? ConditionStatus::pass : ConditionStatus::fail)
          << c.name << " " << factor;
      EXPECT_EQ(moved.value, c.value);
      EXPECT_NEAR(moved.threshold, factor * c.value, 1e-12 * c.value);
    }
  }
}

TEST(Niceness, ALayerIsNiceWithTheConstantsOfItsWorstSubjects) {
  const Layer layer = make_instance(Spec::parse("nice:d=16,k=3,m=2")).layer;
  const Certificate strict = certify(layer, 3);
  EXPECT_EQ(strict.nice(), false);
  std::string constants = "c";
  for (const Condition& c : strict.worst())
    if (c.status == ConditionStatus::fail)
      constants += fmt::format("{}{}={}", constants == "c" ? ":" : ",", c.name, c.constant_at_flip);
  EXPECT_EQ(certify(layer, 3, constants).nice(), true) << constants;
  EXPECT_EQ(certify(layer, std::nullopt, constants).nice(), std::nullopt) << "k is not known";
}

TEST(Niceness, TheWorstAloneAreThoseOfTheWholeCertificate) {
  for (const std::string spec : {"nice:d=10,k=2,m=5", "parity:d=12,m=4", "lwr:n=3,q=8,p=2", "nice:d=1,m=1",
                                 "nice:d=6,m=3,theta_norm=0"}) {
    const Instance instance = make_instance(Spec::parse(spec));
    const NicenessConstants constants;
    for (const std::optional<Index> k : {std::optional(instance.k), std::optional<Index>()}) {
      const std::vector<Condition> worst = hardness::certify(instance.layer, k, constants).worst();
      const Certificate alone = certify_worst(instance.layer, k, constants);
      ASSERT_EQ(alone.conditions.size(), worst.size()) << spec;
      for (std::size_t c = 0; c < worst.size(); ++c) {
        EXPECT_EQ(alone.conditions[c].name, worst[c].name) << spec;
        EXPECT_EQ(alone.conditions[c].subject, worst[c].subject) << spec << " " << worst[c].name;
        EXPECT_EQ(alone.conditions[c].status, worst[c].status) << spec << " " << worst[c].name;
      }
      EXPECT_EQ(alone.nice(), hardness::certify(instance.layer, k, constants).nice()) << spec;
    }
  }
}

TEST(Niceness, EveryConditionOfALargeGaussianLayerHoldsWithEveryConstantAtOne) {
  const Layer layer = make_instance(Spec::parse("nice:d=192,k=2,m=2")).layer;
  const Certificate certificate = certify(layer, 2);
  for (const Condition& c : certificate.conditions) EXPECT_EQ(c.status, ConditionStatus::pass) << c.name;
  EXPECT_EQ(certificate.nice(), true);
}

TEST(Niceness, ParityFailsWhatItIsMadeToFail) {
  const Instance parity = make_instance(Spec::parse("parity:d=20,m=6"));
  std::set<std::string> failing;
  for (const Condition& c : certify(parity.layer, parity.k).worst())
    if (c.status == ConditionStatus::fail) failing.insert(c.name);
  EXPECT_THAT(failing, testing::IsSupersetOf({"theta_incoherence", "theta_stable_rank", "theta_diagonal",
                                              "theta_non_arithmetic", "w_incoherence", "w_stable_rank"}));
}

TEST(Niceness, OneHeadHasNoPairs) {
  const Certificate certificate = certify(make_instance(Spec::parse("nice:m=1")).layer, 3);
  for (const char* name : {"theta_incoherence", "theta_norm_ratio"}) {
    const Condition c = find(certificate, name, "theta 0");
    EXPECT_EQ(c.status, ConditionStatus::not_applicable);
    EXPECT_EQ(c.reason, "there is one head");
  }
  EXPECT_EQ(find(certificate, "w_incoherence", "w 0").status, ConditionStatus::not_applicable);
  EXPECT_EQ(find(certificate, "w_norm_ratio", "w 0").status, ConditionStatus::not_applicable);
}

TEST(Niceness, AZeroMatrixFailsByItsRankAndHasNoDirection) {
  Layer layer = small_layer();
  layer.heads[0].theta.setZero();
  layer.heads[1].w.setZero();
  const Certificate certificate = certify(layer);
  EXPECT_EQ(find(certificate, "theta_stable_rank", "theta 0").value, 0);
  EXPECT_EQ(find(certificate, "theta_stable_rank", "theta 0").status, ConditionStatus::fail);
  EXPECT_EQ(find(certificate, "theta_norm", "theta 0").status, ConditionStatus::pass);
  for (const char* name : {"theta_diagonal", "theta_column", "theta_non_arithmetic"})
    EXPECT_EQ(find(certificate, name, "theta 0").status, ConditionStatus::not_applicable) << name;
  EXPECT_EQ(find(certificate, "theta_incoherence", "theta 0, theta 1").status,
            ConditionStatus::not_applicable);
  EXPECT_EQ(find(certificate, "theta_norm_ratio", "theta 0").status, ConditionStatus::fail);
  EXPECT_EQ(find(certificate, "w_norm_ratio", "w 1").constant_at_flip,
            std::numeric_limits<double>::infinity());
  layer.heads[1].theta.setZero();
  EXPECT_EQ(find(certify(layer), "theta_norm_ratio", "theta 1").reason, "all are zero");
}

TEST(Niceness, OneFeatureIsJudgedAndItsEntryIsOnEveryLattice) {
  const Certificate certificate = certify({1, {{Matrix::Constant(1, 1, 2), Matrix::Ones(1, 1)}}}, 2);
  EXPECT_EQ(find(certificate, "theta_non_arithmetic", "theta 0").status, ConditionStatus::not_applicable);
  EXPECT_EQ(find(certificate, "theta_diagonal", "theta 0").value, 1);
  EXPECT_EQ(find(certificate, "theta_stable_rank", "theta 0").threshold, 2);
  EXPECT_EQ(certificate.nice(), false);
}

TEST(Niceness, OfALayerWithANetworkTheHeadsAreJudged) {
  const NicenessConstants lenient{.theta_stable_rank = 0.1, .w_stable_rank = 0.1};
  attention::Layer layer = make("block:d=16,k=2,m=2,width=32").layer;
  const Certificate block = certify(layer, 2, lenient);
  EXPECT_EQ(block.network, 32);
  EXPECT_EQ(block.nice(), std::nullopt) << "the upper bound does not speak of it";
  layer.network.reset();
  const Certificate heads = certify(layer, 2, lenient);
  EXPECT_EQ(heads.nice(), true);
  ASSERT_EQ(block.conditions.size(), heads.conditions.size());
  for (std::size_t i = 0; i < heads.conditions.size(); ++i) {
    const double of_heads = heads.conditions[i].value, of_block = block.conditions[i].value;
    EXPECT_TRUE(of_heads == of_block || (std::isnan(of_heads) && std::isnan(of_block))) << i;
  }
}

TEST(Niceness, ValuesThatAreNotNumbersAreRefused) {
  Layer layer = small_layer();
  layer.heads[1].w(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal_of([&] { certify(layer); }), testing::HasSubstr("head 1: w[0,1] is nan"));
  EXPECT_THROW(certify(small_layer(), 2, "c:theta_norm=0"), InputError);
  EXPECT_THROW(certify(small_layer(), 2, "c:theta_nrm=1"), InputError);
}

}  // namespace
}  // namespace hardhead::hardness
