#include "app/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/text/number.h"
#include "base/text/quoted.h"

namespace hardhead::app {
namespace {

Colour chosen = Colour::automatic;

bool coloured() {
  if (chosen != Colour::automatic) return chosen == Colour::always;
  return environment_variable("NO_COLOR").empty() && environment_variable("TERM") != "dumb" &&
         ::isatty(STDOUT_FILENO) == 1;
}

/// What painted() writes in place of an escape character.
const std::string& mark() {
  static const std::string drawn = [] {
    std::uint64_t random = 0;
    if (::getentropy(&random, sizeof random) != 0) random = static_cast<std::uint64_t>(::getpid());
    return fmt::format("\033{:016x}", random);
  }();
  return drawn;
}

}  // namespace

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<std::size_t> columns(int descriptor) {
  constexpr std::size_t least = 40;
  const auto width = whole_number<std::size_t>(environment_variable("COLUMNS"));
  if (width && *width > 0) return std::max(*width, least);
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return std::max<std::size_t>(size.ws_col, least);
}

void choose_colour(Colour when) {
  chosen = when;
}

std::string painted(Shade shade, const std::string& text) {
  const int colour = shade == Shade::good ? 32 : shade == Shade::fair ? 33 : 31;
  return coloured() ? fmt::format("{0}[{1}m{2}{0}[0m", mark(), colour, text) : text;
}

std::string for_terminal(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; (at = text.find(mark())) != std::string_view::npos;) {
    out += printable(text.substr(0, at)) + "\033";
    text.remove_prefix(at + mark().size());
  }
  return out + printable(text);
}

}  // namespace hardhead::app
