#include "study/sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/number.h"
#include "base/text/parameters.h"
#include "base/text/seed.h"
#include "study/problem/suite.h"
#include "study/sweep/compare.h"
#include "study/sweep/toml.h"

namespace hardhead::study {
namespace {

/// Of keys like a.a.a toml++ makes tables within each other, which it walks and frees by recursion: refuses
/// more dots than the stack has room for. All but those in lines of comment count, be it in strings: where
/// these end is toml++'s to say.
void check_dots(std::string_view text) {
  constexpr int most = 4096;
  int dots = 0;
  for (std::size_t at = 0, line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view here = text.substr(at, end - at);
    const std::size_t first = here.find_first_not_of(" \t");
    if (first != std::string_view::npos && here[first] != '#')
      dots += static_cast<int>(std::ranges::count(here, '.'));
    if (dots > most) throw InputError(fmt::format("line {}: more than {} dots", line, most));
    at = end + 1;
  }
}

toml::table parse(const std::string& path) {
  const std::string text = read_file(path);
  try {
    check_dots(text);
    return toml::parse(text, path);
  } catch (const InputError& error) {
    throw InputError(fmt::format("sweep '{}', {}", path, error.what()));
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("sweep '{}', line {}: {}", path, error.source().begin.line,
                                 std::string(error.description())));
  }
}

/// A refusal that names its place in the file.
class PlacedError : public InputError {
 public:
  PlacedError(const std::string& path, const toml::node& at, const std::string& what)
      : InputError(fmt::format("sweep '{}', line {}: {}", path, at.source().begin.line, what)) {}
};

/// The integer that a value is: 50000, 5e4, "50k".
std::optional<std::int64_t> integer_in(const toml::node& node) {
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_string()) return integer_of(value->get());
  const auto* value = node.as_floating_point();
  return value != nullptr ? integer_of(fmt::format("{}", value->get())) : std::nullopt;
}

/// A table of the file, and where it is.
class Table {
 public:
  Table(const std::string& path, const toml::table& table) : path_(path), table_(table) {}

  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw PlacedError(path_, at, what);
  }

  /// body(), whose InputErrors do not say where they stand: at this node.
  template <class Body>
  auto placed(const toml::node& at, const Body& body) const {
    try {
      return body();
    } catch (const PlacedError&) {
      throw;
    } catch (const InputError& error) {
      fail(at, error.what());
    }
  }

  void allow_only(const std::vector<std::string>& keys) const {
    for (const auto& [key, value] : table_) {
      const std::string name(key.str());
      if (std::ranges::find(keys, name) == keys.end())
        fail(value, fmt::format("unknown key '{}'{} (known: {})", name, did_you_mean(name, keys),
                                fmt::join(keys, ", ")));
    }
  }

  const toml::node* find(const std::string& key) const { return table_.get(key); }

  /// A string or a number, as it is written in a spec.
  std::string text(const std::string& key, const toml::node& node) const {
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
    if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
    fail(node, fmt::format("'{}' is a string, a number or a list of those", key));
  }

  /// One text, or the texts of a list: an axis.
  std::vector<std::string> axis(const std::string& key, std::vector<std::string> fallback) const {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const toml::array* list = node->as_array();
    if (list == nullptr) return {text(key, *node)};
    std::vector<std::string> out;
    for (const toml::node& item : *list) out.push_back(text(key, item));
    if (out.empty()) fail(*node, fmt::format("'{}' is an empty list: the grid has no point", key));
    return out;
  }

  /// An axis of values of the parameter `key`, each of which goes into a spec: none may bring a parameter of
  /// its own.
  std::vector<std::string> values(const std::string& key) const {
    const toml::node& node = *find(key);
    if (!std::ranges::all_of(key,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; }))
      fail(node,
           fmt::format("'{}' cannot be the name of a parameter: letters, digits, '_' and '-' are expected",
                       key));
    std::vector<std::string> out = axis(key, {});
    for (const std::string& value : out)
      if (value.empty() || value.find_first_of(",=") != std::string::npos)
        fail(node, fmt::format("{} = '{}': one value is expected, which has no ',' and no '='", key, value));
    return out;
  }

  std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                       std::int64_t most) const {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const std::optional<std::int64_t> value = integer_in(*node);
    if (!value || *value < least || *value > most)
      fail(*node, fmt::format("'{}' is an integer in {} .. {}", key, least, most));
    return *value;
  }

  /// `read` takes a string: real_of or seconds_of.
  std::optional<double> positive(const std::string& key,
                                 std::optional<double> (*read)(std::string_view) = real_of) const {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto* text = node->as_string();
    const std::optional<double> value = text != nullptr     ? read(text->get())
                                        : node->is_number() ? node->value<double>()
                                                            : std::nullopt;
    if (!value || !(*value > 0) || !std::isfinite(*value))
      fail(*node, fmt::format("'{}' is a {} above 0", key, read == seconds_of ? "time" : "number"));
    return value;
  }

  const std::string& path() const { return path_; }
  const toml::table& toml() const { return table_; }

 private:
  const std::string& path_;
  const toml::table& table_;
};

