#pragma once
#include <string>

namespace hardhead {

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
