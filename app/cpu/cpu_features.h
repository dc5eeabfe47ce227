#pragma once

/// Whether this CPU can run this program. Everything here is plain C++ without the standard library: it is
/// used by code that runs before anything that a newer instruction may be in (cpu_check.cc).
namespace hardhead::app {

/// Extensions of x86-64 that a build may use. On other processors none is used and none is there.
struct CpuFeatures {
  bool avx2 = false, fma = false, bmi2 = false;  ///< with their companions x86-64-v3
  bool avx512 = false;                           ///< its foundation, AVX-512F
};

/// What the program was compiled for.
extern const CpuFeatures built_for;

/// What this CPU has.
CpuFeatures cpu_features();

/// The names of extensions, "AVX2, FMA"; empty for none.
struct FeatureNames {
  char text[64] = {};
};

/// The extensions that are needed and not there.
constexpr FeatureNames missing_features(const CpuFeatures& needed, const CpuFeatures& present) {
  FeatureNames out;
  int length = 0;
  const auto add = [&](bool is_needed, bool is_present, const char* name) {
    if (!is_needed || is_present) return;
    for (const char* c = length == 0 ? "" : ", "; *c != '\0'; ++c) out.text[length++] = *c;
    for (const char* c = name; *c != '\0'; ++c) out.text[length++] = *c;
  };
  add(needed.avx2, present.avx2, "AVX2");
  add(needed.fma, present.fma, "FMA");
  add(needed.bmi2, present.bmi2, "BMI2");
  add(needed.avx512, present.avx512, "AVX-512");
  return out;
}

}  // namespace hardhead::app
