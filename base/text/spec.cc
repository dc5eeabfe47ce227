#include "base/text/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead {
namespace {

bool is_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

}  // namespace

Spec Spec::parse(std::string_view text) {
  const auto fail = [&](std::size_t column, std::string_view what) {
    throw InputError(fmt::format("spec {}, column {}: {}", in_quotes(text), column + 1, what));
  };
  Spec spec;
  const std::size_t colon = text.find(':');
  spec.name = std::string(text.substr(0, colon));
  if (!is_word(spec.name)) fail(0, "a name of letters, digits, '_' or '-' is expected");
  if (colon == std::string_view::npos) return spec;

  std::size_t at = colon + 1;
  while (true) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      fail(at, fmt::format("{} is not of the form key=value", in_quotes(item)));
    const std::string_view key = item.substr(0, equals), value = item.substr(equals + 1);
    if (!is_word(key)) fail(at, fmt::format("{} is not a key (letters, digits, '_', '-')", in_quotes(key)));
    if (value.empty()) fail(at + equals + 1, fmt::format("key '{}' has no value", key));
    if (std::any_of(spec.values.begin(), spec.values.end(), [&](const auto& v) { return v.first == key; }))
      fail(at, fmt::format("key '{}' comes twice", key));
    spec.values.emplace_back(key, value);
    if (comma == text.size()) return spec;
    at = comma + 1;
  }
}

const std::string* Spec::value(std::string_view key) const {
  const auto at = std::ranges::find(values, key, &std::pair<std::string, std::string>::first);
  return at == values.end() ? nullptr : &at->second;
}

std::string Spec::str() const {
  std::string out = name;
  char separator = ':';
  for (const auto& [key, value] : values) {
    out += separator + key + '=' + value;
    separator = ',';
  }
  return out;
}

Spec parse_learner(std::string_view text) {
  constexpr std::string_view program = "exec:", access = "access=", key = "command=";
  if (!text.starts_with(program)) return Spec::parse(text);
  std::string_view command = text.substr(program.size());
  Spec out{"exec", {}};
  if (command.starts_with(access)) {
    const std::size_t comma = command.find(',');
    out = Spec::parse(text.substr(0, comma == std::string_view::npos ? comma : program.size() + comma));
    command.remove_prefix(comma == std::string_view::npos ? command.size() : comma + 1);
  }
  if (command.starts_with(key)) command.remove_prefix(key.size());
  if (command.empty()) throw InputError("method 'exec:': a command is expected after the colon");
  out.values.emplace_back("command", command);
  return out;
}

}  // namespace hardhead
