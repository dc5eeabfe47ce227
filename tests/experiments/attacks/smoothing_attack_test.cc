#include "experiments/attacks/smoothing_attack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hardness/families/family.h"
#include "study/problem/source.h"

namespace hardhead::experiments {
namespace {

/// On how many of 4 seeds the set is read from this many examples.
int read_of_four(const std::string& spec, attention::Index examples) {
  int out = 0;
  for (int seed = 1; seed <= 4; ++seed) {
    const auto instance = hardness::make_instance(Spec::parse(fmt::format("{},seed={}", spec, seed)));
    attention::Block block(instance.layer.d, 2, examples);
    study::examples_of(instance, Domain::samples, 1)->read(0, block);
    SmoothingCorrelations correlations(instance.layer.d);
    correlations.add(block);
    const auto found = correlations.likeliest(static_cast<attention::Index>(instance.hidden.size()));
    out += std::ranges::equal(found, instance.hidden) ? 1 : 0;
  }
  return out;
}

TEST(SmoothingCorrelations, ReadTheSetOfAnyLayerNearAParityLayerAndNotOfTheParityLayer) {
  EXPECT_EQ(read_of_four("smoothed:d=12,m=3,sigma=1e-6", 4000), 4);
  EXPECT_EQ(read_of_four("smoothed:d=12,m=3,sigma=1e-2", 4000), 4);
  EXPECT_EQ(read_of_four("smoothed:d=12,m=3,sigma=0", 4000), 0) << "a guess is right once in 165";
}

TEST(SmoothingCorrelations, ReadTheSetFromAnotherTemperature) {
  EXPECT_EQ(read_of_four("smoothed:d=12,m=3,sigma=0,temperature=1.5", 4000), 4);
}

}  // namespace
}  // namespace hardhead::experiments
