#include "base/text/quoted.h"

#include <fmt/format.h>

namespace hardhead {

std::string quoted(std::string_view text) {
  constexpr std::size_t limit = 80;
  return fmt::format("{:?}{}", text.substr(0, limit), text.size() > limit ? ".." : "");
}

std::string on_one_line(std::string_view text) {
  std::string escaped = fmt::format("{:?}", text);
  return escaped.size() == text.size() + 2 ? std::string(text) : escaped;
}

std::string in_quotes(std::string_view text) {
  return fmt::format("{:?}", text).size() == text.size() + 2 ? fmt::format("'{}'", text) : quoted(text);
}

}  // namespace hardhead
