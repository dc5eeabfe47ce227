#include "base/process/program_ending.h"

#include <csignal>
#include <string_view>

namespace hardhead {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> phrases) {
  for (const std::string_view phrase : phrases)
    if (text.find(phrase) != std::string_view::npos) return true;
  return false;
}

}  // namespace

bool ended_by_the_machine(const CommandEnding& ending, bool has_memory_limit) {
  constexpr int not_executable = 126, not_found = 127, by_a_signal = 128;
  const int signal = ending.signal != 0               ? ending.signal
                     : ending.exit_code > by_a_signal ? ending.exit_code - by_a_signal
                                                      : 0;
  const bool memory = has_any(ending.last_words, {"MemoryError", "std::bad_alloc", "Cannot allocate memory",
                                                  "Out of memory", "out of memory", "OutOfMemoryError"});
  if (has_memory_limit && (memory || signal == SIGABRT || signal == SIGSEGV)) return false;
  if (signal > 0 && signal < NSIG) return true;
  if (ending.exit_code == not_executable || ending.exit_code == not_found) return true;
  if (ending.well()) return false;
  return memory || has_any(ending.last_words,
                           {"No space left on device", "Disk quota exceeded", "Input/output error",
                            "Too many open files", "Resource temporarily unavailable", "MPI_Init", "MPI_INIT",
                            "MPI_ABORT", "PMIX ERROR", "ORTE_ERROR", "orte_", "not enough slots", "mpirun"});
}

}  // namespace hardhead
