#include "base/text/quoted.h"

#include <fmt/format.h>

namespace hardhead {

std::string quoted(std::string_view text) {
  constexpr std::size_t limit = 80;
  return fmt::format("{:?}{}", text.substr(0, limit), text.size() > limit ? ".." : "");
}

}  // namespace hardhead
