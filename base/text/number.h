#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers and times as people type them, in flags, in specs, in sweeps, and counts as they read them.
namespace hardhead {

/// The number that a whole text is, as from_chars reads it; empty if it is none.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && stop == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The integer that a text is, exactly: digits; a decimal with a power of ten (1e5, 2.5e3); a power (10^8,
/// 2^20); k, M or G behind digits or a decimal for thousands, millions, billions (50k, 1.5M). Empty if it is
/// none of these, is not whole, or is beyond 64 bits.
std::optional<std::int64_t> integer_of(std::string_view text);

/// The number that a text is: as from_chars reads it, infinities among them, or a power or k, M, G as
/// integer_of() takes them, with exponents below 0 as well (10^-3, 2^-10). Empty if it is none.
std::optional<double> real_of(std::string_view text);

/// Seconds: a number as from_chars reads it, with ms, s, sec, min, h or d behind it, or nothing (10, 10s,
/// 1.5h, 5min). Empty if it is none.
std::optional<double> seconds_of(std::string_view text);

/// "1 head", "2 heads"; with a plural of its own "1 query", "2 queries".
std::string counted(std::int64_t count, const std::string& noun, const std::string& plural = {});

}  // namespace hardhead
