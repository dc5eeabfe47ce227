#pragma once
#include <string>

namespace hardhead {

/// Do both paths lead to one file? By device and inode where both exist, so that links count; else by their
/// folder and name.
bool same_file(const std::string& a, const std::string& b);

}  // namespace hardhead