const std::vector<std::string> run_keys = {"seeds",        "first_seed", "recovery",  "time_limit",
                                           "memory_limit", "holdout",    "tolerance", "budget"};
const std::vector<std::string> axis_keys = {"source", "parameters", "method", "options", "heads", "examples"};

/// Learners that the file may name besides the library's.
using Own = std::span<const learner::Learner>;

/// What holds for all runs of a grid: all but its sources and its learners.
void read_common(const Table& table, Plan& common) {
  common.seeds = table.integer("seeds", common.seeds, 1, most_runs);
  common.seed = static_cast<std::uint64_t>(
      table.integer("first_seed", static_cast<std::int64_t>(common.seed), 0, most_seed));
  if (const auto value = table.positive("recovery")) common.run.recovery = *value;
  if (const auto value = table.positive("time_limit", seconds_of))
    common.run.task.time_limit_seconds = *value;
  if (const auto value = table.positive("memory_limit")) common.run.task.memory_limit_bytes = value;
  if (const auto value = table.positive("tolerance")) common.run.values.tolerance.tau = *value;
  if (table.find("budget") != nullptr)
    common.run.values.budget = table.integer("budget", 1, 1, std::numeric_limits<std::int64_t>::max());
  if (const auto value = table.positive("holdout")) {
    if (*value >= 1) table.fail(*table.find("holdout"), "'holdout' is a fraction above 0 and below 1");
    common.holdout = *value;
  }
}

/// Specs of sources or of methods: the key that names them, the table of axes that adds parameters to each,
/// and what throws InputError for one that is none.
struct Specs {
  std::string names, axes;
  std::function<void(const std::string& text)> check;
};
const Specs source_specs{"source", "parameters", [](const std::string& text) { series_of(text); }};

Specs method_specs(Own own) {
  return {"method", "options", [own](const std::string& text) { learner::Learner::parse(text, own); }};
}

/// `names`, each with every choice of one value of each axis. What is no spec is refused where it stands: at
/// the name, or at the first axis with which it is none.
std::vector<std::string> with_axes(const Table& grid, const Specs& specs,
                                   const std::vector<std::string>& names) {
  const std::string& key = specs.axes;
  if (const toml::node* named = grid.find(specs.names))
    for (const std::string& name : names) grid.placed(*named, [&] { specs.check(name); });
  const toml::node* node = grid.find(key);
  if (node == nullptr) return names;
  if (node->as_table() == nullptr)
    grid.fail(*node, fmt::format("'{}' is a table: {{ d = [16, 32], .. }}", key));
  const Table axes(grid.path(), *node->as_table());
  auto points = static_cast<double>(names.size());
  for (const auto& [name, unused] : axes.toml())
    points *= static_cast<double>(axes.values(std::string(name.str())).size());
  if (points > static_cast<double>(most_runs))
    grid.fail(*node, fmt::format("the grid has more than {} points", most_runs));
  std::vector<std::string> out = names;
  for (const auto& [name, unused] : axes.toml()) {
    const std::string axis(name.str());
    const std::vector<std::string> values = axes.values(axis);
    std::vector<std::string> longer;
    for (const std::string& text : out)
      for (const std::string& value : values) {
        longer.push_back(
            fmt::format("{}{}{}={}", text, text.find(':') == std::string::npos ? ":" : ",", axis, value));
        axes.placed(*axes.find(axis), [&] { specs.check(longer.back()); });
      }
    out = std::move(longer);
  }
  return out;
}

std::optional<attention::Index> told_heads(const Table& grid, const std::string& text, const Source& source) {
  if (text == "estimated") return std::nullopt;
  if (text == "told") {
    std::optional<attention::Index> m;
    try {
      m = source.shape().m;
    } catch (const InputError&) {  // a bad point, whose run says why
      return std::nullopt;
    }
    if (!m)
      grid.fail(*grid.find("heads"),
                fmt::format("heads = \"told\": '{}' does not say how many", source.name()));
    return m;
  }
  const auto value = integer_of(text);
  if (!value || *value < 1 || *value > 4096)
    grid.fail(*grid.find("heads"),
              fmt::format(R"(heads '{}' is "told", "estimated" or an integer in 1 .. 4096)", text));
  return *value;
}

std::optional<std::int64_t> examples_allowed(const Table& grid, const std::string& text) {
  const auto value = integer_of(text);
  if (!value || *value < 0 || *value > 1'000'000'000'000)
    grid.fail(*grid.find("examples"), fmt::format("examples '{}' is an integer in 0 .. 1e12", text));
  return *value == 0 ? std::nullopt : value;
}

