#include "learner/fits/factored_fits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "attention/samples/label_noise.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using ::testing::ElementsAre;
using testing::measure;
using testing::NiceSource;

TEST(FactoredFits, ReadAFewExamplesToFirstOrderBeforeMany) {
  const ExampleShape bert{.d = 768, .k = 16, .inputs = attention::Inputs::boolean},
      small{.d = 32, .k = 4, .inputs = attention::Inputs::boolean};
  // 768^2 12 16 / (36 15) and its parts; what twice the fitted ones exceed is left out.
  const auto of_bert = [&](std::int64_t fitted, std::int64_t allowed) {
    return first_order_examples({12, 64, 64}, bert, 1, fitted, allowed);
  };
  EXPECT_THAT(of_bert(1570, 1'000'000), ElementsAre(3277, 13108, 52429, 209716));
  EXPECT_THAT(of_bert(1570, 100'000), ElementsAre(3277, 13108, 100'000));
  EXPECT_THAT(of_bert(30'000, 1'000'000), ElementsAre(60'000, 209716));
  EXPECT_THAT(first_order_examples({4, 8, 8}, small, 1, 1000, 1'000'000), ElementsAre(1000));
}

// Half of the examples come first.
TEST(FactoredFits, ReadMoreExamplesWhereHeadsDoNotStandOut) {
  const NiceSource nice("transformer:d=128,k=4,m=8,seed=1");
  const attention::NoisySource noisy(std::make_shared<attention::SimulatedSource>(nice.source),
                                     std::make_shared<attention::GaussianNoise>(30),
                                     Stream(Domain::samples, 2));
  const auto phases = [](const attention::SampleSource& source) {
    return learn(Spec::parse("gauss-newton:rank=16,oversampling=1,iterations=1,starts=1"), source,
                 {.heads = 8, .examples = 4000}, {})
        .phases;
  };
  const std::vector<Phase> clear = phases(nice.source), unclear = phases(noisy);
  ASSERT_GE(clear.size(), 2);
  EXPECT_EQ(clear[0].name, "first_order");
  EXPECT_EQ(measure(clear[0], "standing_out"), 8);
  EXPECT_NE(clear[1].name, "first_order");
  ASSERT_GE(unclear.size(), 2);
  EXPECT_EQ(unclear[0].examples, clear[0].examples);
  EXPECT_LT(measure(unclear[0], "standing_out"), 8);
  EXPECT_EQ(unclear[1].name, "first_order");
  EXPECT_GE(unclear[1].examples, 2 * unclear[0].examples);
}

// First order leaves little of attention that is nearly linear, and much of attention that is sharp.
TEST(FactoredFits, OfSharpAttentionReadAllForFirstOrderAndFitTwiceTheExamples) {
  const auto phases = [](const char* spec) {
    const NiceSource nice(spec);
    return learn(Spec::parse("gauss-newton:rank=8,oversampling=180,iterations=1,starts=1"), nice.source,
                 {.heads = 4, .examples = 4000}, {})
        .phases;
  };
  const std::vector<Phase> near = phases("transformer:d=32,k=16,m=4"),
                           far = phases("transformer:d=32,k=16,m=4,gain=20");
  EXPECT_EQ(measure(near[0], "standing_out"), 4);
  EXPECT_LT(measure(near[0], "left"), 1.0 / 3);
  EXPECT_EQ(measure(far[0], "standing_out"), 4);
  EXPECT_GT(measure(far[0], "left"), 1.0 / 3);
  ASSERT_GE(near.size(), 2);
  ASSERT_GE(far.size(), 2);
  EXPECT_EQ(near[1].name, "fit_4_heads");
  const auto fit = std::ranges::find(far, "fit_4_heads", &Phase::name);
  ASSERT_NE(fit, far.end());
  EXPECT_EQ(fit->examples, 2 * near[1].examples);
}

}  // namespace
}  // namespace hardhead::learner
