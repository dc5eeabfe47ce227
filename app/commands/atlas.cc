#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/terminal/terminal.h"
#include "study/atlas/atlas.h"

namespace hardhead::app {
namespace {

struct AtlasOptions {
  CommonOptions common;
  study::AtlasRequest request;
  std::string folder;
};

/// Of the request, as it is typed.
std::string command_line(const AtlasOptions& options) {
  std::string out = "hardhead atlas";
  for (const std::string& source : options.request.sources) out += " " + typed(source);
  for (const learner::Learner& learner : options.request.learners) out += " --method " + typed(learner.str());
  return fmt::format("{}{} --seed {} --out {}", out, options.request.quick ? " --quick" : "",
                     options.common.seed, typed(options.folder));
}

std::string text_of_grid(const report::Grid& grid) {
  Rows rows{{"instance"}};
  rows.front().insert(rows.front().end(), grid.columns.begin(), grid.columns.end());
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{grid.rows[r]});
    for (const report::GridCell& cell : grid.cells[r])
      row.push_back(cell.text + (cell.detail.empty() ? "" : ", " + cell.detail));
  }
  return table(rows);
}

Answer run(const AtlasOptions& options, const RunContext& context) {
  study::AtlasRequest request = options.request;
  request.seed = options.common.seed;
  const study::Atlas atlas =
      draw_into(options.folder, study::atlas_plan(request), command_line(options), context);
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
       .examples = {"hardhead atlas --quick --out atlas", "hardhead atlas --jobs 2 --threads 2 --out atlas",
                    "hardhead atlas block:d=6,k=2,m=1,width=6 --method compose --method phase1 --quick "
                    "--out blocks"}},
      FlagTable<AtlasOptions>()
          .group(&AtlasOptions::request,
                 FlagTable<study::AtlasRequest>()
                     .positional(
                         {.name = "SPEC",
                          .help = "rows: kinds of instances, whose seed is replaced by S, S+1, .. (default: "
                                  "37 from easy to hard, with --quick six)",
                          .required = false,
                          .files = false},
                         &study::AtlasRequest::sources)
                     .each(method_flag("thirteen columns, listed in docs/atlas.md"),
                           &study::AtlasRequest::learners, learner_spec())
                     .on({"--quick", "", "smaller sizes and fewer seeds: all in under 15 minutes on 2 cores"},
                         &study::AtlasRequest::quick)
                     .flag(jobs_flag, &study::AtlasRequest::jobs, integer_in(1, most_jobs)))
          .required(folder_flag, &AtlasOptions::folder, nonempty_text("a folder")),
      run);
}

}  // namespace hardhead::app
