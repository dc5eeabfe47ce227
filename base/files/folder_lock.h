#pragma once
#include <string>

namespace hardhead {

/// What became of a wish for a lock.
enum class LockOutcome {
  locked,       ///< held until the descriptor is closed
  taken,        ///< another process has it
  unsupported,  ///< the file system has no locks
};

/// Locks an open file for this descriptor alone: by flock, or where the file system has none by a lock of the
/// open file description (fcntl), which needs a regular file that is open for writing.
LockOutcome lock_file(int descriptor);

/// What is wrong with a lock that was not had: "another process .." or ".. has no locks".
std::string why_not_locked(LockOutcome outcome, const std::string& taken);

/// Holds a folder for this process while it lives: two programs that write into one folder would each undo
/// what the other has written. The kernel lets go of it when the process ends, however that comes about.
/// Where the file system has no locks of folders, the file .lock in it is held.
class FolderLock {
 public:
  /// Waits for another process up to so many seconds. Throws InputError naming the folder: it cannot be
  /// opened, or another process still holds it.
  explicit FolderLock(const std::string& folder, double patience_seconds = 0);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_ = -1;
};

}  // namespace hardhead
