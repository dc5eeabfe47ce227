#include "experiments/linear_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardness/families/family.h"
#include "tests/refusal.h"

namespace hardhead::experiments {
namespace {

using attention::Block;
using attention::Index;

hardness::Instance instance_of(const std::string& spec) {
  return hardness::make_instance(Spec::parse(spec));
}

attention::SimulatedSource linear_source(const hardness::Instance& instance) {
  return {std::make_shared<LinearAttention>(instance.layer), instance.layer.d, instance.k, instance.inputs,
          Stream(Domain::samples, 1, instance.digest)};
}

TEST(LinearAttention, IsItsDefinitionEntryByEntry) {
  const hardness::Instance instance = instance_of("nice:d=3,k=2,m=2,inputs=gaussian");
  Block block(3, 2, 4);
  linear_source(instance).read(0, block);
  for (Index n = 0; n < 4; ++n)
    for (Index r = 0; r < 2; ++r)
      for (Index e = 0; e < 3; ++e) {
        double sum = 0;
        for (std::size_t i = 0; i < 2; ++i)
          for (Index s = 0; s < 2; ++s)
            for (Index a = 0; a < 3; ++a)
              for (Index b = 0; b < 3; ++b)
                for (Index c = 0; c < 3; ++c)
                  sum += block.x(a, block.column(r, n)) * instance.layer.heads[i].theta(a, b) *
                         block.x(b, block.column(s, n)) * block.x(c, block.column(s, n)) *
                         instance.layer.heads[i].w(c, e);
        EXPECT_NEAR(block.y(e, block.column(r, n)), sum, 1e-12);
      }
}

TEST(LinearAttention, IsRecoveredFromAsManyRowsAsFeaturesAndNotFromFewer) {
  for (const char* spec : {"nice:d=6,k=2,m=3,inputs=gaussian", "nice:d=6,k=2,m=3", "nice:d=5,k=3,m=8"}) {
    const hardness::Instance instance = instance_of(spec);
    const auto source = linear_source(instance);
    const std::int64_t features = cubic_features(instance.layer.d, instance.inputs);
    const CubicRegression enough = regress_on_cubics(source, features);
    EXPECT_TRUE(enough.certified()) << spec << " " << enough.least_eigenvalue;
    EXPECT_LT(enough.test_error, 1e-18) << spec;
    const CubicRegression fewer = regress_on_cubics(source, features / 2 - 8);
    EXPECT_FALSE(fewer.certified()) << spec << " " << fewer.least_eigenvalue;
  }
  EXPECT_EQ(cubic_features(6, attention::Inputs::gaussian), 6 * 21);
  EXPECT_EQ(cubic_features(6, attention::Inputs::boolean), 6 * 16);
}

TEST(LinearAttention, SoftmaxIsOutOfReachOfItsFeatures) {
  const hardness::Instance instance = instance_of("nice:d=6,k=2,m=3");
  const attention::SimulatedSource source(instance.teacher, 6, 2, instance.inputs,
                                          Stream(Domain::samples, 1, "x"));
  EXPECT_GT(regress_on_cubics(source, 2000).test_error, 1e-3);
}

TEST(LinearAttention, RefusesWhatIsTooLarge) {
  const hardness::Instance instance = instance_of("nice:d=32,k=2,m=1");
  EXPECT_THAT(refusal_of([&] { regress_on_cubics(linear_source(instance), 10); }),
              testing::HasSubstr("d=32 makes 15904 cubic features"));
}

}  // namespace
}  // namespace hardhead::experiments
