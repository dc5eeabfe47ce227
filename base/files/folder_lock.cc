#include "base/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"

namespace hardhead {

LockOutcome lock_file(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return LockOutcome::locked;
  if (errno == EWOULDBLOCK) return LockOutcome::taken;
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return LockOutcome::locked;
  return errno == EAGAIN || errno == EACCES ? LockOutcome::taken : LockOutcome::unsupported;
}

std::string why_not_locked(LockOutcome outcome, const std::string& taken) {
  return outcome == LockOutcome::taken
             ? taken
             : "its file system has no locks, and two commands could write to it at once: choose a place on "
               "another one";
}

FolderLock::FolderLock(const std::string& folder, double patience_seconds)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0)
    throw InputError(fmt::format("folder '{}': cannot be opened ({})", folder, std::strerror(errno)));
  LockOutcome outcome = lock_file(folder_);
  if (outcome == LockOutcome::unsupported) {  // of a folder, but perhaps not of a file in it
    const int file = ::open((folder + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
      ::close(folder_);
      folder_ = file;
      outcome = lock_file(file);
    }
  }
  constexpr double pause_seconds = 0.01;
  for (double waited = 0; outcome == LockOutcome::taken && waited < patience_seconds;
       waited += pause_seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(pause_seconds));
    outcome = lock_file(folder_);
  }
  if (outcome != LockOutcome::locked) {
    ::close(folder_);
    throw InputError(
        fmt::format("folder '{}': {}", folder, why_not_locked(outcome, "another process is at work in it")));
  }
}

FolderLock::~FolderLock() {
  ::close(folder_);
}

}  // namespace hardhead
