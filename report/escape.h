#pragma once
#include <string>
#include <string_view>

namespace hardhead::report {

/// Plain text as the content or an attribute of an element of HTML or SVG.
std::string escaped(std::string_view text);

}  // namespace hardhead::report
