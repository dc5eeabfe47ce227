#include "app/flags.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/parameters.h"
#include "learner/external.h"

namespace hardhead::app {
namespace {

template <class Number>
std::optional<Number> read(std::string_view text) {
  Number value{};
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const char* flag, const std::string& text, const std::string& constraint) {
  throw InputError(fmt::format("{} {}: {} is expected", flag, text, constraint));
}

std::int64_t integer(const char* flag, const std::string& text, std::int64_t minimum, std::int64_t maximum) {
  const auto value = read<std::int64_t>(text);
  if (!value || *value < minimum || *value > maximum)
    refuse(flag, text, fmt::format("an integer in {} .. {}", minimum, maximum));
  return *value;
}

double positive(const char* flag, const std::string& text) {
  const auto value = read<double>(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) refuse(flag, text, "a number above 0");
  return *value;
}

double bytes(const char* flag, const std::string& text) {
  constexpr std::string_view suffixes = "KMGT";
  const std::size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
  const bool scaled = suffix != std::string_view::npos;
  const auto value = read<double>(std::string_view(text).substr(0, text.size() - (scaled ? 1 : 0)));
  if (!value || !(*value > 0) || !std::isfinite(*value))
    refuse(flag, text, "a number of bytes above 0, with K, M, G or T for powers of 1024,");
  return *value * (scaled ? std::pow(1024.0, static_cast<double>(suffix + 1)) : 1.0);
}

/// "1/10" or "0.1", exactly.
Rational exact_number(const char* flag, const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) try {
      return parse_rational(text);
    } catch (const InputError&) {
      refuse(flag, text, "a rational p/q or a decimal");
    }
  const std::string digits = text.substr(0, point) + text.substr(point + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
    refuse(flag, text, "a rational p/q or a decimal");
  // A leading 0 would make it octal.
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return parse_rational(digits.substr(first)) / power(10, static_cast<long>(text.size() - point - 1));
}

/// The value of the choice of that name.
template <class Value>
Value choice(const char* flag, const std::string& text,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) known.emplace_back(name);
  return (choices.begin() + find_name(flag, text, known))->second;
}

constexpr std::int64_t most_examples = 1'000'000'000'000;

const std::vector<Flag> table = {
    {"--json", "", "print one JSON document instead of text", false,
     [](Settings& s, const std::string&) { s.json = true; }},
    {"--quiet", "", "no progress", false, [](Settings& s, const std::string&) { s.quiet = true; }},
    {"--seed", "S", "seed of examples and learners, 0 .. 2^64 - 1 (default 1)", false,
     [](Settings& s, const std::string& text) {
       const auto value = read<std::uint64_t>(text);
       if (!value) refuse("--seed", text, "an integer in 0 .. 18446744073709551615");
       s.seed = *value;
     }},
    {"--threads", "N", "threads to use, 1 .. 1024 (default: all cores); results do not depend on it", false,
     [](Settings& s, const std::string& text) {
       s.threads = static_cast<int>(integer("--threads", text, 1, 1024));
     }},
    {"--method", "NAME[:key=value,..]",
     "learner and its options, see 'hardhead families', or an attack, see 'hardhead lwe estimate' (default: learn, lwe "
     "distinguish: sculpt; compare: sculpt and gauss-newton; lwe attack: auto, all from the cheapest on)",
     true, [](Settings& s, const std::string& text) { s.methods.push_back(learner::parse_method(text)); }},
    {"--phase", "NAME=paper|practical[,..]",
     "route of a phase of sculpt or paper (default: the method's own)", true,
     [](Settings& s, const std::string& text) {
       for (auto& phase : Spec::parse("phase:" + text).values) s.phases.push_back(std::move(phase));
     }},
    {"--heads", "M", "tell the learner the number of heads, 1 .. 4096 (default: it estimates it)", false,
     [](Settings& s, const std::string& text) { s.heads = integer("--heads", text, 1, 4096); }},
    {"--examples", "N", "most examples a learner may use, at least 1 (default: the learner's own)", false,
     [](Settings& s, const std::string& text) {
       s.examples = integer("--examples", text, 1, most_examples);
     }},
    {"--holdout", "F", "fraction of a data file held back for the test, above 0 and below 1 (default 0.1)",
     false,
     [](Settings& s, const std::string& text) {
       const auto value = read<double>(text);
       if (!value || !(*value > 0 && *value < 1)) refuse("--holdout", text, "a fraction above 0 and below 1");
       s.holdout = *value;
     }},
    {"--truth", "FILE", "a layer file to compare with, for data files", false,
     [](Settings& s, const std::string& text) { s.truth = text; }},
    {"--recovery", "E", "test error up to which a layer counts as recovered, above 0 (default 1e-10)", false,
     [](Settings& s, const std::string& text) { s.recovery = positive("--recovery", text); }},
    {"--time-limit", "SECONDS",
     "stop a learner or an attack after this time, above 0 (default: none; lwe attack, report: 600)", false,
     [](Settings& s, const std::string& text) { s.time_limit_seconds = positive("--time-limit", text); }},
    {"--memory-limit", "BYTES", "refuse a run predicted to need more (suffixes K, M, G, T; default: none)",
     false,
     [](Settings& s, const std::string& text) { s.memory_limit_bytes = bytes("--memory-limit", text); }},
    {"--require-recovery", "", "exit with 4 unless the layer is recovered", false,
     [](Settings& s, const std::string&) { s.require_recovery = true; }},
    {"-o,--output", "FILE", "write to FILE (safetensors; lwe, report: see there)", false,
     [](Settings& s, const std::string& text) {
       if (text.empty()) refuse("--output", "''", "a file name");
       s.output = text;
     }},
    {"-n,--count", "N", "how many examples, at least 1", false,
     [](Settings& s, const std::string& text) { s.count = integer("--count", text, 1, most_examples); }},
    {"--anonymous", "", "leave spec, seed and digests out of the file", false,
     [](Settings& s, const std::string&) { s.anonymous = true; }},
    {"--measure", "PHASE.NAME",
     "one more column: median and largest of a phase's measure, as in hull_refined.hull_distance", true,
     [](Settings& s, const std::string& text) {
       if (text.find('.') == std::string::npos) refuse("--measure", text, "PHASE.NAME");
       s.measures.push_back(text);
     }},
    {"--journal", "FILE",
     "write each run done to FILE (JSON lines); runs that are there already are not done again", false,
     [](Settings& s, const std::string& text) {
       if (text.empty()) refuse("--journal", "''", "a file name");
       s.journal = text;
     }},
    {"--seeds", "COUNT", "how many seeds, of each source and run, 1 .. 100000 (default 1)", false,
     [](Settings& s, const std::string& text) { s.seeds = integer("--seeds", text, 1, 100'000); }},
    {"--out", "DIR", "folder for journal and results, made if it is not there", false,
     [](Settings& s, const std::string& text) {
       if (text.empty()) refuse("--out", "''", "a folder");
       s.output = text;
     }},
    {"--jobs", "N", "runs at the same time, each with its share of the threads, 1 .. 256 (default 1)", false,
     [](Settings& s, const std::string& text) {
       s.jobs = static_cast<int>(integer("--jobs", text, 1, 256));
     }},
    {"--quick", "", "smaller sizes and fewer seeds: all in under 15 minutes on 2 cores", false,
     [](Settings& s, const std::string&) { s.quick = true; }},
    {"--trials", "T", "trials, 1 .. 1000000 (default 20)", false,
     [](Settings& s, const std::string& text) { s.trials = integer("--trials", text, 1, 1'000'000); }},
    {"--tokens", "K", "tokens of an input, 1 .. 4096 (default: what the source says)", false,
     [](Settings& s, const std::string& text) { s.tokens = integer("--tokens", text, 1, 4096); }},
    {"--oracle", "KIND", "stat | vstat | one-stat | honest | correlational (default stat)", false,
     [](Settings& s, const std::string& text) {
       using Kind = sq::GameOptions::Oracle;
       s.game.oracle = choice<Kind>("oracle", text,
                                    {{"stat", Kind::stat},
                                     {"vstat", Kind::vstat},
                                     {"one-stat", Kind::one_stat},
                                     {"honest", Kind::honest},
                                     {"correlational", Kind::correlational}});
     }},
    {"--policy", "NAME",
     fmt::format("{} (default adversarial; honest where the oracle is)",
                 fmt::join(sq::answer_policies(), " | ")),
     false,
     [](Settings& s, const std::string& text) {
       find_name("policy", text, sq::answer_policies());
       s.policy = text;
     }},
    {"--learner", "NAME", "correlation | combination (default correlation)", false,
     [](Settings& s, const std::string& text) {
       using Learner = sq::GameOptions::Learner;
       s.game.learner = choice<Learner>(
           "learner", text, {{"correlation", Learner::correlation}, {"combination", Learner::combination}});
     }},
    {"--tolerance", "TAU", "tau, p/q or decimal, above 0 and at most 1 (default 1/10); vstat: t = 1/tau^2",
     false,
     [](Settings& s, const std::string& text) { s.game.tolerance = exact_number("--tolerance", text); }},
    {"--definition", "NAME", "pairwise | average | separation (default pairwise)", false,
     [](Settings& s, const std::string& text) {
       s.definition = choice<std::string>(
           "definition", text,
           {{"pairwise", "pairwise"}, {"average", "average"}, {"separation", "separation"}});
     }},
    {"--gamma", "G", "average correlation, above 0 and at most E[f^2] (default: tau^2)", false,
     [](Settings& s, const std::string& text) { s.gamma = exact_number("--gamma", text); }},
    {"--alpha", "A", "fraction of members a learner has to succeed on, above 0, at most 1 (default 1)", false,
     [](Settings& s, const std::string& text) { s.alpha = exact_number("--alpha", text); }},
    {"--delta", "D", "by which fraction it has to beat the null error, above 0, at most 1 (default 1)", false,
     [](Settings& s, const std::string& text) { s.delta = exact_number("--delta", text); }},
    {"--markdown", "", "as Markdown: docs/commands.md", false,
     [](Settings& s, const std::string&) { s.markdown = true; }},
    {"--constant", "NAME=VALUE", "constant of a condition's threshold, as named in the table (default 1)",
     true, [](Settings& s, const std::string& text) { s.constants.push_back(text); }},
};

}  // namespace

std::span<const Flag> flags() {
  return table;
}

std::vector<std::string> shared_flags() {
  return {"--json", "--quiet", "--seed", "--threads"};
}

std::vector<std::string> learning_flags(std::vector<std::string> more) {
  more.insert(more.begin(), {"--method", "--phase", "--heads", "--examples", "--holdout", "--truth",
                             "--recovery", "--time-limit", "--memory-limit", "--require-recovery"});
  return more;
}

}  // namespace hardhead::app
