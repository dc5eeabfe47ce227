// Compiled like the rest of the program, whose extensions the compiler tells by these macros. A constant:
// nothing is executed to make it.
#include "app/cpu/cpu_features.h"

namespace hardhead::app {

constinit const CpuFeatures built_for = {
#ifdef __AVX2__
    .avx2 = true,
#endif
#ifdef __FMA__
    .fma = true,
#endif
#ifdef __BMI2__
    .bmi2 = true,
#endif
#ifdef __AVX512F__
    .avx512 = true,
#endif
};

}  // namespace hardhead::app
