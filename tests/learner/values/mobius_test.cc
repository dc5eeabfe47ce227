#include "learner/mobius/mobius.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attention/layer/canonical.h"
#include "base/error.h"
#include "tests/learner/layer_error.h"

namespace hardhead::learner {
namespace {

using attention::Layer;
using attention::Matrix;

Report learn(const hardness::Instance& instance, OracleOptions options = {}, std::uint64_t seed = 1) {
  options.tokens = 2;
  ValueOracle oracle(instance.teacher, instance.layer.d, std::move(options));
  Task task;
  task.seed = seed;
  return learn(Spec::parse("mobius"), oracle, task);
}

hardness::Instance with_layer(Layer layer) {
  hardness::Instance out;
  out.k = 2;
  out.teacher = std::make_shared<attention::LayerTeacher>(layer);
  out.layer = std::move(layer);
  return out;
}

/// Blocks that were given up: measure "repeats" of the phase "features".
Index repeats_of(const Report& report) {
  for (const auto& [name, value] : report.phases[1].measures)
    if (name == "repeats") return static_cast<Index>(value);
  ADD_FAILURE() << "the report does not say how many blocks were given up";
  return 0;
}

struct Case {
  const char* family;
  Index d, m;
  int seeds;
};

class Mobius : public ::testing::TestWithParam<Case> {};

TEST_P(Mobius, LearnsEverySeedWithTheQueriesOfItsFormula) {
  const auto [family, d, m, seeds] = GetParam();
  double before = 0, after = 0;
  Index most_repeats = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const hardness::Instance instance =
        instance_of(fmt::format("{}:k=2,d={},m={},seed={}", family, d, m, seed));
    const Report report = learn(instance, {}, static_cast<std::uint64_t>(seed));
    ASSERT_EQ(report.ending, Ending::finished) << report.message;
    const Index queries = mobius::all_queries(d, m) + repeats_of(report) * mobius::relation_queries(m);
    EXPECT_EQ(report.queries_used, queries);
    EXPECT_EQ(report.tokens_used, 2 * queries);
    ASSERT_EQ(report.layer->m(), m);
    most_repeats = std::max(most_repeats, repeats_of(report));
    before = std::max(before, layer_error(std::get<Layer>(report.phases[1].estimates[0]), instance.layer));
    after = std::max(after, layer_error(*report.layer, instance.layer));
  }
  RecordProperty("most_repeats", static_cast<int>(most_repeats));
  RecordProperty("before_polish", fmt::format("{:.2g}", before));
  RecordProperty("after_polish", fmt::format("{:.2g}", after));
  EXPECT_LE(after, 1e-20);
  EXPECT_LE(before, m > 4 ? 1e-8 : 1e-20);
}

INSTANTIATE_TEST_SUITE_P(Layers, Mobius,
                         ::testing::Values(Case{"nice", 16, 1, 20}, Case{"nice", 16, 2, 20},
                                           Case{"nice", 16, 3, 20}, Case{"nice", 16, 4, 20},
                                           Case{"nice", 16, 5, 20}, Case{"nice", 16, 6, 20},
                                           Case{"nice", 16, 7, 20}, Case{"nice", 16, 8, 20},
                                           Case{"transformer", 16, 1, 20}, Case{"transformer", 16, 2, 20},
                                           Case{"transformer", 16, 4, 20}, Case{"transformer", 16, 8, 20},
                                           Case{"nice", 32, 8, 1}, Case{"nice", 17, 3, 2}));

TEST(MobiusConditions, AConstantHeadIsSplitOff) {
  Layer layer = instance_of("nice:k=2,d=12,m=3").layer;
  layer.heads[1].theta.setZero();
  const Report report = learn(with_layer(layer));
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(report.layer->m(), 3);
  EXPECT_TRUE(report.layer->heads.back().theta.isZero(0));
  EXPECT_LE(layer_error(*report.layer, layer), 1e-20);
}

TEST(MobiusConditions, ABlockThatLeavesTheOddsAsTheyAreIsGivenUp) {
  // Features 6 .. 15 do not matter to the attention, so that one block in eight changes no odds.
  Layer layer = instance_of("nice:k=2,d=16,m=1").layer;
  layer.heads[0].theta.bottomRows(10).setZero();
  Index repeats = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Report report = learn(with_layer(layer), {}, seed);
    if (report.ending == Ending::failed) {  // three such blocks on end
      EXPECT_EQ(report.failed_phase, "features");
      continue;
    }
    repeats += repeats_of(report);
    EXPECT_EQ(report.queries_used,
              mobius::all_queries(16, 1) + repeats_of(report) * mobius::relation_queries(1));
    EXPECT_LE(layer_error(*report.layer, layer), 1e-20);
  }
  EXPECT_GT(repeats, 0);
}

