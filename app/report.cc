#include "study/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/atomic_file.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

Answer run(const Settings& settings, const RunControl&) {
  const std::string page = settings.output.empty() ? settings.source + "/report.html" : settings.output;
  const std::string page_folder = std::filesystem::path(page).parent_path().string();
  const study::Report report = study::report(settings.source, page_folder.empty() ? "." : page_folder);
  AtomicFile file(page);
  file.stream() << report.html;
  file.commit();
  if (!settings.json) return {ExitCode::answered, page + "\n"};
  return {ExitCode::answered,
          text_of(study::report_json(
              {{"kind", report.kind == study::Report::Kind::sweep ? "sweep" : "reproduction"},
               {"page", page},
               {"figures", report.figures}}))};
}

}  // namespace

Command report_command() {
  return {"report",
          "one page of a folder of sweep or reproduce, with its figures and tables: needs no other file",
          {"DIR",
           "the folder, while the sweep runs or later; the page is DIR/report.html unless -o says another"},
          {"-o,--output"},
          {},
          {"hardhead report results", "hardhead report results -o page.html"},
          run};
}

}  // namespace hardhead::app
