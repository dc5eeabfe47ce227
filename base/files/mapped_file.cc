#include "base/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace hardhead {
namespace {

/// A file that a bus error may be of. `end` is set last, and is 0 first when the slot is given back.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::array<char, 256> path{};
};
std::array<Slot, 64> slots;

int known(const std::string& path, const void* memory, std::size_t size) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.path.fill('\0');
    path.copy(slot.path.data(), slot.path.size() - 1);
    slot.begin = reinterpret_cast<std::uintptr_t>(memory);
    slot.end = slot.begin + size;
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::size_t least_bytes) {
  // O_NONBLOCK: a pipe without a writer must be refused, not waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw InputError(fmt::format("cannot open: {}", std::strerror(errno)));
  struct stat status{};
  const bool known_status = ::fstat(file, &status) == 0;
  const bool readable =
      known_status && S_ISREG(status.st_mode) && status.st_size >= static_cast<off_t>(least_bytes);
  void* memory = MAP_FAILED;
  errno = 0;
  if (readable)
    memory = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  const int map_error = errno;
  ::close(file);
  if (known_status && S_ISDIR(status.st_mode)) throw InputError("is a folder, but a file is expected");
  if (!known_status || !S_ISREG(status.st_mode)) throw InputError("is not a regular file");
  if (!readable)
    throw InputError(fmt::format("has {} bytes, but at least {} are expected", status.st_size, least_bytes));
  if (memory == MAP_FAILED) throw InputError(fmt::format("cannot map: {}", std::strerror(map_error)));
  memory_ = memory;
  size_ = static_cast<std::size_t>(status.st_size);
  slot_ = known(path, memory_, size_);
}

MappedFile::~MappedFile() {
  if (slot_ >= 0) {
    Slot& slot = slots[static_cast<std::size_t>(slot_)];
    slot.end = 0;
    slot.taken = false;
  }
  ::munmap(memory_, size_);
}

const char* mapped_file_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Slot& slot : slots)
    if (at < slot.end && at >= slot.begin) return slot.path.data();
  return nullptr;
}

}  // namespace hardhead
