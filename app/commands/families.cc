#include "hardness/families/family.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/error.h"
#include "learner/learner.h"
#include "queries/learner.h"
#include "report/json.h"
#include "study/cost/hard_presets.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

using Json = nlohmann::ordered_json;

struct FamiliesOptions {
  CommonOptions common;
};

std::string parameter_table(std::span<const Parameter> parameters) {
  if (parameters.empty()) return "";
  constexpr std::size_t widest_range = 60;
  std::vector<std::vector<std::string>> rows = {{"  key", "default", "range", "meaning"}};
  std::string long_ranges;
  for (const Parameter& p : parameters) {
    const bool fits = p.range().size() <= widest_range;
    rows.push_back(
        {"  " + p.name, p.fallback.empty() ? "-" : p.fallback, fits ? p.range() : "see below", p.meaning});
    if (!fits) long_ranges += wrapped(fmt::format("{}: {}", p.name, p.range()), 100, 2);
  }
  return table(rows) + long_ranges;
}

/// Learners of one kind of access, with their options.
template <class Learner>
std::string learner_table(std::span<const Learner> learners) {
  std::string out;
  for (const Learner& learner : learners) {
    out += fmt::format("{}: {}\n", learner.name, learner.summary);
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

std::string text() {
  std::string out = "INSTANCES   name:key=value,..   (as in nice:d=16,k=3,m=2,seed=7)\n\n";
  for (const hardness::Family& family : hardness::families()) {
    out += fmt::format("{}: {}\n", family.name, family.summary);
    out +=
        wrapped("hidden: " + family.hidden, 100, 2) + wrapped("assumptions: " + family.assumptions, 100, 2);
    out += parameter_table(family.parameters);
    for (const auto& [spec, meaning] : family.presets) out += fmt::format("  preset {}: {}\n", spec, meaning);
    out += "\n";
  }
  out += "INSTANCES BY COST   names of specs, found from measured costs (hardhead hardness)\n\n";
  for (const study::HardPreset& preset : study::hard_presets())
    out += fmt::format("{}: {}\n  {}\n", preset.name, preset.meaning, stands_for(preset));
  out += "\nLEARNERS BY EXAMPLES   --method name:key=value,..\n\n" + learner_table(learner::methods());
  out += "LEARNERS BY VALUE QUERIES   query --learner name:key=value,.. or compare --method ..\n\n";
  return out + learner_table(queries::query_learners());
}

Json parameters_json(std::span<const Parameter> parameters) {
  Json out = Json::array();
  for (const Parameter& p : parameters) {
    const char* kind = p.kind == Parameter::Kind::integer ? "integer"
                       : p.kind == Parameter::Kind::real  ? "real"
                                                          : "choice";
    out.push_back({{"name", p.name},
                   {"kind", kind},
                   {"default", p.fallback},
                   {"range", p.range()},
                   {"meaning", p.meaning}});
  }
  return out;
}

template <class Learner>
Json learners_json(std::span<const Learner> learners) {
  Json out = Json::array();
  for (const Learner& learner : learners)
    out.push_back({{"name", learner.name},
                   {"summary", learner.summary},
                   {"guarantee", learner.guarantee},
                   {"options", parameters_json(learner.parameters)}});
  return out;
}

Json json() {
  Json out = report::report_json({{"families", Json::array()}});
  for (const hardness::Family& family : hardness::families()) {
    Json presets = Json::array();
    for (const auto& [spec, meaning] : family.presets)
      presets.push_back({{"spec", spec}, {"meaning", meaning}});
    out["families"].push_back({{"name", family.name},
                               {"summary", family.summary},
                               {"hidden", family.hidden},
                               {"assumptions", family.assumptions},
                               {"parameters", parameters_json(family.parameters)},
                               {"presets", std::move(presets)}});
  }
  out["presets_by_cost"] = Json::array();
  for (const study::HardPreset& preset : study::hard_presets())
    out["presets_by_cost"].push_back({{"name", preset.name},
                                      {"seconds", preset.seconds},
                                      {"meaning", preset.meaning},
                                      {"spec", stands_for(preset)}});
  out["methods"] = learners_json(learner::methods());
  out["query_learners"] = learners_json(queries::query_learners());
  return out;
}

Answer run(const FamiliesOptions& options, const RunContext&) {
  return {ExitCode::answered, options.common.json ? text_of(json()) : text()};
}

}  // namespace

Command families_command() {
  return make_command({.name = "families",
                       .summary = "list instance families and learners, with their parameters",
                       .examples = {"hardhead families"}},
                      FlagTable<FamiliesOptions>(), run);
}

}  // namespace hardhead::app
