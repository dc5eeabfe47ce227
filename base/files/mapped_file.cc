#include "base/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/error.h"

namespace hardhead {
namespace {

/// Memory that a bus error may be of. `end` is set last, and is 0 first when the slot is given back.
struct Slot {
  std::atomic<bool> taken{false}, mended{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::array<char, 256> path{};
};
std::array<Slot, 1024> slots;

Slot* slot_of(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (Slot& slot : slots)
    if (at < slot.end && at >= slot.begin) return &slot;
  return nullptr;
}

int known(const std::string& path, const void* memory, std::size_t size) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.path.fill('\0');
    path.copy(slot.path.data(), slot.path.size() - 1);
    slot.mended = false;
    slot.begin = reinterpret_cast<std::uintptr_t>(memory);
    slot.end = slot.begin + size;
    return static_cast<int>(i);
  }
  return -1;
}

InputError changed(const std::string& path, const char* how) {
  return InputError(fmt::format("'{}': it {} while it was read", path, how));
}

/// Waits until the clock that the kernel takes times of files from has gone on since `change`: a later change
/// has another time. A file may be from a machine whose clock is ahead.
void wait_until_after(const timespec& change) {
  constexpr int most_milliseconds = 20;
  for (int waited = 0; waited < most_milliseconds; ++waited) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (std::pair(now.tv_sec, now.tv_nsec) > std::pair(change.tv_sec, change.tv_nsec)) return;
    ::usleep(1000);
  }
}

}  // namespace

WatchedMemory::WatchedMemory(const std::string& name, const void* memory, std::size_t size)
    : name_(name), slot_(known(name, memory, size)) {}

WatchedMemory::~WatchedMemory() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.end = 0;
  slot.taken = false;
}

bool WatchedMemory::mended() const {
  return slot_ >= 0 && slots[static_cast<std::size_t>(slot_)].mended;
}

void WatchedMemory::check() const {
  if (mended()) throw changed(name_, "became shorter");
}

MappedFile::MappedFile(const std::string& path, std::size_t least_bytes) : path_(path) {
  // O_NONBLOCK: a pipe without a writer must be refused, not waited for.
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) throw InputError(fmt::format("cannot open: {}", std::strerror(errno)));
  const auto fail = [&](const std::string& why) {
    ::close(file_);
    throw InputError(why);
  };
  struct stat status{};
  const bool known_status = ::fstat(file_, &status) == 0;
  if (known_status && S_ISDIR(status.st_mode)) fail("is a folder, but a file is expected");
  if (!known_status || !S_ISREG(status.st_mode)) fail("is not a regular file");
  wait_until_after(status.st_mtim);
  ::fstat(file_, &status);
  if (status.st_size < static_cast<off_t>(least_bytes))
    fail(fmt::format("has {} bytes, but at least {} are expected", status.st_size, least_bytes));
  size_ = static_cast<std::size_t>(status.st_size);
  memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
  if (memory_ == MAP_FAILED) fail(fmt::format("cannot map: {}", std::strerror(errno)));
  seconds_ = status.st_mtim.tv_sec;
  nanoseconds_ = status.st_mtim.tv_nsec;
  watched_.emplace(path, memory_, size_);
}

MappedFile::~MappedFile() {
  watched_.reset();
  ::munmap(memory_, size_);
  ::close(file_);
}

void MappedFile::check_unchanged() const {
  struct stat status{};
  if (::fstat(file_, &status) != 0) throw changed(path_, "was lost");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < size_ || watched_->mended()) throw changed(path_, "became shorter");
  if (size > size_ || status.st_mtim.tv_sec != seconds_ || status.st_mtim.tv_nsec != nanoseconds_)
    throw changed(path_, "was changed");
}

const char* mapped_file_at(const void* address) {
  const Slot* const slot = slot_of(address);
  return slot == nullptr ? nullptr : slot->path.data();
}

bool mend_bus_error(const void* address) {
  Slot* const slot = slot_of(address);
  if (slot == nullptr) return false;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1));
  slot->mended = true;
  return ::mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

}  // namespace hardhead
