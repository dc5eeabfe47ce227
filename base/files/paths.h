#pragma once
#include <string>

namespace hardhead {

/// Makes the folder and those above it, if they are not there. Throws InputError naming it where that fails.
void make_output_folder(const std::string& folder);

/// Is it a relative path with a file name at its end that nowhere goes up (`..`)?
bool is_inside(const std::string& path);

/// The path of a file of a folder, by a name that somebody else wrote, such as a list in the folder. Throws
/// InputError unless is_inside(), the file is there and regular, and it lies in the folder when all links are
/// followed.
std::string file_in_folder(const std::string& folder, const std::string& name);

/// Do both paths lead to one file? By device and inode where both exist, so that links count; else by their
/// folder and name.
bool same_file(const std::string& a, const std::string& b);

}  // namespace hardhead
