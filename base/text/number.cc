#include "base/text/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hardhead {
namespace {

/// The power of ten that the last letter stands for, which is taken off; 0 for none.
int take_suffix(std::string_view& text) {
  constexpr std::array<std::pair<char, int>, 4> suffixes{{{'k', 3}, {'K', 3}, {'M', 6}, {'G', 9}}};
  for (const auto& [letter, zeros] : suffixes)
    if (!text.empty() && text.back() == letter) {
      text.remove_suffix(1);
      return zeros;
    }
  return 0;
}

std::optional<std::int64_t> power_of(std::int64_t base, std::int64_t exponent) {
  if (base < 2 || exponent < 0) return std::nullopt;
  std::int64_t out = 1;
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
  return out;
}

/// Digits with a point somewhere, times ten to this power.
std::optional<std::int64_t> decimal(std::string_view text, int power) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  if (point < text.size()) {
    digits += text.substr(point + 1);
    power -= static_cast<int>(text.size() - point - 1);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  for (; power < 0; ++power) {
    if (digits.back() != '0') return std::nullopt;  // not whole
    if (digits.size() > 1) digits.pop_back();
  }
  constexpr int most_digits = 19;
  if (power > most_digits) return std::nullopt;
  digits.append(static_cast<std::size_t>(power), '0');
  return whole_number<std::int64_t>(negative ? "-" + digits : digits);
}

}  // namespace

std::optional<std::int64_t> integer_of(std::string_view text) {
  constexpr int largest_power = 1000;
  if (const auto plain = whole_number<std::int64_t>(text)) return plain;
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos) {
    const auto base = whole_number<std::int64_t>(text.substr(0, hat)),
               exponent = whole_number<std::int64_t>(text.substr(hat + 1));
    return base && exponent ? power_of(*base, *exponent) : std::nullopt;
  }
  int power = take_suffix(text);
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto said = whole_number<int>(digits);
    if (!said || std::abs(*said) > largest_power) return std::nullopt;
    power += *said;
    text = text.substr(0, e);
  }
  return decimal(text, power);
}

std::optional<double> real_of(std::string_view text) {
  if (const auto plain = whole_number<double>(text)) return plain;
  if (const auto integer = integer_of(text)) return static_cast<double>(*integer);
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos) {
    const auto base = whole_number<std::int64_t>(text.substr(0, hat)),
               exponent = whole_number<std::int64_t>(text.substr(hat + 1));
    if (!base || *base < 2 || !exponent) return std::nullopt;
    if (*base == 10) return whole_number<double>("1e" + std::to_string(*exponent));  // the nearest double
    return std::pow(static_cast<double>(*base), static_cast<double>(*exponent));
  }
  std::string_view number = text;
  const int zeros = take_suffix(number);
  if (zeros == 0) return std::nullopt;
  const auto value = whole_number<double>(number);
  return value ? std::optional(*value * std::pow(10, zeros)) : std::nullopt;
}

std::optional<double> seconds_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"ms", 1e-3}, {"sec", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86'400}}};
  if (const auto plain = whole_number<double>(text)) return plain;
  for (const auto& [unit, seconds] : units)
    if (text.ends_with(unit)) {
      const auto value = whole_number<double>(text.substr(0, text.size() - unit.size()));
      return value ? std::optional(*value * seconds) : std::nullopt;
    }
  return std::nullopt;
}

std::string counted(std::int64_t count, const std::string& noun, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural.empty() ? noun + "s" : plural);
}

}  // namespace hardhead
