#include "experiments/claims/reproduce.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/terminal/terminal.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct ReproduceOptions {
  CommonOptions common;
  std::vector<std::string> ids;  ///< of claims; empty for all
  bool quick = false;
  std::string folder;
  std::optional<report::FigureStyle> style;
};

std::string command_line(const ReproduceOptions& options) {
  std::string out = "hardhead reproduce";
  for (const std::string& id : options.ids) out += " " + id;
  if (options.common.seed != CommonOptions{}.seed) out += fmt::format(" --seed {}", options.common.seed);
  return fmt::format("{}{} --out {}", out, options.quick ? " --quick" : "", typed(options.folder));
}

std::string shown(report::Verdict verdict) {
  if (verdict == report::Verdict::holds) return painted(Shade::good, "holds");
  if (verdict == report::Verdict::does_not_hold) return painted(Shade::bad, "does not hold");
  return painted(Shade::fair, "inconclusive");
}

Answer run(const ReproduceOptions& options, const RunContext& context) {
  const experiments::Reproduction done =
      experiments::reproduce({.ids = options.ids,
                              .folder = options.folder,
                              .quick = options.quick,
                              .seed = options.common.seed,
                              .jobs = options.common.threads,
                              .style = options.style.value_or(report::FigureStyle{}),
                              .command = command_line(options)},
                             context);
  const std::string verdicts = options.folder + "/verdicts.json";
  Answer answer;
  if (options.common.json) {
    Json out = report::report_json("reproduction", {{"performed", done.performed},
                                                    {"interrupted", done.interrupted},
                                                    {"verdicts", verdicts},
                                                    {"findings", Json::array()}});
    for (const report::Finding& finding : done.findings) out["findings"].push_back(report::to_json(finding));
    answer.text = text_of(out);
  } else {
    Rows rows = {{"", "verdict", "setting", "seconds", "claim"}};
    for (const report::Finding& f : done.findings)
      rows.push_back({f.id, shown(f.verdict), f.setting, fmt::format("{:.0f}", f.seconds), f.title});
    answer.text =
        table(rows) + fmt::format("\n{}; as a page: hardhead report {}\n", verdicts, options.folder);
  }
  if (done.interrupted) answer.note = "stopped before the end: the same command goes on where it was";
  return answer;
}

}  // namespace

Command reproduce_command() {
  return make_command(
      {.name = "reproduce",
       .summary = "the claims of the paper and the talk on it, each an experiment with a verdict, a figure "
                  "and a table",
       .examples = {"hardhead reproduce R5 --quick --out claims", "hardhead reproduce --out claims"}},
      FlagTable<ReproduceOptions>()
          .positional({.name = "ID", .help = "R1 .. R19 (default: all of them)", .required = false},
                      &ReproduceOptions::ids)
          .on({"--quick", "", "smaller sizes and fewer seeds: all in under 15 minutes on 2 cores"},
              &ReproduceOptions::quick)
          .required(folder_flag, &ReproduceOptions::folder, nonempty_text("a folder"))
          .group(&ReproduceOptions::style, figure_flags()),
      run);
}

}  // namespace hardhead::app