TEST(MobiusConditions, TooFewFeaturesForTheRelationsAreNamed) {
  for (const auto& [d, m] : {std::pair{3, 1}, {5, 2}, {6, 3}})
    for (int seed = 1; seed <= 10; ++seed) {
      const Report report = learn(instance_of(fmt::format("nice:k=2,d={},m={},seed={}", d, m, seed)));
      EXPECT_EQ(report.ending, Ending::failed);
      EXPECT_NE(report.message.find("different pairs of points"), std::string::npos) << report.message;
    }
  for (const auto& [d, m] : {std::pair{5, 1}, {6, 2}, {7, 4}, {8, 6}})
    for (int seed = 1; seed <= 10; ++seed) {
      const Report report = learn(instance_of(fmt::format("nice:k=2,d={},m={},seed={}", d, m, seed)));
      EXPECT_EQ(report.ending, Ending::finished) << d << " " << m << " " << seed << ": " << report.message;
    }
}

TEST(MobiusConditions, DependentRowsOfWFailInANamedStep) {
  Layer layer = instance_of("nice:k=2,d=12,m=2").layer;
  layer.heads[1].w = 2 * layer.heads[0].w;
  const Report report = learn(with_layer(layer));
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(report.failed_phase, "features");
  EXPECT_NE(report.message.find("dependent"), std::string::npos) << report.message;
  EXPECT_FALSE(report.layer);

  layer = instance_of("nice:k=2,d=12,m=2").layer;
  layer.heads[1].w.row(5) = layer.heads[0].w.row(5);  // at one feature only
  const Report one = learn(with_layer(layer));
  EXPECT_EQ(one.ending, Ending::failed);
  EXPECT_EQ(one.failed_phase, "features");
  EXPECT_NE(one.message.find("dependent"), std::string::npos) << one.message;
}

TEST(MobiusConditions, ErrorGrowsInProportionToTheTolerance) {
  const hardness::Instance instance = instance_of("nice:k=2,d=16,m=2");
  double previous = 0;
  for (const double tau : {1e-12, 1e-10, 1e-8, 1e-6}) {
    const Report report = learn(instance, {.tolerance = {tau}});
    ASSERT_EQ(report.ending, Ending::finished) << report.message;
    const double error = std::sqrt(layer_error(*report.layer, instance.layer));
    EXPECT_LE(error, 300 * tau);
    if (previous > 0) {
      EXPECT_NEAR(error / previous, 100, 30);
    }
    previous = error;
  }
}

TEST(MobiusOutcomes, ASpentBudgetAndAStrangeLengthAreSaid) {
  const hardness::Instance instance = instance_of("nice:k=2,d=8,m=2");
  const Report report = learn(instance, {.budget = 50});
  EXPECT_EQ(report.ending, Ending::out_of_queries);
  EXPECT_LE(report.queries_used, 50);
  EXPECT_FALSE(report.layer);
  ValueOracle three(instance.teacher, 8, {.tokens = 3});
  EXPECT_THROW(learn(Spec::parse("mobius"), three, {}), InputError);
}

TEST(Mobius, LearnsLayersWithBiasesWithoutChoosingTheirFeature) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const hardness::Instance instance =
        instance_of(fmt::format("nice:k=2,d=11,m=3,inputs=gaussian+1,seed={}", seed));
    const Report report = learn(instance, {.last = attention::LastFeature::is_one}, seed);
    ASSERT_EQ(report.ending, Ending::finished) << report.message;
    const auto form = [](const Layer& layer) {
      return attention::canonical_form(layer, 2, 1e-9, attention::LastFeature::is_one).layer;
    };
    const Layer found = form(*report.layer), truth = form(instance.layer);
    ASSERT_EQ(found.m(), truth.m());
    for (std::size_t i = 0; i < truth.heads.size(); ++i) {
      EXPECT_LE((found.heads[i].theta - truth.heads[i].theta).norm(), 1e-9);
      EXPECT_LE((found.heads[i].w - truth.heads[i].w).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace hardhead::learner
