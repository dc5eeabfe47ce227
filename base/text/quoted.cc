#include "base/text/quoted.h"

#include <fmt/format.h>

#include <algorithm>

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

/// fmt's escape of one character that cannot be seen, "\\x1b" or "\\u{202e}", as JSON has it too.
std::string escape(std::string_view character, std::string_view escaped) {
  constexpr int hexadecimal = 16;
  if (character.size() == 1 && static_cast<unsigned char>(character.front()) < 0x80)
    return fmt::format("\\u{:04x}", static_cast<unsigned char>(character.front()));
  if (!escaped.starts_with("\\u{")) return std::string(escaped);
  const auto code = static_cast<unsigned>(std::stoul(std::string(escaped.substr(3)), nullptr, hexadecimal));
  constexpr unsigned plane = 0x10000, high = 0xd800, low = 0xdc00;
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
