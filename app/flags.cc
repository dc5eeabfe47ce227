#include "app/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/info.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/text/number.h"
#include "base/text/seed.h"

namespace hardhead::app {
namespace {

Rational read_exact(const std::string& flag, const std::string& text) {
  constexpr const char* expected = "a rational p/q or a decimal";
  const std::size_t point = text.find('.');
  if (const auto integer = integer_of(text)) return Rational(*integer);
  if (point == std::string::npos) try {
      return parse_rational(text);
    } catch (const InputError&) {
      refuse(flag, text, expected);
    }
  const std::string digits = text.substr(0, point) + text.substr(point + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
    refuse(flag, text, expected);
  // A leading 0 would make it octal.
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return parse_rational(digits.substr(first)) / power(10, static_cast<long>(text.size() - point - 1));
}

std::string shown_number(const double& value) {
  return value >= 1 && value < 1e15 && value == std::floor(value)
             ? shown_integer(static_cast<std::int64_t>(value))
             : fmt::format("{}", value);
}

/// A length of 1.5 .. 20 inches.
double read_inches(const std::string& text) {
  constexpr const char* expected = "a length of 1.5in .. 20in, as 3.25in, 8.5cm or 85mm,";
  if (text.size() < 3) refuse("--width", text, expected);
  const std::string unit = text.substr(text.size() - 2);
  const auto value = whole_number<double>(std::string_view(text).substr(0, text.size() - 2));
  const double per_inch = unit == "in" ? 1 : unit == "cm" ? 2.54 : unit == "mm" ? 25.4 : 0;
  if (!value || per_inch == 0) refuse("--width", text, expected);
  const double inches = *value / per_inch;
  if (!(inches >= 1.5 && inches <= 20)) refuse("--width", text, expected);
  return inches;
}

}  // namespace

std::vector<std::string> spellings(const Flag& flag) {
  const std::size_t comma = flag.name.find(',');
  if (comma == std::string::npos) return {flag.name};
  return {flag.name.substr(0, comma), flag.name.substr(comma + 1)};
}

std::string long_name(const Flag& flag) {
  return spellings(flag).back();
}

std::string Flag::text() const {
  if (range.empty() && fallback.empty()) return help;
  if (fallback.empty()) return fmt::format("{} ({})", help, range);
  return fmt::format("{} ({}{}default: {})", help, range, range.empty() ? "" : "; ", fallback);
}

int all_cores() {
  return tbb::info::default_concurrency();
}

const FlagTable<CommonOptions>& common_flags() {
  static const auto table =
      FlagTable<CommonOptions>()
          .on({.name = "--json",
               .argument = "",
               .help = "print one JSON document instead of text",
               .common = true},
              &CommonOptions::json)
          .on({.name = "--quiet", .argument = "", .help = "no progress", .common = true},
              &CommonOptions::quiet)
          .flag({.name = "--color",
                 .argument = "WHEN",
                 .help = "colour of words that judge; auto: on a terminal where NO_COLOR is not set",
                 .common = true},
                &CommonOptions::color,
                one_of<Colour>(
                    {{"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}}))
          .flag({.name = "--seed", .argument = "S", .help = "seed of examples and learners", .common = true},
                &CommonOptions::seed, seed_number())
          .flag({.name = "--threads",
                 .argument = "N",
                 .help = "threads to use; results do not depend on it",
                 .fallback = "all cores",
                 .common = true},
                &CommonOptions::threads, integer_in(1, 1024));
  return table;
}

void refuse(const std::string& flag, const std::string& text, const std::string& constraint) {
  throw InputError(fmt::format("{} {}: {} is expected", flag, text, constraint));
}

std::int64_t read_integer(const std::string& flag, const std::string& text, std::int64_t minimum,
                          std::int64_t maximum) {
  const auto value = integer_of(text);
  if (!value || *value < minimum || *value > maximum)
    refuse(flag, text, fmt::format("an integer in {} .. {}", minimum, maximum));
  return *value;
}

std::string integer_range(std::int64_t minimum, std::int64_t maximum) {
  return maximum > 10'000'000'000 ? fmt::format("at least {}", minimum)
                                  : fmt::format("{} .. {}", minimum, maximum);
}

std::string shown_integer(std::int64_t value) {
  int zeros = 0;
  std::int64_t rest = value;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++zeros;
  return rest == 1 && zeros >= 5 ? fmt::format("10^{}", zeros) : fmt::format("{}", value);
}

std::string choices_range(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " | "));
}

Reader<std::uint64_t> seed_number() {
  return {[](const std::string& flag, const std::string& text) {
            return static_cast<std::uint64_t>(read_integer(flag, text, 0, most_seed));
          },
          "0 .. 2^63 - 1", [](const std::uint64_t& value) { return fmt::format("{}", value); }};
}

Reader<std::int64_t> example_count() {
  return integer_in<std::int64_t>(1, 1'000'000'000'000);
}

Reader<double> number_above(double least) {
  return {[least](const std::string& flag, const std::string& text) {
            const auto value = real_of(text);
            if (!value || !(*value > least) || !std::isfinite(*value))
              refuse(flag, text, fmt::format("a number above {}", least));
            return *value;
          },
          fmt::format("above {}", least), shown_number};
}

Reader<double> time_span() {
  return {[](const std::string& flag, const std::string& text) {
            const auto value = seconds_of(text);
            if (!value || !(*value > 0) || !std::isfinite(*value))
              refuse(flag, text, "a time above 0, as 10, 10s, 5min or 2h,");
            return *value;
          },
          "above 0; 10s, 5min, 2h", shown_number};
}

Reader<Rational> exact_number(const std::string& range) {
  return {read_exact, "p/q or decimal, " + range, [](const Rational& value) { return to_string(value); }};
}

Reader<double> fraction() {
  return {[](const std::string& flag, const std::string& text) {
            const auto value = real_of(text);
            if (!value || !(*value > 0 && *value < 1)) refuse(flag, text, "a fraction above 0 and below 1");
            return *value;
          },
          "above 0 and below 1", shown_number};
}

Reader<double> byte_count() {
  const auto read_bytes = [](const std::string& flag, const std::string& text) {
    constexpr std::string_view suffixes = "KMGT";
    const std::size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
    const bool scaled = suffix != std::string_view::npos;
    const auto value = whole_number<double>(std::string_view(text).substr(0, text.size() - (scaled ? 1 : 0)));
    if (!value || !(*value > 0) || !std::isfinite(*value))
      refuse(flag, text, "a number of bytes above 0, with K, M, G or T for powers of 1024,");
    return *value * (scaled ? std::pow(1024.0, static_cast<double>(suffix + 1)) : 1.0);
  };
  return {read_bytes, "bytes, with K, M, G or T for powers of 1024"};
}

Reader<std::string> any_text() {
  return {[](const std::string&, const std::string& text) { return text; }};
}

Reader<std::string> nonempty_text(std::string what) {
  return {[what = std::move(what)](const std::string& flag, const std::string& text) {
            if (text.empty()) refuse(flag, "''", what);
            return text;
          },
          "", [](const std::string& value) { return value; }};
}

Reader<std::string> one_of_names(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& name : names) choices.emplace_back(name, name);
  return one_of(std::move(choices));
}

Flag method_flag(std::string fallback) {
  return {"--method", "NAME[:key=value,..]",
          "learner and its options, see 'hardhead families', or an attack, see 'hardhead lwe estimate'",
          std::move(fallback)};
}

Flag inputs_flag(std::string fallback) {
  return {"--inputs", "NAME",
          "distribution of a layer's examples; import adds the constant feature to a layer with biases",
          std::move(fallback)};
}

const FlagTable<std::optional<report::FigureStyle>>& figure_flags() {
  using Styles = std::optional<report::FigureStyle>;
  using Medium = report::FigureStyle::Medium;
  const auto styled = [](Styles& style) -> report::FigureStyle& {
    if (!style) style.emplace();
    return *style;
  };
  static const FlagTable<Styles> table =
      FlagTable<Styles>()
          .add({.name = "--style",
                .argument = "MEDIUM",
                .help = "of figures; paper: 3.25in wide, letters of 8 points, no title",
                .fallback = "screen",
                .range = "screen | paper"},
               [styled, read = one_of<Medium>({{"screen", Medium::screen}, {"paper", Medium::paper}})](
                   Styles& style, const std::string& text) { styled(style).medium = read("--style", text); })
          .add({.name = "--width",
                .argument = "LENGTH",
                .help = "of figures",
                .range = "1.5in .. 20in; also in cm or mm"},
               [styled](Styles& style, const std::string& text) { styled(style).width = read_inches(text); })
          .add({"--font", "FAMILY", "of figures, as in 'Latin Modern Roman'", "the page's sans-serif"},
               [styled, read = nonempty_text("a family of letters")](Styles& style, const std::string& text) {
                 if (text.find_first_of(",'\"\\\n") != std::string::npos)
                   refuse("--font", text, "a family of letters without commas and quotes");
                 styled(style).font = read("--font", text);
               });
  return table;
}

}  // namespace hardhead::app
