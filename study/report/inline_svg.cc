#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/text/quoted.h"
#include "study/report/escape.h"

namespace hardhead::report {
namespace {

// Words between spaces.
constexpr std::string_view elements =
    " svg g title desc defs use path rect circle polygon text tspan filter feFlood feComposite ";

/// No `style`, no `on..`.
constexpr std::string_view attributes =
    " class color cx cy d dominant-baseline dx dy fill fill-opacity fill-rule filterUnits flood-color "
    "flood-opacity font-family font-size font-style font-weight height href id in in2 opacity "
    "operator points preserveAspectRatio r result rx ry shape-rendering stroke stroke-dasharray "
    "stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor "
    "text-decoration transform version viewBox width x xlink:href xml:space xmlns xmlns:xlink y ";

bool is_among(std::string_view word, std::string_view words) {
  return words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Reads the text from its begin to its end and writes what it has read.
class Reader {
 public:
  Reader(std::string_view text, std::string_view prefix) : rest_(text), prefix_(prefix) {}

  std::string read() {
    do {
      plain_text();
      rest_.starts_with("</") ? closing_tag() : opening_tag();
    } while (!open_.empty());
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (!rest_.empty()) refuse("this is not an SVG: something stands behind its end");
    return std::move(out_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) { throw InputError(what); }

  /// Takes `count` characters over.
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    out_ += taken;
    rest_.remove_prefix(taken.size());
    return taken;
  }
  template <class Wanted>
  std::string_view take_while(const Wanted& wanted) {
    const auto end = std::ranges::find_if_not(rest_, wanted);
    return take(static_cast<std::size_t>(end - rest_.begin()));
  }
  void expect(char c) {
    if (!rest_.starts_with(c))
      refuse(fmt::format("'{}' is expected where {} is", c, quoted(rest_.substr(0, 20))));
    take(1);
  }
  std::string_view name() {
    return take_while([](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == ':' || c == '_';
    });
  }

  /// Every & must begin an entity of XML itself: others may stand for any character.
  static void check_entities(std::string_view text) {
    for (std::size_t at = 0; (at = text.find('&', at)) != std::string_view::npos; ++at) {
      const std::string_view here = text.substr(at);
      if (std::ranges::none_of(std::array{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"},
                               [&](std::string_view known) { return here.starts_with(known); }))
        refuse(fmt::format("the entity {}", quoted(here.substr(0, 20))));
    }
  }

  void plain_text() {
    check_entities(take_while([](char c) { return c != '<'; }));
    if (rest_.empty()) refuse("this is not an SVG: it ends too early");
  }

  std::string_view element() {
    const std::string_view said = name();
    if (!is_among(said, elements))
      refuse(fmt::format("element {}, which gnuplot does not write", in_quotes(said.substr(0, 40))));
    return said;
  }

  void closing_tag() {
    take(2);
    const std::string_view closed = element();
    if (open_.empty() || open_.back() != closed)
      refuse(fmt::format("</{}> closes nothing that is open", printable(closed.substr(0, 40))));
    open_.pop_back();
    take_while(is_space);
    expect('>');
  }

  void opening_tag() {
    expect('<');
    const std::string_view opened = element();
    if (open_.empty() && opened != "svg") refuse("this is not an SVG");
    std::set<std::string_view> said;
    while (take_while(is_space), !rest_.starts_with('>') && !rest_.starts_with("/>"))
      if (const std::string_view one = attribute(); !said.insert(one).second)
        refuse(fmt::format("the attribute '{}' twice", one));
    if (rest_.starts_with('>')) open_.push_back(opened);
    take(rest_.starts_with('>') ? 1 : 2);
  }

  std::string_view attribute() {
    const std::string_view attribute = name();
    if (!is_among(attribute, attributes))
      refuse(fmt::format("attribute {}, which gnuplot does not write",
                         in_quotes(attribute.empty() ? rest_.substr(0, 1) : attribute.substr(0, 40))));
    take_while(is_space);
    expect('=');
    take_while(is_space);
    const char quote = rest_.starts_with('\'') ? '\'' : '"';
    expect(quote);
    const bool leads = attribute == "href" || attribute == "xlink:href";
    if (leads && !rest_.starts_with('#')) refuse("a link out of it");
    if (leads) take(1);
    if (leads || attribute == "id") out_ += prefix_;
    check_value(take_while([&](char c) { return c != quote && c != '<'; }));
    expect(quote);
    return attribute;
  }

  /// Some values are CSS, where url() leads out and a backslash can spell it otherwise.
  static void check_value(std::string_view value) {
    check_entities(value);
    std::string lower(value);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.find("url(") != std::string::npos || lower.find('\\') != std::string::npos)
      refuse(fmt::format("a link out of it: {}", quoted(value.substr(0, 40))));
  }

  std::string_view rest_, prefix_;
  std::vector<std::string_view> open_;  ///< elements, outermost first
  std::string out_;
};

}  // namespace

std::string inline_svg(std::string_view svg, std::string_view prefix) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) throw InputError("this is not an SVG");
  constexpr std::size_t behind_name = 4;
  return Reader(svg.substr(begin), prefix).read().insert(behind_name, " role=\"img\"");
}

}  // namespace hardhead::report
