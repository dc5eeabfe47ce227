// Compiled like the rest of the program, whose extensions the compiler tells by these macros. A constant:
// nothing is executed to make it.
#include "app/cpu/cpu_features.h"

namespace hardhead::app {
namespace {

#ifdef __AVX2__
constexpr bool avx2 = true;
#else
constexpr bool avx2 = false;
#endif
#ifdef __FMA__
constexpr bool fma = true;
#else
constexpr bool fma = false;
#endif
#ifdef __BMI2__
constexpr bool bmi2 = true;
#else
constexpr bool bmi2 = false;
#endif
#ifdef __AVX512F__
constexpr bool avx512 = true;
#else
constexpr bool avx512 = false;
#endif

}  // namespace

constinit const CpuFeatures built_for = {.avx2 = avx2, .fma = fma, .bmi2 = bmi2, .avx512 = avx512};

}  // namespace hardhead::app
