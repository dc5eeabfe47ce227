#include "base/files/output_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"

namespace hardhead {

void make_output_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure || !std::filesystem::is_directory(folder, failure))
    throw InputError(fmt::format("'{}' is not a folder that can be written to", folder));
}

}  // namespace hardhead
