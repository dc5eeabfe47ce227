#include "hardness/families/family.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/terminal/terminal.h"
#include "base/error.h"
#include "base/text/record_json.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "study/cost/hard_presets.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct FamiliesOptions {
  CommonOptions common;
  std::string name;  ///< of what is listed alone; empty for all
};

/// Those of the registry that are listed: all, or the one of that name.
template <class Entry>
std::vector<Entry> listed(std::span<const Entry> registry, const std::string& name) {
  std::vector<Entry> out;
  for (const Entry& entry : registry)
    if (name.empty() || entry.name == name) out.push_back(entry);
  return out;
}

/// What the command lists.
struct Listing {
  std::vector<hardness::Family> families;
  std::vector<study::HardPreset> presets;
  std::vector<learner::Method> methods;

  explicit Listing(const std::string& name)
      : families(listed(hardness::families(), name)),
        presets(listed(std::span<const study::HardPreset>(study::hard_presets()), name)),
        methods(listed(learner::methods(), name)) {}

  bool empty() const { return families.empty() && presets.empty() && methods.empty(); }
  /// Throws InputError with the nearest of all names.
  static void check_name(const std::string& name) {
    std::vector<std::string> known;
    const Listing all("");
    for (const auto& family : all.families) known.push_back(family.name);
    for (const auto& preset : all.presets) known.push_back(preset.name);
    for (const auto& method : all.methods) known.push_back(method.name);
    find_name("family or learner", name, known);
  }
};

std::string parameter_table(std::span<const Parameter> parameters) {
  if (parameters.empty()) return "";
  constexpr std::size_t widest_range = 60;
  Rows rows = {{"  key", "default", "range", "meaning"}};
  std::string long_ranges;
  for (const Parameter& p : parameters) {
    const bool fits = p.range().size() <= widest_range;
    rows.push_back(
        {"  " + p.name, p.fallback.empty() ? "-" : p.fallback, fits ? p.range() : "see below", p.meaning});
    if (!fits) long_ranges += wrapped(fmt::format("{}: {}", p.name, p.range()), 100, 2);
  }
  return table(rows) + long_ranges;
}

/// Learners of one kind of access with their options, under a title; empty if there is none.
std::string learner_table(const std::vector<learner::Method>& methods, bool values,
                          const std::string& title) {
  std::string out;
  for (const learner::Method& learner : methods) {
    if (asks_values(learner.access) != values) continue;
    if (out.empty()) out = title;
    out += wrapped(fmt::format("{}: {}", learner.name, learner.summary));
    out += wrapped("guarantee: " + learner.guarantee, 100, 2) + parameter_table(learner.parameters) + "\n";
  }
  return out;
}

/// The spec of a preset, or why it has none.
std::string stands_for(const study::HardPreset& preset) {
  try {
    return study::source_spec(preset.name).str();
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string title(const std::string& line) {
  return broken(line, columns()) + "\n\n";
}

std::string text(const Listing& list) {
  std::string out;
  if (!list.families.empty()) out += "INSTANCES   name:key=value,..   (as in nice:d=16,k=3,m=2,seed=7)\n\n";
  for (const hardness::Family& family : list.families) {
    out += wrapped(fmt::format("{}: {}", family.name, family.summary));
    out +=
        wrapped("hidden: " + family.hidden, 100, 2) + wrapped("assumptions: " + family.assumptions, 100, 2);
    out += parameter_table(family.parameters);
    for (const auto& [spec, meaning] : family.presets)
      out += wrapped(fmt::format("preset {}: {}", spec, meaning), 100, 2);
    out += "\n";
  }
  if (!list.presets.empty())
    out += title("INSTANCES BY COST   names of specs, found from measured costs (hardhead hardness)");
  for (const study::HardPreset& preset : list.presets)
    out += wrapped(fmt::format("{}: {}", preset.name, preset.meaning)) + wrapped(stands_for(preset), 100, 2);
  if (!list.presets.empty()) out += "\n";
  out += learner_table(list.methods, false, "LEARNERS BY EXAMPLES   --method name:key=value,..\n\n");
  return out + learner_table(list.methods, true, "LEARNERS BY VALUES   --method name:key=value,..\n\n");
}

/// A line for each: what there is on a page.
std::string page(const Listing& list) {
  using Lines = std::vector<std::pair<std::string, std::string>>;
  Lines families, presets, by_examples, by_values;
  for (const hardness::Family& family : list.families) families.emplace_back(family.name, family.summary);
  for (const study::HardPreset& preset : list.presets) presets.emplace_back(preset.name, preset.meaning);
  for (const learner::Method& method : list.methods)
    (asks_values(method.access) ? by_values : by_examples).emplace_back(method.name, method.summary);
  std::string out;
  for (const auto& [head, lines] :
       {std::pair{"INSTANCES   name:key=value,..   (as in nice:d=16,k=3,m=2,seed=7)", families},
        {"INSTANCES BY COST   names of specs, found from measured costs (hardhead hardness)", presets},
        {"LEARNERS BY EXAMPLES   --method name:key=value,..", by_examples},
        {"LEARNERS BY VALUES   --method name:key=value,..", by_values}})
    out += broken(head, columns()) + "\n" + described(lines) + "\n";
  return out +
         wrapped(
             "'hardhead families NAME' says what one hides or guarantees, with its keys and their ranges.");
}

Json json(const Listing& list) {
  Json out = report::report_json("families", {{"families", json_value(list.families)}});
  out["presets_by_cost"] = Json::array();
  for (const study::HardPreset& preset : list.presets)
    out["presets_by_cost"].push_back({{"name", preset.name},
                                      {"seconds", preset.seconds},
                                      {"meaning", preset.meaning},
                                      {"spec", stands_for(preset)}});
  out["methods"] = json_value(list.methods);
  return out;
}

Answer run(const FamiliesOptions& options, const RunContext&) {
  const Listing list(options.name);
  if (list.empty()) Listing::check_name(options.name);
  return {options.common.json ? text_of(json(list)) : options.name.empty() ? page(list) : text(list)};
}

}  // namespace

Command families_command() {
  return make_command(
      {.name = "families",
       .summary = "instance families and learners, a line each; of one NAME its parameters",
       .examples = {"hardhead families", "hardhead families parity"}},
      FlagTable<FamiliesOptions>().positional(
          {.name = "NAME", .help = "one of them, with all that is said of it", .required = false},
          &FamiliesOptions::name),
      run);
}

}  // namespace hardhead::app
