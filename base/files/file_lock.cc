#include "base/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

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

}  // namespace hardhead
