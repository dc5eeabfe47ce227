#include "learner/label_unit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using namespace attention;
using testing::NiceSource;

// Examples of a layer whose W_i are a power of two times a nice layer's.
struct Times {
  NiceSource nice{"nice:d=8,k=3,m=2"};
  Layer layer = nice.layer();
  SimulatedSource source;

  explicit Times(double factor)
      : source(teacher(factor), 8, 3, Inputs::boolean, Stream(Domain::samples, 1, "units")) {}

  std::shared_ptr<const Teacher> teacher(double factor) {
    for (Head& head : layer.heads) head.w *= factor;
    return std::make_shared<LayerTeacher>(layer);
  }
};

TEST(LabelUnit, IsAPowerOfTwoWhereLabelsAreFarFromOneAndElseOne) {
  EXPECT_EQ(label_unit(Times(1).source), 1);
  EXPECT_EQ(label_unit(Times(std::exp2(10)).source), 1);
  EXPECT_EQ(label_unit(Times(0).source), 1);
  for (const int power : {-400, -83, 83, 400}) {
    int exponent = 0;
    EXPECT_EQ(std::frexp(label_unit(Times(std::exp2(power)).source), &exponent), 0.5);
    EXPECT_NEAR(exponent, power, 3);
  }
}

// Scaling by a power of two rounds nothing, so that learners whose own start is in no unit learn the same
// layer bit for bit.
TEST(LabelUnit, ALayerOfAnySizeIsLearntAsOneOfSizeOneIs) {
  for (const char* method : {"sculpt", "gauss-newton", "gauss-newton:rank=4", "lbfgs", "adam:steps=50"}) {
    const Task task{.heads = 2, .examples = 4000};
    const auto learnt = [&](double factor) {
      const Times times(factor);
      Report report = learn(Spec::parse(method), times.source, task);
      EXPECT_TRUE(report.layer) << method;
      return report.layer.value_or(Layer{});
    };
    const Layer low = learnt(std::exp2(-90)), high = learnt(std::exp2(90)), higher = learnt(std::exp2(400));
    ASSERT_EQ(low.m(), high.m()) << method;
    for (std::size_t i = 0; i < low.heads.size(); ++i) {
      EXPECT_EQ(low.heads[i].theta, high.heads[i].theta) << method;
      EXPECT_EQ(low.heads[i].w * std::exp2(180), high.heads[i].w) << method;
      EXPECT_EQ(low.heads[i].w * std::exp2(490), higher.heads[i].w) << method;
    }
  }
}

TEST(LabelUnit, PhasesAndPredictionsAreInTheLabelsOwnUnit) {
  const double factor = std::exp2(90);
  const Times one(1), times(factor);
  const Report learnt = learn(Spec::parse("gauss-newton"), times.source, {.heads = 2});
  ASSERT_FALSE(learnt.phases.empty());
  const Layer& estimate = std::get<Layer>(learnt.phases.back().estimates.back());
  EXPECT_NEAR(estimate.w_sum().norm() / times.layer.w_sum().norm(), 1, 1e-6);

  Report predicted;
  predicted.predictor = predictor_of([](Block& block) { block.y.setOnes(); });
  in_own_units(predicted, factor);
  Block block(8, 3, 5);
  predicted.predictor(one.source, 5, {})(0, block);
  EXPECT_EQ(block.y.minCoeff(), factor);
}

}  // namespace
}  // namespace hardhead::learner
