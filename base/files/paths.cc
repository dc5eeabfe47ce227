#include "base/files/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead {

namespace fs = std::filesystem;

void make_output_folder(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure || !fs::is_directory(folder, failure))
    throw InputError(fmt::format("'{}' is not a folder that can be written to", folder));
}

bool is_inside(const std::string& path) {
  const fs::path parts(path);
  return !parts.is_absolute() && parts.has_filename() && std::ranges::find(parts, "..") == parts.end();
}

std::string file_in_folder(const std::string& folder, const std::string& name) {
  const fs::path file = fs::path(folder) / name;
  std::error_code error, of_folder;
  const fs::path inside = fs::canonical(file, error).lexically_relative(fs::canonical(folder, of_folder));
  if (!is_inside(name) || error || of_folder || inside.empty() || *inside.begin() == ".." ||
      !fs::is_regular_file(file, error))
    throw InputError(fmt::format("{} is not a file of the folder", in_quotes(name)));
  return file.string();
}

namespace {

/// The path with its folder's links followed; as it is where there is no such folder.
fs::path placed(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
  return error ? path.lexically_normal() : folder / path.filename();
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || placed(a) == placed(b);
}

}  // namespace hardhead
