#include "base/text/quoted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace hardhead {

std::string quoted(std::string_view text) {
  constexpr std::size_t limit = 80;
  return fmt::format("{:?}{}", text.substr(0, limit), text.size() > limit ? ".." : "");
}

std::string on_one_line(std::string_view text) {
  std::string escaped = fmt::format("{:?}", text);
  return escaped.size() == text.size() + 2 ? std::string(text) : escaped;
}

namespace {

/// Bytes of the character at the front, if it is UTF-8 as far as its lead says; else 1.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return std::min(bytes, text.size());
}

/// The code of a character of UTF-8 of these bytes.
std::uint32_t code_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

/// A character that cannot be seen, which fmt escapes so: with one escape, or byte by byte if it is not
/// UTF-8.
std::string escape(std::string_view character, std::string_view escaped) {
  const bool is_utf8 = static_cast<unsigned char>(character.front()) < 0x80 ||
                       (character.size() > 1 && std::ranges::count(escaped, '\\') == 1);
  if (!is_utf8) return std::string(escaped);
  constexpr std::uint32_t plane = 0x10000, high = 0xd800, low = 0xdc00;
  const std::uint32_t code = code_of(character);
  if (code < plane) return fmt::format("\\u{:04x}", code);
  return fmt::format("\\u{:04x}\\u{:04x}", high + ((code - plane) >> 10), low + ((code - plane) & 0x3ff));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    if ((c >= ' ' && c <= '~') || c == '\n' || c == '\t') {
      out += c;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view character = text.substr(0, character_bytes(text));
    const std::string in_quotes = fmt::format("{:?}", character);
    const std::string_view escaped = std::string_view(in_quotes).substr(1, in_quotes.size() - 2);
    out += escaped == character ? std::string(character) : escape(character, escaped);
    text.remove_prefix(character.size());
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  return fmt::format("{:?}", text).size() == text.size() + 2 ? fmt::format("'{}'", text) : quoted(text);
}

}  // namespace hardhead
