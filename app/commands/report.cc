#include "study/results/folder_page.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/files/atomic_file.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct ReportOptions {
  CommonOptions common;
  std::string folder;
  std::string output;  ///< empty for the folder's own report.html
  std::optional<report::FigureStyle> style;
};

Answer run(const ReportOptions& options, const RunContext&) {
  const std::string page = options.output.empty() ? options.folder + "/report.html" : options.output;
  const std::string page_folder = std::filesystem::path(page).parent_path().string();
  const study::FolderPage report =
      study::folder_page(options.folder, page_folder.empty() ? "." : page_folder, options.style);
  write_text(page, report.html);
  if (!options.common.json) return {page + "\n"};
  return {text_of(report::report_json(
      "page", {{"kind", report.kind == study::FolderPage::Kind::sweep ? "sweep" : "reproduction"},
               {"page", page},
               {"figures", report.figures}}))};
}

}  // namespace

Command report_command() {
  return make_command(
      {.name = "report",
       .summary =
           "one page of a folder of sweep or reproduce, with its figures and tables: needs no other file",
       .examples = {"hardhead report results", "hardhead report results -o page.html",
                    "hardhead report results --style paper --width 3.25in"}},
      FlagTable<ReportOptions>()
          .positional({"DIR",
                       "the folder, while the sweep runs or later; the page is DIR/report.html unless -o "
                       "says another"},
                      &ReportOptions::folder)
          .flag(output_flag, &ReportOptions::output, nonempty_text("a file name"))
          .group(&ReportOptions::style, figure_flags()),
      run);
}

}  // namespace hardhead::app
