// Part of every test program: HARDHEAD_SIMD chooses the target of its kernels, as it does for the program.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/numeric/simd.h"

namespace hardhead {
namespace {

class SimdEnvironment final : public testing::Environment {
  void SetUp() override {
    if (const char* const name = std::getenv("HARDHEAD_SIMD")) choose_simd_target_named(name);
  }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new SimdEnvironment);

}  // namespace
}  // namespace hardhead
