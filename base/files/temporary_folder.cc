#include "base/files/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/files/folder_lock.h"

namespace hardhead {
namespace {

std::string system_folder() {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure)
    throw InputError(
        fmt::format("TMPDIR: the folder for temporary files cannot be used: {}", failure.message()));
  return folder.string();
}

/// A folder that this process wants to hold.
struct Held {
  LockOutcome outcome = LockOutcome::taken;  // also of one that is not there any more, or not ours
  int folder = -1;                           // open, where it is locked
};

Held hold(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return {};
  struct stat opened{}, there{};
  Held out;
  if (::fstat(folder, &opened) == 0 && opened.st_uid == ::geteuid()) out.outcome = lock_file(folder);
  // Since it was opened, another process may have taken it for one that was left behind.
  if (out.outcome == LockOutcome::locked &&
      (::lstat(path.c_str(), &there) != 0 || there.st_ino != opened.st_ino || there.st_dev != opened.st_dev))
    out.outcome = LockOutcome::taken;
  if (out.outcome == LockOutcome::locked)
    out.folder = folder;
  else
    ::close(folder);
  return out;
}

/// Whether a file is called NAME-PROCESS-NUMBER.
bool is_such_a_folder(std::string_view found, const std::string& name) {
  if (!found.starts_with(name + "-")) return false;
  found.remove_prefix(name.size() + 1);
  const std::size_t dash = found.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dash != std::string_view::npos && is_number(found.substr(0, dash)) &&
         is_number(found.substr(dash + 1));
}

/// Removes what processes that were killed have left: folders whose lock can be had.
void remove_leftovers(const std::string& parent, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (!is_such_a_folder(entry->path().filename().string(), name)) continue;
    const Held held = hold(entry->path().string());
    if (held.folder < 0) continue;
    std::error_code failure;  // the next process tries again
    fs::remove_all(entry->path(), failure);
    ::close(held.folder);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& parent, const std::string& name) {
  static std::atomic<unsigned> number{0};
  remove_leftovers(parent, name);
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries; ++tries) {
    std::string path;
    struct stat there{};
    do path = fmt::format("{}/{}-{}-{}", parent, name, ::getpid(), number++);
    while (::lstat(path.c_str(), &there) == 0);  // of a process of this number in another container
    folder_ = std::make_unique<ScopedPath>(path, [&] {
      if (::mkdir(path.c_str(), 0700) != 0)
        throw InputError(
            fmt::format("'{}': no temporary folder can be made there: {}", parent, std::strerror(errno)));
    });
    const Held held = hold(path);
    lock_ = held.folder;
    if (held.outcome != LockOutcome::taken) return;  // where there are no locks nobody removes it, either
  }
  throw InputError(fmt::format("'{}': temporary folders do not stay there", parent));
}

TemporaryFolder::~TemporaryFolder() {
  folder_.reset();  // while it is still locked
  if (lock_ >= 0) ::close(lock_);
}

TemporaryFolder::TemporaryFolder(const std::string& name) : TemporaryFolder(system_folder(), name) {}

std::string TemporaryFolder::without_path(std::string text) const {
  const std::string folder = file("");
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

}  // namespace hardhead
