#pragma once
#include <concepts>
#include <cstdint>
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
Reader<std::string> one_of_names(const std::vector<std::string>& names);

/// What is said of the flags that several commands have.
/// --method, with the default in words
Flag method_flag(std::string fallback);
/// --heads
inline const Flag heads_flag = {"--heads", "M", "tell the learner the number of heads", "it estimates it"};
/// --tokens
inline const Flag tokens_flag = {"--tokens", "K", "tokens of an input", "what the source says"};
/// --inputs, with the default in words where the options struct has none
Flag inputs_flag(std::string fallback = "");
/// --examples
inline const Flag examples_flag = {"--examples", "N", "most examples that a learner may use",
                                   "the learner's own"};
/// --time-limit
inline const Flag time_limit_flag = {
    "--time-limit", "SECONDS",
    "stop a learner or an attack after this time; making the layer, its null predictor and the score come "
    "on top"};
/// -o,--output
inline const Flag output_flag = {"-o,--output", "FILE",
                                 "write to FILE (safetensors; lwe, report: see there)"};
/// --seeds
inline const Flag seeds_flag = {"--seeds", "COUNT", "how many seeds, of each source and run"};
/// --journal
inline const Flag journal_flag = {
    "--journal", "FILE",
    "write each run done to FILE (JSON lines); runs that are there already are not done again"};
/// --retry-failed
inline const Flag retry_failed_flag = {
    "--retry-failed", "",
    "do runs again that are in the journal and failed, were refused or ran out of time"};
/// --wide
inline const Flag wide_flag = {
    "--wide", "", "all columns: intervals of the shares, heads found, null error, failed phases"};
/// --jobs
inline const Flag jobs_flag = {"--jobs", "N", "runs at the same time, each with its share of the threads"};
/// --out
inline const Flag folder_flag = {"--out", "DIR", "folder for journal and results, made if it is not there"};

/// How figures are drawn: --style, --width, --font. The struct stays empty where none is given.
const FlagTable<std::optional<report::FigureStyle>>& figure_flags();

/// Tokens and heads, at most.
inline constexpr std::int64_t most_heads = 4096;
/// Seeds, at most.
inline constexpr std::int64_t most_seeds = 100'000;
/// Runs at the same time, at most.
inline constexpr int most_jobs = 256;

}  // namespace hardhead::app
