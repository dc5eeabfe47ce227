#pragma once
#include <string>
#include <string_view>

namespace hardhead {

/// Text that somebody else wrote, as a message shows it: in quotes, its first 80 characters only, with
/// control characters and bytes that are not UTF-8 escaped. It is fit for a terminal and for JSON.
std::string quoted(std::string_view text);

}  // namespace hardhead
