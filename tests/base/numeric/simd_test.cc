#include "base/numeric/simd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace hardhead {
namespace {

TEST(Simd, TheNewestTargetRunsUnlessAnotherIsChosen) {
  const std::vector<SimdTarget> targets = simd_targets();
  ASSERT_EQ(targets.front(), SimdTarget::baseline);
  EXPECT_TRUE(std::ranges::is_sorted(targets));
  const SimdTarget before = simd_target();
  for (const SimdTarget target : targets) {
    choose_simd_target(target);
    EXPECT_EQ(simd_target(), target);
    EXPECT_EQ(simd_targets(), targets) << "what there is does not change";
  }
  EXPECT_EQ(simd_target(), targets.back());
  choose_simd_target(before);
}

TEST(Simd, ATargetThatTheCpuLacksIsRefused) {
  const std::vector<SimdTarget> targets = simd_targets();
  for (const SimdTarget target : {SimdTarget::avx2, SimdTarget::avx512}) {
    if (std::ranges::find(targets, target) != targets.end()) continue;
    EXPECT_THAT([&] { choose_simd_target(target); },
                testing::ThrowsMessage<InputError>(
                    testing::AllOf(testing::HasSubstr(name_of(target)), testing::HasSubstr("baseline"))));
  }
  EXPECT_THAT([] { value_named<SimdTarget>("HARDHEAD_SIMD", "avx"); },
              testing::ThrowsMessage<InputError>(
                  testing::AllOf(testing::HasSubstr("HARDHEAD_SIMD"), testing::HasSubstr("avx512"))));
}

}  // namespace
}  // namespace hardhead
