#include "base/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace hardhead {

FolderLock::FolderLock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0)
    throw InputError(fmt::format("folder '{}': cannot be opened ({})", folder, std::strerror(errno)));
  if (::flock(folder_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(folder_);
    throw InputError(fmt::format("folder '{}': {}", folder,
                                 reason == EWOULDBLOCK
                                     ? "another process is at work in it"
                                     : fmt::format("cannot be locked ({})", std::strerror(reason))));
  }
}

FolderLock::~FolderLock() {
  ::close(folder_);
}

}  // namespace hardhead
