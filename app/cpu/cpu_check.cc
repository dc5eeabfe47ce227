// Compiled for any x86-64 CPU (app/CMakeLists.txt), and run before the initialisers of every other file: a
// program that was built for a newer CPU gives way to the one for any CPU that Debian's package has beside
// it, or says so, where it would otherwise die of an illegal instruction.
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

/// Goes on as the program for any CPU, if it is there: ../libexec/hardhead/hardhead, seen from the folder of
/// this one.
void become_baseline(char** argv, char** environment) {
  constexpr char there[] = "../libexec/hardhead/hardhead";
  char path[4096];
  const long length = ::readlink("/proc/self/exe", path, sizeof path - sizeof there);
  if (length <= 0) return;
  long end = length;  // of the folder, with its slash
  while (end > 0 && path[end - 1] != '/') --end;
  for (unsigned long i = 0; i < sizeof there; ++i) path[end + static_cast<long>(i)] = there[i];
  ::execve(path, argv, environment);
}

// 101 is the first priority that is not reserved for the compiler's own.
[[gnu::constructor(101)]] void check_cpu([[maybe_unused]] int argc, char** argv, char** environment) {
  const FeatureNames missing = missing_features(built_for, cpu_features());
  if (missing.text[0] == '\0') return;
  become_baseline(argv, environment);
  say("hardhead: this CPU does not have ");
  say(missing.text);
  say(", which this program was compiled for: compile it on this machine with the preset 'native'\n");
  ::_exit(2);  // ExitCode::bad_input
}

}  // namespace
}  // namespace hardhead::app
