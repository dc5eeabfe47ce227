#pragma once
#include <cstdint>
#include <string>

namespace hardhead {

/// Everything in a file. Throws InputError `file 'PATH': ..`: no regular file of that name, more than
/// max_bytes, or it cannot be read.
std::string read_file(const std::string& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

}  // namespace hardhead