std::vector<SourceSeries> sources_of(const Table& grid) {
  const auto named = grid.axis("source", {});
  if (grid.find("parameters") != nullptr)
    for (const std::string& source : named)
      if (names_a_suite(source))
        grid.fail(*grid.find("parameters"),
                  fmt::format("the instances of '{}' are taken as they are", source));
  std::vector<SourceSeries> out;
  for (const std::string& source : with_axes(grid, source_specs, named))
    for (SourceSeries& series : series_of(source)) out.push_back(std::move(series));
  return out;
}

/// The axes of a grid, the first of which runs slowest.
struct Axes {
  std::vector<SourceSeries> sources;
  std::vector<std::string> heads, examples;
  std::vector<learner::Learner> methods;
};

Axes axes_of(const Table& grid, const Plan& common, Own own, std::size_t runs_before) {
  Axes out{sources_of(grid), grid.axis("heads", {"estimated"}), grid.axis("examples", {"0"}), {}};
  const std::vector<std::string> named = grid.axis("method", {"sculpt"});
  if (const toml::node* options = grid.find("options"))
    for (const std::string& method : named)
      if (method.starts_with("exec:"))
        grid.fail(*options, fmt::format("'{}' takes its options in its command", method));
  const auto methods = with_axes(grid, method_specs(own), named);
  const double runs = static_cast<double>(out.sources.size() * methods.size()) *
                      static_cast<double>(out.heads.size() * out.examples.size()) *
                      static_cast<double>(common.seeds);
  if (static_cast<double>(runs_before) + runs > static_cast<double>(most_runs))
    grid.fail(grid.toml(), fmt::format("the grid has {:.0f} runs; a sweep has at most {}", runs, most_runs));
  for (const std::string& method : methods) out.methods.push_back(learner::Learner::parse(method, own));
  return out;
}

/// Throws InputError for a file that is none, and for a spec with a word or a number that no instance has.
/// Whether its parameters fit together shows when it is made: a grid may well have points where they do not.
void check_source(const Source& source) {
  if (names_a_file(source.name()))
    source.resolve();
  else
    source.canonical_name();
}

/// Throws InputError for what a table tells to none of the learners it is for.
void check_told(const Table& table, const std::vector<learner::Learner>& learners) {
  const bool some_ask = std::ranges::any_of(learners, &learner::Learner::asks_values),
             some_read = !std::ranges::all_of(learners, &learner::Learner::asks_values);
  for (const auto& [key, is_told, kind] : {std::tuple{"tolerance", some_ask, "values"},
                                           {"budget", some_ask, "values"},
                                           {"examples", some_read, "examples"}})
    if (const toml::node* node = table.find(key); node != nullptr && !is_told)
      table.fail(*node, fmt::format("'{}' is told to learners by {}, and there is none", key, kind));
}

void add_grid(const Table& grid, Plan common, Own own, std::vector<RunRequest>& plan) {
  std::vector<std::string> known = run_keys;
  known.insert(known.end(), axis_keys.begin(), axis_keys.end());
  grid.allow_only(known);
  read_common(grid, common);
  if (grid.find("source") == nullptr) grid.fail(grid.toml(), "the grid names no source");
  try {
    const Axes axes = axes_of(grid, common, own, plan.size());
    check_told(grid, axes.methods);
    for (const SourceSeries& series : axes.sources)
      for (std::int64_t i = 0; i < common.seeds; ++i) {
        const Source source = series.member(i, common.seed);
        if (i == 0) grid.placed(*grid.find("source"), [&] { check_source(source); });
        for (const std::string& told : axes.heads) {
          common.run.task.heads = told_heads(grid, told, source);
          for (const std::string& budget : axes.examples) {
            common.run.task.examples = examples_allowed(grid, budget);
            for (const learner::Learner& method : axes.methods)
              plan.push_back(common.request(source, method, i));
          }
        }
      }
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& error) {  // of a source or a method, which do not know where they stand
    grid.fail(grid.toml(), error.what());
  }
}

}  // namespace

std::vector<RunRequest> read_sweep(const std::string& path, std::span<const learner::Learner> own) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InputError(fmt::format("sweep '{}': there is no such file", path));
  const toml::table file = parse(path);
  const Table top(path, file);
  std::vector<std::string> known = run_keys;
  known.emplace_back("grid");
  top.allow_only(known);
  Plan common;
  common.run.task.time_limit_seconds = usual_time_limit;
  read_common(top, common);
  const toml::node* grids = top.find("grid");
  if (grids == nullptr || grids->as_array() == nullptr || grids->as_array()->empty())
    throw InputError(fmt::format("sweep '{}': there is no [[grid]]", path));
  std::vector<RunRequest> plan;
  for (const toml::node& grid : *grids->as_array()) {
    if (grid.as_table() == nullptr) top.fail(grid, "a grid is a table: [[grid]]");
    add_grid(Table(path, *grid.as_table()), common, own, plan);
  }
  std::vector<learner::Learner> learners;
  for (const RunRequest& request : plan) learners.push_back(request.run.method);
  check_told(top, learners);
  return plan;
}

}  // namespace hardhead::study
