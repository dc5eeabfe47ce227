#pragma once
#include <string>

namespace hardhead {

/// Holds a folder for this process while it lives: two programs that write into one folder would each undo
/// what the other has written. The kernel lets go of it when the process ends, however that comes about.
/// Where the file system has no locks of folders, the file .lock in it is held.
class FolderLock {
 public:
  /// Throws InputError naming the folder: it cannot be opened, or another process holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_ = -1;
};

}  // namespace hardhead
