#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>

#include "app/command.h"
#include "app/interrupt.h"

// The linker gives every call of malloc in this program's own object files to __wrap_malloc
// (-Wl,--wrap=malloc). These are the calls of Eigen. When Eigen 3.4 resizes a matrix, it frees the old
// coefficients and asks for new ones; if it gets none it throws, and the matrix's destructor frees the old
// ones again. So the process ends here, as an interrupted one does. Other libraries, and operator new, throw
// as always; so do child processes, where a crash is an error that their parent reports.
extern "C" void* __real_malloc(std::size_t size);  // NOLINT: the linker's name

extern "C" void* __wrap_malloc(std::size_t size) {  // NOLINT: the linker's name
  static const pid_t program = ::getpid();
  void* const memory = __real_malloc(size);
  if (memory == nullptr && size > 0 && ::getpid() == program)
    hardhead::app::end_at_once(hardhead::app::ExitCode::over_budget,
                               fmt::format("hardhead: {}\n", hardhead::app::out_of_memory));
  return memory;
}
