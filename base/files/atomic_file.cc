#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/files/folder_lock.h"

namespace hardhead {

namespace {

namespace fs = std::filesystem;
constexpr int mode = 0666;  // less the umask

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A name beside `path` that nobody can foretell. It does not contain that of the file, which may be as long
/// as names can be.
std::string name_beside(const std::string& path) {
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) throw Error("the operating system gives no entropy");
  return fmt::format("{}/.hardhead-{:016x}.tmp", folder_of(path), random);
}

/// Where the system shows an open file.
std::string shown(int file) {
  return fmt::format("/proc/self/fd/{}", file);
}

std::string reason(const char* otherwise) {
  return errno != 0 ? std::strerror(errno) : otherwise;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) fail("a file name is expected");
  std::error_code error;
  const fs::file_status target = fs::status(path_, error);
  if (target.type() == fs::file_type::none) fail(error.message());
  if (fs::is_directory(target)) fail("it is a folder, a file name is expected");
  // Renaming over a device or a pipe would replace it.
  if (fs::exists(target) && !fs::is_regular_file(target)) fail("it is not a regular file");
  open();
}

void AtomicFile::fail(const std::string& what) const {
  throw InputError(fmt::format("cannot write '{}': {}", path_, what));
}

void AtomicFile::open() {
  int file = ::open(folder_of(path_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (file >= 0 && ::access(shown(file).c_str(), F_OK) != 0) {  // nothing could give it a name
    ::close(file);
    file = -1;
  }
  if (file < 0) {
    const std::string name = name_beside(path_);
    temporary_.emplace(name, [&] {
      file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (file < 0) fail(std::strerror(errno));
    });
  }
  file_.emplace(file, std::ios::out | std::ios::binary);
  if (!file_->is_open()) {
    ::close(file);
    throw std::bad_alloc();
  }
  out_.rdbuf(&*file_);
}

void AtomicFile::to_disk() {
  errno = 0;
  out_.flush();
  if (!out_) {  // one byte more, to learn the reason
    out_.clear();
    out_.put('\0');
    out_.flush();
    fail(reason("write failed"));
  }
  if (::fsync(file_->fd()) != 0) fail(reason("write failed"));
  if (temporary_) return;
  const std::string name = name_beside(path_);
  temporary_.emplace(name, [&] {
    if (::linkat(AT_FDCWD, shown(file_->fd()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail(std::strerror(errno));
  });
}

void AtomicFile::replace() {
  if (std::rename(temporary_->path().c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  temporary_->keep();
}

void AtomicFile::keep_name() const {
  // Not every file system can promise that: the file is there all the same.
  const int held = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held < 0) return;
  ::fsync(held);
  ::close(held);
}

void AtomicFile::commit() {
  to_disk();
  replace();
  keep_name();
}

void AtomicFile::commit_in_order(AtomicFile& first, AtomicFile& file) {
  first.to_disk();
  file.to_disk();
  constexpr double patience_seconds = 10;
  const FolderLock lock(folder_of(first.path_), patience_seconds);
  bool has_old = false;
  const std::string aside = name_beside(first.path_);
  const ScopedPath old(aside, [&] { has_old = ::link(first.path_.c_str(), aside.c_str()) == 0; });
  first.replace();
  try {
    file.replace();
  } catch (...) {
    if (has_old)
      std::rename(aside.c_str(), first.path_.c_str());
    else
      ::unlink(first.path_.c_str());
    throw;
  }
  first.keep_name();
  file.keep_name();
}

void write_text(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.stream() << text;
  file.commit();
}

}  // namespace hardhead
