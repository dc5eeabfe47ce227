#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/flag_table.h"
#include "app/terminal/terminal.h"
#include "base/numeric/rational.h"
#include "base/text/enum_names.h"
#include "base/text/parameters.h"
#include "study/figure/figure.h"

/// How the values of flags are read, and the flags that several commands have.
namespace hardhead::app {

/// As many threads as this process has cores.
int all_cores();

/// What every command can be told.
struct CommonOptions {
  bool json = false;                 ///< the answer as one JSON document
  bool quiet = false;                ///< no progress
  Colour color = Colour::automatic;  ///< of words in the text
  std::uint64_t seed = 1;            ///< of examples and learners
  int threads = all_cores();         ///< that may work at the same time
};
/// --json, --quiet, --color, --seed, --threads.
const FlagTable<CommonOptions>& common_flags();

/// Throws InputError "FLAG TEXT: CONSTRAINT is expected".
[[noreturn]] void refuse(const std::string& flag, const std::string& text, const std::string& constraint);

/// The integer that the text is. Throws InputError where it is none, or is outside of [minimum, maximum].
std::int64_t read_integer(const std::string& flag, const std::string& text, std::int64_t minimum,
                          std::int64_t maximum);

/// "1 .. 4096"; "at least 1" where the maximum is above 10^10.
std::string integer_range(std::int64_t minimum, std::int64_t maximum);
/// "600"; "10^8" for such powers.
std::string shown_integer(std::int64_t value);
/// "a | b".
std::string choices_range(const std::vector<std::string>& names);

/// An integer in [minimum, maximum].
template <std::integral Integer>
Reader<Integer> integer_in(Integer minimum, Integer maximum) {
  return {[minimum, maximum](const std::string& flag, const std::string& text) {
            return static_cast<Integer>(read_integer(flag, text, minimum, maximum));
          },
          integer_range(minimum, maximum), [](const Integer& value) { return shown_integer(value); }};
}
/// An integer in 0 .. most_seed (base/text/seed.h).
Reader<std::uint64_t> seed_number();
/// A number of examples, at least 1.
Reader<std::int64_t> example_count();
/// A finite number above 0.
Reader<double> positive_number();
/// A finite number above `least`.
Reader<double> number_above(double least);
/// Seconds above 0, with a unit or without (base/text/number.h).
Reader<double> time_span();
/// "1/10" or "0.1", exactly. `range` is for the help: what else is checked where the number is used.
Reader<Rational> exact_number(const std::string& range);
/// A number above 0 and below 1.
Reader<double> fraction();
/// A number of bytes above 0; K, M, G and T stand for powers of 1024.
Reader<double> byte_count();
/// Any text.
Reader<std::string> any_text();
/// Any text but the empty one, which is refused because `what` ("a file name") is expected.
Reader<std::string> nonempty_text(std::string what);

/// The value of the choice of that name. Messages call the choice by the flag's name without its dashes.
template <class Value>
Reader<Value> one_of(std::vector<std::pair<std::string, Value>> choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.push_back(name);
  const std::string range = choices_range(names);
  return {[choices, names = std::move(names)](const std::string& flag, const std::string& text) {
            return choices[find_name(flag.substr(2), text, names)].second;
          },
          range,
          [choices](const Value& value) {
            for (const auto& [name, one] : choices)
              if (one == value) return name;
            return std::string();
          }};
}
/// One of the names of an enumeration.
template <class Enum>
Reader<Enum> one_of_enum() {
  std::vector<std::pair<std::string, Enum>> choices;
  for (const auto& entry : names_and_values<Enum>()) choices.emplace_back(entry.name, entry.value);
  return one_of<Enum>(std::move(choices));
}
/// One of these names.
Reader<std::string> one_of_names(std::vector<std::string> names);

/// What is said of the flags that several commands have.
/// --method, with the default in words
Flag method_flag(std::string fallback);
/// --heads
Flag heads_flag();
/// --tokens
Flag tokens_flag();
/// --inputs, with the default in words where the options struct has none
Flag inputs_flag(std::string fallback = "");
/// --examples
Flag examples_flag();
/// --time-limit
Flag time_limit_flag();
/// -o,--output
Flag output_flag();
/// --seeds
Flag seeds_flag();
/// --journal
Flag journal_flag();
/// --retry-failed
Flag retry_failed_flag();
/// --wide
Flag wide_flag();
/// --jobs
Flag jobs_flag();
/// --out
Flag folder_flag();

/// How figures are drawn: --style, --width, --font. The struct stays empty where none is given.
const FlagTable<std::optional<report::FigureStyle>>& figure_flags();

/// Tokens and heads, at most.
inline constexpr std::int64_t most_heads = 4096;
/// Seeds, at most.
inline constexpr std::int64_t most_seeds = 100'000;
/// Runs at the same time, at most.
inline constexpr int most_jobs = 256;

}  // namespace hardhead::app
