#pragma once
#include <string>

namespace hardhead {

/// Is it a relative path with a file name at its end that nowhere goes up (`..`)?
bool is_inside(const std::string& path);

/// The path of a file of a folder, by a name that somebody else wrote, such as a list in the folder. Throws
/// InputError unless is_inside(), the file is there and regular, and it lies in the folder when all links are
/// followed.
std::string file_in_folder(const std::string& folder, const std::string& name);

}  // namespace hardhead
