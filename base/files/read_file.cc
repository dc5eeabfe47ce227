#include "base/files/read_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hardhead {

std::string read_file(const std::string& path, std::uintmax_t max_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(fmt::format("file '{}': there is no regular file of that name", path));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > max_bytes)
    throw InputError(fmt::format("file '{}': {} bytes are more than {}", path, size, max_bytes));
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw InputError(fmt::format("file '{}': cannot be read", path));
  return text;
}

}  // namespace hardhead
