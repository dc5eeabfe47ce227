#include "study/reproduce/reproduce.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

std::string command_line(const Settings& settings) {
  std::string out = "hardhead reproduce";
  for (const std::string& id : settings.sources) out += " " + id;
  return fmt::format("{}{} --out {}", out, settings.quick ? " --quick" : "", typed(settings.output));
}

Answer run(const Settings& settings, const RunControl& control) {
  const study::Reproduction done = study::reproduce({.ids = settings.sources,
                                                     .folder = settings.output,
                                                     .quick = settings.quick,
                                                     .jobs = settings.threads,
                                                     .command = command_line(settings)},
                                                    control);
  const std::string verdicts = settings.output + "/verdicts.json";
  Answer answer;
  if (settings.json) {
    nlohmann::ordered_json out = study::report_json({{"performed", done.performed},
                                                     {"interrupted", done.interrupted},
                                                     {"verdicts", verdicts},
                                                     {"findings", nlohmann::ordered_json::array()}});
    for (const study::Finding& finding : done.findings) out["findings"].push_back(study::to_json(finding));
    answer.text = text_of(out);
  } else {
    std::vector<std::vector<std::string>> rows = {{"", "verdict", "setting", "seconds", "claim"}};
    for (const study::Finding& f : done.findings)
      rows.push_back(
          {f.id, study::to_string(f.verdict), f.setting, fmt::format("{:.0f}", f.seconds), f.title});
    answer.text =
        table(rows) + fmt::format("\n{}; as a page: hardhead report {}\n", verdicts, settings.output);
  }
  if (done.interrupted) answer.note = "stopped before the end: the same command goes on where it was";
  return answer;
}

}  // namespace

Command reproduce_command() {
  return {
      "reproduce",
      "the claims of the paper and the talk on it, each an experiment with a verdict, a figure and a table",
      {.name = "ID", .help = "R1 .. R13 (default: all of them)", .repeatable = true, .required = false},
      {"--quick"},
      {"--out"},
      {"hardhead reproduce R5 --quick --out claims", "hardhead reproduce --out claims"},
      run};
}

}  // namespace hardhead::app
