#include "base/files/temporary_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

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

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& parent, const std::string& name) {
  static std::atomic<unsigned> number{0};
  std::string path;
  const auto next = [&] { path = fmt::format("{}/{}-{}-{}", parent, name, ::getpid(), number++); };
  struct stat there{};
  do next();
  while (::lstat(path.c_str(), &there) == 0);  // left behind by a process that was killed
  folder_ = std::make_unique<ScopedPath>(path, [&] {
    if (::mkdir(path.c_str(), 0700) != 0)
      throw InputError(
          fmt::format("'{}': no temporary folder can be made there: {}", parent, std::strerror(errno)));
  });
}

TemporaryFolder::TemporaryFolder(const std::string& name) : TemporaryFolder(system_folder(), name) {}

}  // namespace hardhead
