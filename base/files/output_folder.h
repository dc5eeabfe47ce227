#pragma once
#include <string>

namespace hardhead {

/// Makes the folder and those above it, if they are not there. Throws InputError naming it where that fails.
void make_output_folder(const std::string& folder);

}  // namespace hardhead
