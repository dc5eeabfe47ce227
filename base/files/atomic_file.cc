#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace hardhead {

namespace {

// Whether `rest` is what AtomicFile puts behind the name of a file, .PROCESS.NUMBER.tmp, with a process that
// is not there any more.
bool is_of_a_dead_process(std::string_view rest) {
  pid_t process = 0;
  unsigned number = 0;
  const auto skip = [&](std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  };
  const auto read = [&](auto& value) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return error == std::errc();
  };
  const bool ours = skip(".") && read(process) && skip(".") && read(number) && rest == ".tmp";
  return ours && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

// What a process that was killed while it wrote this file has left.
void remove_leftovers(const std::string& path) {
  const std::filesystem::path target(path);
  const std::string name = target.filename().string();
  std::error_code ignored;
  for (std::filesystem::directory_iterator
           entry(target.has_parent_path() ? target.parent_path() : ".", ignored),
       end;
       !ignored && entry != end; entry.increment(ignored)) {
    const std::string found = entry->path().filename().string();
    if (found.starts_with(name) && is_of_a_dead_process(std::string_view(found).substr(name.size())))
      std::remove(entry->path().c_str());
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("cannot write '{}': {}", path_, what));
  };
  if (path_.empty()) fail("a file name is expected");
  std::error_code ignored;
  const auto target = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(target)) fail("it is a folder, a file name is expected");
  // Renaming over a device or a pipe would replace it.
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target))
    fail("it is not a regular file");
  remove_leftovers(path_);
  static std::atomic<unsigned> count{0};  // two writers of one process must not share a temporary file
  const std::string name = fmt::format("{}.{}.{}.tmp", path_, ::getpid(), count++);
  temporary_.emplace(name, [&] {
    errno = 0;
    try {
      out_.open(name, std::ios::binary | std::ios::trunc);
    } catch (...) {  // the file is there, and no memory is left for its buffer
      std::remove(name.c_str());
      throw;
    }
    if (!out_) fail(std::strerror(errno));
  });
}

void AtomicFile::commit() {
  errno = 0;
  const auto fail = [&] {
    throw InputError(
        fmt::format("cannot write '{}': {}", path_, errno != 0 ? std::strerror(errno) : "write failed"));
  };
  const bool failed_before = !out_;
  if (failed_before) {  // one byte more, to learn the reason
    out_.clear();
    out_.put('\0');
  }
  out_.close();
  if (!out_ || failed_before) fail();
  const int file = ::open(temporary_->path().c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail();
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  if (!synced || std::rename(temporary_->path().c_str(), path_.c_str()) != 0) fail();
  temporary_->keep();
  // The new name outlives a loss of power, too. Not every file system can promise that: the file is there all
  // the same.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int held = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (held < 0) return;
  ::fsync(held);
  ::close(held);
}

}  // namespace hardhead
