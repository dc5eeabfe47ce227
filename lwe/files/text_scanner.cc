#include "lwe/files/text_scanner.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/files/read_file.h"

namespace hardhead::lwe {
namespace {

/// Commas separate numbers and rows as white space does: numpy, Sage and JSON print them.
bool is_space(char c) {
  return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

TextScanner::TextScanner(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), at_(text_.starts_with(byte_order_mark) ? 3 : 0) {}

TextScanner TextScanner::open(const std::string& path) {
  return {path, read_file(path)};
}

void TextScanner::fail(const std::string& message) const {
  throw InputError(fmt::format("file '{}', offset {}: {}", path_, at_, message));
}

void TextScanner::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

std::string_view TextScanner::word(std::string_view what) {
  skip_space();
  std::size_t end = at_;
  while (end < text_.size() && !is_space(text_[end]) && text_[end] != '[' && text_[end] != ']') ++end;
  if (end == at_)
    fail(fmt::format("{} is expected, {}", what,
                     at_ == text_.size() ? "the file ends" : fmt::format("not '{}'", text_[at_])));
  return std::string_view(text_).substr(at_, end - at_);
}

std::int64_t TextScanner::integer(std::string_view what, std::int64_t least, std::int64_t most) {
  const std::string_view text = word(what);
  std::int64_t value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || stop != text.data() + text.size() || value < least || value > most)
    fail(fmt::format("{} '{}' is not an integer in {} .. {}", what, text.substr(0, 40), least, most));
  at_ += text.size();
  return value;
}

long double TextScanner::real(std::string_view what) {
  const std::string_view text = word(what);
  long double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || stop != text.data() + text.size() || !std::isfinite(value))
    fail(fmt::format("{} '{}' is not a finite number", what, text.substr(0, 40)));
  at_ += text.size();
  return value;
}

void TextScanner::expect(char bracket, std::string_view what) {
  skip_space();
  if (at_ < text_.size() && text_[at_] == bracket) {
    ++at_;
    return;
  }
  fail(fmt::format("'{}' of {} is expected, {}", bracket, what,
                   at_ == text_.size() ? "the file ends" : fmt::format("not '{}'", text_[at_])));
}

void TextScanner::expect_end() {
  skip_space();
  if (at_ != text_.size()) fail(fmt::format("the end is expected, not '{}'", text_[at_]));
}

}  // namespace hardhead::lwe
