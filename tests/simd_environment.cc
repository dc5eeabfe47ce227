// Part of every test program: HARDHEAD_SIMD chooses the target of its kernels, as it does for the program.
#include <gtest/gtest.h>

#include "base/numeric/simd.h"

namespace hardhead {
namespace {

class SimdEnvironment final : public testing::Environment {
  void SetUp() override { choose_simd_target_by_environment(); }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new SimdEnvironment);

}  // namespace
}  // namespace hardhead
