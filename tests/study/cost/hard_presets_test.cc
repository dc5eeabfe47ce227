#include "study/cost/hard_presets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "study/cost/cost_fit.h"
#include "study/problem/source.h"
#include "tests/refusal.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

constexpr int most_features = 128;

int value_of(const Spec& spec, const char* key) {
  return std::stoi(*spec.value(key));
}

double low_end(int d, int m) {
  double low = INFINITY;
  for (const CostFit& fit : cost_fits("parity", {d, 2}))
    if (!fit.no_fit()) low = std::min(low, fit.at(d, m).seconds.interval.low);
  return low;
}

// Of the costs that are compiled in: a preset that is none any more, or another, shows here.
TEST(HardPresets, AreTheSmallestLayersOfTheirCost) {
  std::pair<int, int> before;
  for (const HardPreset& preset : hard_presets()) {
    const Spec spec = source_spec(preset.name);
    EXPECT_EQ(spec.name, "parity");
    const int d = value_of(spec, "d"), m = value_of(spec, "m");
    EXPECT_LE(d, most_features);
    EXPECT_GT(std::pair(m, d), before) << "dearer is larger";
    EXPECT_GE(low_end(d, m), preset.seconds) << spec.str();
    EXPECT_LT(low_end(d - 1, m), preset.seconds) << spec.str();
    before = {m, d};
  }
}

TEST(HardPresets, AreSourcesAsAnySpec) {
  const Spec spec = source_spec("hard-1h");
  EXPECT_EQ(Source("hard-1h").canonical_name(), Source(spec.str()).canonical_name());
  EXPECT_EQ(Source("hard-1h").shape().d, value_of(spec, "d"));
  EXPECT_EQ(SourceSeries("hard-1h").label(), spec.str()) << "tables show what it is";
  EXPECT_EQ(source_spec("hard-1h:seed=7").str(), spec.str() + ",seed=7");
  EXPECT_EQ(SourceSeries("hard-1h:seed=7").member(2, 1).name(), spec.str() + ",seed=9");
  EXPECT_EQ(source_spec("parity:d=8").str(), "parity:d=8");
}

TEST(HardPresets, RefuseWhatTheyAreNot) {
  EXPECT_THAT(refusal_of([] { source_spec("hard-1h:d=9"); }), HasSubstr("d=9"));
  EXPECT_THAT(refusal_of([] { Source("hard-2h").canonical_name(); }), HasSubstr("hard-2h"));
}

TEST(HardPresets, NeedAFit) {
  EXPECT_THAT(refusal_of([] { preset_spec(hard_presets()[0], {}); }),
              HasSubstr("hard-1h: no learner's costs"));
  std::vector<MeasuredCost> cheap;  // a thousandth of a second, whatever the layer
  for (int m = 2; m <= 6; ++m)
    for (const int d : {8, 16, 32})
      cheap.push_back({"adam", "parity", d, 2, m, 1, 1000.0 + m + d, false, 1e-3});
  EXPECT_THAT(refusal_of([&] { preset_spec(hard_presets()[0], cheap); }),
              HasSubstr("and d of at most 128, none is predicted to take so long"));
}

}  // namespace
}  // namespace hardhead::study
