#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/paths.h"
#include "base/statistics/binomial_interval.h"
#include "study/atlas/atlas.h"
#include "study/report/json.h"
#include "study/report/page.h"

namespace hardhead::study {
namespace {

const char* access_of(const AtlasCell& cell) {
  return cell.learner.asks_values() ? "queries" : "examples";
}

/// What neighbouring columns of the map have in common.
std::string title_of(const learner::Learner& learner) {
  const std::string asks = learner.asks_values() ? "values at chosen inputs" : "random examples";
  return learner.told() == learner::Told::nothing
             ? "by " + asks
             : fmt::format("by {}, told: {}", asks, name_of(learner.told()));
}

/// "309k", "4.71M".
std::string count_text(double count) {
  for (const auto& [size, letter] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (count >= size) return fmt::format("{:.3g}{}", count / size, letter);
  return fmt::format("{:.0f}", count);
}

std::string degree_text(const AtlasCell& cell) {
  const auto degree = cell.degree();
  return degree ? std::string(name_of(*degree)) : "";
}

std::vector<std::string> story_of(const AtlasCell& cell, const AtlasPlan& plan) {
  std::vector<std::string> out{command_of(cell, plan)};
  if (cell.shot) {
    for (const RungResult& rung : cell.shot->ladder) {
      DegreeCounts choosing, fresh;
      for (const RunResult& run : rung.tuning) choosing.add(run.score.degree);
      for (const RunResult& run : rung.fresh) fresh.add(run.score.degree);
      out.push_back(fmt::format("{}, {:.1f} s: choosing settings: {}{}", rung.method.str(), rung.seconds,
                                choosing.str(), rung.fresh.empty() ? "" : "; fresh layers: " + fresh.str()));
    }
    out.push_back(summary(*cell.shot, plan.shot));
  }
  return out;
}

report::GridCell grid_cell(const AtlasCell& cell, const AtlasPlan& plan) {
  if (!cell.refusal.empty()) return {.degree = "", .text = "not its kind", .behind = {cell.refusal}};
  if (cell.untried()) return {.degree = "", .text = "not tried"};
  const bool reached = cell.reached(plan), some = !reached && cell.degree() >= Degree::learnt;
  const std::string degree = some ? "partly" : degree_text(cell);
  report::GridCell out{.degree = degree,
                       .text = some             ? "some layers"
                               : degree.empty() ? "not known"
                                                : degree};
  if (cell.trials() > 0) out.text += fmt::format(" {} of {}", cell.successes(), cell.trials());
  out.detail = fmt::format("{}{} {}", reached ? "" : "up to ", count_text(cell.cost()), access_of(cell));
  out.behind = story_of(cell, plan);
  return out;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json to_json(const AtlasCell& cell, const AtlasPlan& plan) {
  Json out = {{"instance", cell.source}, {"learner", cell.learner.str()}, {"access", access_of(cell)}};
  out["told"] = name_of(cell.learner.told());
  out["degree"] = text_or_null(degree_text(cell));
  out["successes"] = cell.successes();
  out["trials"] = cell.trials();
  const statistics::Interval interval = statistics::clopper_pearson(cell.successes(), cell.trials());
  out["interval"] = {interval.low, interval.high};
  out["reached"] = cell.reached(plan);
  out["cost"] = cell.cost();
  out["seconds"] = cell.seconds();
  out["tried"] = !cell.untried();
  out["refusal"] = text_or_null(cell.refusal);
  out["command"] = command_of(cell, plan);
  return out;
}

std::string about(const Atlas& atlas) {
  return fmt::format(
      "A cell is a learner's best shot at a family: the cheapest budget with which it learns {} of {} fresh "
      "layers, or the ladder of budgets that failed. Recovered: a relative squared test error of at most "
      "1e-10. Learnt: an advantage over the null predictor of at least 0.99. Partly: the 95% interval of the "
      "advantage lies above 0. Some layers: single runs learnt theirs, but no budget learnt all. Examples or "
      "queries are medians over fresh layers. A cell opens to its command and its ladder. A learner that "
      "failed at {} members of a series is not tried on those that are harder.{}",
      atlas.plan.seeds(), atlas.plan.seeds(), atlas.plan.failures,
      atlas.interrupted ? " This atlas was interrupted: cells are missing." : "");
}

constexpr const char* title = "An atlas of learners and families";

void write_atlas(const Atlas& atlas, const std::string& folder, const std::string& command) {
  const report::Grid grid = atlas_grid(atlas);
  const report::Table table = atlas_table(atlas);
  write_text(folder + "/atlas.json", text_of_json(to_json(atlas), 2) + "\n");
  write_text(folder + "/atlas.csv", report::csv(table));
  write_text(folder + "/atlas.svg", report::grid_svg(grid, title));
  report::Page page{.title = title, .lead = {about(atlas)}};
  page.sections.push_back({.id = "map", .title = "The map", .command = command, .grid = grid});
  page.sections.push_back({.id = "cells", .title = "All cells", .table = table, .table_file = "atlas.csv"});
  write_text(folder + "/atlas.html", html(page, folder));
}

}  // namespace

report::Grid atlas_grid(const Atlas& atlas) {
  report::Grid out;
  for (const learner::Learner& learner : atlas.plan.shot.plan.learners) {
    out.columns.push_back(learner.str());
    if (std::string title = title_of(learner); out.groups.empty() || out.groups.back().first != title)
      out.groups.emplace_back(std::move(title), 0);
    ++out.groups.back().second;
  }
  for (const AtlasCell& cell : atlas.cells) {
    if (out.rows.empty() || out.rows.back() != cell.source) {
      out.rows.push_back(cell.source);
      out.cells.emplace_back();
    }
    out.cells.back().push_back(grid_cell(cell, atlas.plan));
  }
  if (!out.cells.empty()) out.cells.back().resize(out.columns.size());
  return out;
}

report::Table atlas_table(const Atlas& atlas) {
  report::Table out{.columns = {"instance", "learner", "access", "told", "degree", "successes", "trials",
                                "low", "high", "cost", "seconds", "command"}};
  for (const AtlasCell& cell : atlas.cells) {
    if (cell.untried() || !cell.refusal.empty()) continue;
    const statistics::Interval interval = statistics::clopper_pearson(cell.successes(), cell.trials());
    out.add({cell.source, cell.learner.str(), access_of(cell), std::string(name_of(cell.learner.told())),
             degree_text(cell), fmt::format("{}", cell.successes()), fmt::format("{}", cell.trials()),
             fmt::format("{:.2f}", interval.low), fmt::format("{:.2f}", interval.high),
             fmt::format("{:.0f}", cell.cost()), fmt::format("{:.3g}", cell.seconds()),
             command_of(cell, atlas.plan)});
  }
  return out;
}

Json to_json(const Atlas& atlas) {
  Json out = report::report_json("atlas");
  out["seeds"] = atlas.plan.seeds();
  out["interrupted"] = atlas.interrupted;
  out["cells"] = Json::array();
  for (const AtlasCell& cell : atlas.cells) out["cells"].push_back(to_json(cell, atlas.plan));
  return out;
}

Atlas draw_into(const std::string& folder, AtlasPlan plan, const std::string& command,
                const RunContext& context) {
  make_output_folder(folder);
  const FolderLock lock(folder);
  plan.shot.plan.execution.journal = folder + "/journal.jsonl";
  Atlas atlas = draw_atlas(plan, context);
  write_atlas(atlas, folder, command);
  return atlas;
}

}  // namespace hardhead::study
