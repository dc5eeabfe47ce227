// Compiled for any x86-64 CPU (app/CMakeLists.txt), and run before the initialisers of every other file: a
// program that was built for a newer CPU says so, where it would otherwise die of an illegal instruction.
#include <unistd.h>

#include "app/cpu/cpu_features.h"

namespace hardhead::app {

CpuFeatures cpu_features() {
#ifdef __x86_64__
  __builtin_cpu_init();
  return {.avx2 = __builtin_cpu_supports("avx2") != 0,
          .fma = __builtin_cpu_supports("fma") != 0,
          .bmi2 = __builtin_cpu_supports("bmi2") != 0,
          .avx512 = __builtin_cpu_supports("avx512f") != 0};
#else
  return {};
#endif
}

namespace {

void say(const char* text) {
  long length = 0;
  while (text[length] != '\0') ++length;
  [[maybe_unused]] const long written = ::write(STDERR_FILENO, text, static_cast<unsigned long>(length));
}

// 101 is the first priority that is not reserved for the compiler's own.
[[gnu::constructor(101)]] void check_cpu() {
  const FeatureNames missing = missing_features(built_for, cpu_features());
  if (missing.text[0] == '\0') return;
  say("hardhead: this CPU does not have ");
  say(missing.text);
  say(", which this program was compiled for: compile it on this machine with the preset 'native'\n");
  ::_exit(2);  // ExitCode::bad_input
}

}  // namespace
}  // namespace hardhead::app
