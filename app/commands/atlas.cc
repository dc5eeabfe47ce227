#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/terminal/terminal.h"
#include "base/files/folder_lock.h"
#include "base/files/output_folder.h"
#include "study/atlas/atlas_page.h"

namespace hardhead::app {
namespace {

struct AtlasOptions {
  CommonOptions common;
  bool quick = false;
  int jobs = 1;
  std::string folder;
};

std::string text_of_grid(const report::Grid& grid) {
  std::vector<std::vector<std::string>> rows{{"instance"}};
  rows.front().insert(rows.front().end(), grid.columns.begin(), grid.columns.end());
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{grid.rows[r]});
    for (const report::GridCell& cell : grid.cells[r])
      row.push_back(cell.text + (cell.detail.empty() ? "" : ", " + cell.detail));
  }
  return table(rows);
}

Answer run(const AtlasOptions& options, const RunContext& context) {
  make_output_folder(options.folder);
  const FolderLock lock(options.folder);
  study::AtlasPlan plan = study::atlas_plan(options.quick);
  plan.shot.plan.seed = options.common.seed;
  plan.shot.plan.execution = {.journal = options.folder + "/journal.jsonl", .jobs = options.jobs};
  const study::Atlas atlas = draw_atlas(plan, context);
  write_atlas(atlas, options.folder,
              fmt::format("hardhead atlas{} --seed {} --out {}", options.quick ? " --quick" : "",
                          options.common.seed, typed(options.folder)));
  Answer answer;
  answer.text = options.common.json ? text_of(study::to_json(atlas))
                                    : fmt::format("{}\n{}\n", text_of_grid(atlas_grid(atlas)),
                                                  options.folder + "/atlas.html");
  if (atlas.interrupted) answer.note = "stopped before the end: the same command goes on where it was";
  return answer;
}

}  // namespace

Command atlas_command() {
  return make_command(
      {.name = "atlas",
       .summary = "a map of the field: every learner's best shot at every family, as a page",
       .examples = {"hardhead atlas --quick --out atlas", "hardhead atlas --jobs 2 --threads 2 --out atlas"}},
      FlagTable<AtlasOptions>()
          .on({"--quick", "", "smaller sizes and fewer seeds: all in under 15 minutes on 2 cores"},
              &AtlasOptions::quick)
          .flag(jobs_flag(), &AtlasOptions::jobs, integer_in(1, most_jobs))
          .required(folder_flag(), &AtlasOptions::folder, nonempty_text("a folder")),
      run);
}

}  // namespace hardhead::app
