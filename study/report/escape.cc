#include "study/report/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace hardhead::report {
namespace {

constexpr auto greek = std::to_array<std::pair<std::string_view, std::string_view>>({{"Theta", "\u0398"},
                                                                                     {"Omega", "\u03A9"},
                                                                                     {"alpha", "\u03B1"},
                                                                                     {"delta", "\u03B4"},
                                                                                     {"eps", "\u03B5"},
                                                                                     {"lambda", "\u03BB"},
                                                                                     {"sigma", "\u03C3"},
                                                                                     {"tau", "\u03C4"},
                                                                                     {"theta", "\u03B8"},
                                                                                     {"xi", "\u03BE"}});

constexpr auto entities = std::to_array<std::pair<char, std::string_view>>(
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// A formula in brackets is no longer than this: what is nested deeper is left as it is.
constexpr std::size_t longest_brackets = 80;

/// What ends at the bracket that closes the one at `at`; npos where it stays open.
std::size_t past_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < std::min(text.size(), at + longest_brackets); ++i) {
    depth += text[i] == '(' || text[i] == '{' ? 1 : text[i] == ')' || text[i] == '}' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::size_t past_word(std::string_view text, std::size_t at) {
  while (at < text.size() && is_letter(text[at])) ++at;
  return at;
}

std::size_t past_number(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (is_digit(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1]))))
    ++at;
  return at;
}

/// The end of the power that begins at `at`; `at` itself where none does.
std::size_t past_power(std::string_view text, std::size_t at) {
  const std::size_t first = at < text.size() && text[at] == '-' ? at + 1 : at;
  if (first >= text.size()) return at;
  if (text[first] == '(' || text[first] == '{') {
    const std::size_t end = past_brackets(text, first);
    return end == std::string_view::npos ? at : end;
  }
  if (is_digit(text[first])) return past_number(text, first);
  const std::size_t word = past_word(text, first);
  if (word == first) return at;
  const std::size_t end = word < text.size() && text[word] == '(' ? past_brackets(text, word) : word;
  return end == std::string_view::npos ? word : end;
}

/// The end of the index that begins at `at`; `at` itself where none does.
std::size_t past_index(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  const bool goes_on = end < text.size() && text[end] == '_';
  return !goes_on && (end == at + 1 || text.substr(at, end - at) == "sum") ? end : at;
}

bool has_index(std::string_view base) {
  return base.size() == 1 || std::ranges::any_of(greek, [&](const auto& one) { return one.first == base; });
}

std::string row(std::string_view text);

/// A letter, a number, or what is in brackets, with its index and its power.
std::string term(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  std::string out;
  if (is_letter(text[at])) {
    at = past_word(text, at);
    std::string_view name = text.substr(begin, at - begin);
    for (const auto& [word, letter] : greek) name = name == word ? letter : name;
    out = fmt::format("<mi>{}</mi>", name);
  } else if (is_digit(text[at])) {
    at = past_number(text, at);
    out = fmt::format("<mn>{}</mn>", text.substr(begin, at - begin));
  } else if (const std::size_t end = text[at] == '(' ? past_brackets(text, at) : std::string_view::npos;
             end != std::string_view::npos) {
    out = fmt::format("<mrow><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo></mrow>",
                      row(text.substr(at + 1, end - at - 2)));
    at = end;
  } else {
    ++at;
    const std::string one(text.substr(begin, 1));
    return one == " " ? ""
                      : fmt::format("<mo stretchy=\"false\">{}</mo>", one == "-" ? "\u2212" : escaped(one));
  }
  if (at < text.size() && text[at] == '_' && has_index(text.substr(begin, at - begin)))
    if (const std::size_t end = past_index(text, at + 1); end != at + 1) {
      out = fmt::format("<msub>{}<mrow>{}</mrow></msub>", out, row(text.substr(at + 1, end - at - 1)));
      at = end;
    }
  if (at < text.size() && text[at] == '^')
    if (const std::size_t end = past_power(text, at + 1); end != at + 1) {
      std::string_view power = text.substr(at + 1, end - at - 1);
      if ((power.front() == '(' || power.front() == '{') && past_brackets(power, 0) == power.size())
        power = power.substr(1, power.size() - 2);
      out = fmt::format("<msup>{}<mrow>{}</mrow></msup>", out, row(power));
      at = end;
    }
  return out;
}

std::string row(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) out += term(text, at);
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto* const entity = std::ranges::find(entities, c, &std::pair<char, std::string_view>::first);
    out += entity == entities.end() ? std::string_view(&c, 1) : entity->second;
  }
  return out;
}

std::string formulae_html(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = is_letter(text[at]) || is_digit(text[at]) || text[at] == '(';
    const std::size_t begin = at;
    std::string typeset = starts ? term(text, at) : "";
    const bool powers = typeset.starts_with("<msup>") || typeset.starts_with("<msub>");
    // A word in the middle of a name, as of an option, is no formula.
    const bool is_whole = at >= text.size() || (text[at] != '_' && !is_letter(text[at]));
    if (powers && is_whole) {
      out += "<math>" + typeset + "</math>";
      continue;
    }
    at = begin + 1;
    if (is_letter(text[begin]) || is_digit(text[begin]))
      while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_')) ++at;
    out += escaped(text.substr(begin, at - begin));
  }
  return out;
}

}  // namespace hardhead::report
