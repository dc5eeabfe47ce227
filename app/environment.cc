#include "app/environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <latch>
#include <system_error>
#include <thread>
#include <vector>

namespace hardhead::app {

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0)  // then `number` is the lowest that is free, which open() takes
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
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
