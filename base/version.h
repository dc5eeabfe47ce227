#pragma once
#include <string>

namespace hardhead {

/// The version of this library, "major.minor.patch".
std::string version();

}  // namespace hardhead
