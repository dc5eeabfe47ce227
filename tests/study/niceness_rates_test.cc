#include "study/niceness_rates.h"

#include <gtest/gtest.h>

#include "study/series.h"

namespace hardhead::study {
namespace {

TEST(NicenessRates, CountEveryLayerOnce) {
  const Parameters constants(Spec{"certificate", {}}, hardness::niceness_constants());
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

TEST(Series, MembersFollowTheSeed) {
  EXPECT_EQ(Series("nice:d=8,seed=7", 1).member(2), "nice:d=8,seed=9");
  EXPECT_EQ(Series("nice:d=8", 3).member(0), "nice:d=8,seed=3");
  EXPECT_EQ(Series("./layer.safetensors", 3).member(5), "./layer.safetensors");
}

}  // namespace
}  // namespace hardhead::study
