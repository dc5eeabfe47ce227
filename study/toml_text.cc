#include "study/toml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hardhead::study {
namespace {

constexpr int max_dots = 4096;

/// Whether a quote there opens a string: in the middle of a word, or behind another string, none may stand.
bool opens_string(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" \t\r\n=,[{.").find(text[at - 1]) != std::string_view::npos;
}

/// Where the string that starts at `at` ends. One that is not closed ends somewhere: toml++ goes no further than its line.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view triple = quote == '"' ? R"(""")" : "'''";
  const bool long_one = text.substr(at).starts_with(triple);
  const std::string_view closing = long_one ? triple : triple.substr(0, 1);
  at += closing.size();
  while (at < text.size() && !text.substr(at).starts_with(closing) && (long_one || text[at] != '\n'))
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  at += closing.size();
  for (int more = 0; long_one && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
  return std::min(at, text.size());
}

}  // namespace

void check_toml_text(std::string_view text) {
  if (constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw InputError(fmt::format("line {}: {}", 1 + std::ranges::count(text.substr(0, at), '\n'), what));
  };
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      if (!opens_string(text, at)) fail(at, "a quote in the middle of a word");
      at = end_of_string(text, at);
    } else {
      if (static_cast<unsigned char>(c) >= 0x80)
        fail(at, "a character that is not ASCII, outside of strings and comments");
      if (c == '.' && ++dots > max_dots)
        fail(at, fmt::format("more than {} dots outside of strings and comments", max_dots));
      ++at;
    }
  }
}

}  // namespace hardhead::study
