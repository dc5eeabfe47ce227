#include "experiments/niceness_rates.h"

#include <gtest/gtest.h>

#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

TEST(NicenessRates, CountEveryLayerOnce) {
  const hardness::NicenessConstants constants;
  const NicenessRates rates = niceness_rates("nice:d=16,m=2,seed=3", 1, 6, {}, constants, {});
  EXPECT_EQ(rates.source, "nice:d=16,m=2");
  ASSERT_FALSE(rates.conditions.empty());
  for (const NicenessRate& rate : rates.conditions) {
    EXPECT_EQ(rate.holds + rate.fails, 6) << rate.condition.name;
    EXPECT_EQ(rate.values.size(), 6u);
    std::int64_t holds = 0;
    for (const double flip : rate.flips) holds += rate.condition.at_least ? flip >= 1 : flip <= 1;
    EXPECT_EQ(rate.holds, holds) << rate.condition.name;
  }
  const NicenessRates one = niceness_rates("nice:d=16,m=1", 1, 2, {}, constants, {});
  EXPECT_EQ(one.conditions.front().condition.name, "theta_incoherence");
  EXPECT_EQ(one.conditions.front().holds + one.conditions.front().fails, 0) << "one head has no pair";
}

TEST(SourceSeries, MembersFollowTheSeed) {
  EXPECT_EQ(study::SourceSeries("nice:d=8,seed=7").member(2, 1).name(), "nice:d=8,seed=9");
  EXPECT_EQ(study::SourceSeries("nice:d=8").member(0, 3).name(), "nice:d=8,seed=3");
  EXPECT_EQ(study::SourceSeries("./layer.safetensors").member(5, 3).name(), "./layer.safetensors");
}

}  // namespace
}  // namespace hardhead::experiments
