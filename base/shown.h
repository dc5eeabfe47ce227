#pragma once
#include <string>
#include <string_view>

namespace hardhead {

/// Text that somebody else wrote, as a message shows it: in quotes, without control characters and bytes that are not UTF-8, 80
/// characters of it at most. It ends up on a terminal, or in JSON.
std::string shown(std::string_view text);

}  // namespace hardhead
