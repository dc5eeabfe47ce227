#include "study/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace hardhead::study {
namespace {

constexpr int max_dots = 4096;

/// Whether a quote there opens a string: in the middle of a word, or behind another string, none may stand. Nor behind a dot,
/// where one may be meant that opens a key, but toml++ reads on in a number.
bool opens_string(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" \t\r\n=,[{").find(text[at - 1]) != std::string_view::npos;
}

/// Where the string that starts at `at` ends, at the end of the line at the latest: toml++ goes no further, either.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n')
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
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
      if (text.substr(at).starts_with(std::string(3, c))) fail(at, "a string of several lines");
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
