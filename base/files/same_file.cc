#include "base/files/same_file.h"

#include <filesystem>

namespace hardhead {
namespace {

namespace fs = std::filesystem;

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
