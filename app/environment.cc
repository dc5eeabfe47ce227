#include "app/environment.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace hardhead::app {

bool memory_is_limited() {
  const auto limited = [](auto resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return limited(RLIMIT_AS) || limited(RLIMIT_DATA);
}

void hold_blas_to_one_thread_if_short_of_memory(char** arguments) {
  constexpr const char* variable = "OPENBLAS_NUM_THREADS";
  if (!memory_is_limited() || std::getenv(variable) != nullptr) return;
  if (::dlsym(RTLD_DEFAULT, "openblas_set_num_threads") == nullptr) return;
  if (::setenv(variable, "1", 0) == 0) ::execv("/proc/self/exe", arguments);
}

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0)  // then `number` is the lowest that is free, which open() takes
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::string_view environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int threads_to_be_had(int wanted) {
  std::latch counted(1);
  std::vector<std::jthread> made;
  made.reserve(static_cast<std::size_t>(wanted));
  try {
    while (static_cast<int>(made.size()) < wanted) made.emplace_back([&] { counted.wait(); });
  } catch (const std::system_error&) {
  }
  counted.count_down();
  return static_cast<int>(made.size());
}

}  // namespace hardhead::app
