#include "base/files/file_in_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead {

namespace fs = std::filesystem;

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

}  // namespace hardhead
