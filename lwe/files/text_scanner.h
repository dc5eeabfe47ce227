#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hardhead::lwe {

/// What some editors put in front of UTF-8.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Reads numbers and brackets off a text, skipping white space, commas and a byte order mark. Every error is
/// an InputError "file 'F', offset N: ..".
class TextScanner {
 public:
  /// Reads the whole file. Throws InputError as read_file() does.
  static TextScanner open(const std::string& path);

  /// Scans `text`; `path` is what errors call it.
  TextScanner(std::string path, std::string text);

  /// An integer in least .. most; `what` names it in errors.
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most);
  /// A finite number.
  long double real(std::string_view what);
  /// The next character, which must be this one.
  void expect(char bracket, std::string_view what);
  /// Nothing may be left but white space.
  void expect_end();
  /// Characters not read yet: no honest list is longer than that.
  std::int64_t left() const { return static_cast<std::int64_t>(text_.size() - at_); }

  /// As it was given.
  const std::string& path() const { return path_; }
  /// Throws the InputError for the place reached.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view word(std::string_view what);
  void skip_space();

  std::string path_, text_;
  std::size_t at_ = 0;
};

}  // namespace hardhead::lwe
