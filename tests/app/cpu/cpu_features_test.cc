#include "app/cpu/cpu_features.h"

#include <gtest/gtest.h>

namespace hardhead::app {
namespace {

constexpr CpuFeatures v3 = {.avx2 = true, .fma = true, .bmi2 = true};

TEST(CpuFeatures, NothingIsMissingWhereTheCpuHasWhatTheBuildNeeds) {
  EXPECT_STREQ(missing_features(v3, v3).text, "");
  EXPECT_STREQ(missing_features(v3, {.avx2 = true, .fma = true, .bmi2 = true, .avx512 = true}).text, "");
  EXPECT_STREQ(missing_features({}, {}).text, "") << "a build for any x86-64, or for another processor";
}

TEST(CpuFeatures, WhatIsMissingIsNamed) {
  EXPECT_STREQ(missing_features(v3, {}).text, "AVX2, FMA, BMI2");
  EXPECT_STREQ(missing_features(v3, {.avx2 = true, .bmi2 = true}).text, "FMA");
  EXPECT_STREQ(missing_features({.avx2 = true, .fma = true, .bmi2 = true, .avx512 = true}, v3).text,
               "AVX-512");
}

TEST(CpuFeatures, TheNamesOfAllFitIntoTheText) {
  EXPECT_STREQ(missing_features({.avx2 = true, .fma = true, .bmi2 = true, .avx512 = true}, {}).text,
               "AVX2, FMA, BMI2, AVX-512");
}

}  // namespace
}  // namespace hardhead::app
