#include "study/results/folder_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "study/report/finding.h"
#include "study/report/page.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"
#include "study/results/sweep_folder.h"
#include "study/sweep/journal.h"

namespace hardhead::study {
namespace {

namespace fs = std::filesystem;

/// Files of a folder, and where a page that lies elsewhere finds them.
struct Place {
  std::string folder, page_folder;

  std::string from_page(const std::string& file) const {
    std::error_code error;
    const fs::path whole = fs::absolute(folder, error) / file, page = fs::absolute(page_folder, error);
    const fs::path out = fs::proximate(whole, page, error);
    if (error)
      throw InputError(fmt::format("'{}' and '{}': no path from one to the other: {}", page_folder, folder,
                                   error.message()));
    return out.generic_string();
  }
};

report::Table read_table(const std::string& path) {
  return report::parse_csv(read_file(path), fmt::format("table '{}'", path));
}

report::PageSection section_of(const report::Finding& finding, const Place& place) {
  report::PageSection out{
      .id = finding.id,
      .title = finding.title,
      .verdict = finding.verdict,
      .facts = {{"Claim", finding.claim},
                {"Where", finding.source},
                {"Method", finding.method},
                {"Criterion", finding.criterion},
                {"Measured", finding.reason},
                {"Setting", fmt::format("{}, seed {}, {:.3g} seconds, version {}", finding.setting,
                                        finding.seed, finding.seconds, finding.version)}},
      .command = finding.command};
  for (const std::string& figure : finding.figures) out.figures.push_back(place.from_page(figure));
  if (finding.table.empty()) return out;
  out.table = read_table(place.folder + "/" + finding.table);
  out.table_file = place.from_page(finding.table);
  return out;
}

/// The laws of a finding, with the numbers that tell them apart.
report::PageSection fits_of(const report::Finding& finding, const Place& place) {
  return {.id = finding.id + "-laws",
          .title = finding.id + ": laws fitted",
          .table = read_table(place.folder + "/" + finding.fits),
          .table_file = place.from_page(finding.fits)};
}

FolderPage reproduction(const Place& place, const std::optional<report::FigureStyle>& style) {
  FolderPage made;
  report::Page page{.title = "hardhead: claims and verdicts"};
  std::set<std::string> versions;
  int findings = 0, quick = 0;
  std::map<report::Verdict, int> verdicts;
  for (const report::Finding& finding : report::read_verdicts(place.folder)) {
    if (style)
      for (const std::string& figure : finding.figures) report::redraw(place.folder + "/" + figure, *style);
    page.sections.push_back(section_of(finding, place));
    if (!finding.fits.empty()) page.sections.push_back(fits_of(finding, place));
    ++findings;
    made.figures.insert(made.figures.end(), finding.figures.begin(), finding.figures.end());
    versions.insert(finding.version);
    quick += finding.setting == "quick" ? 1 : 0;
    ++verdicts[finding.verdict];
  }
  page.lead.push_back(fmt::format("{} claims tested: {} hold, {} do not, {} inconclusive. Version {}.{}",
                                  findings, verdicts[report::Verdict::holds],
                                  verdicts[report::Verdict::does_not_hold],
                                  verdicts[report::Verdict::inconclusive], fmt::join(versions, ", "),
                                  quick > 0 ? fmt::format(" In the quick setting: {}.", quick) : ""));
  made.html = html(page, place.page_folder);
  return made;
}

/// What a journal has of a sweep.
struct SweepRuns {
  std::vector<RunResult> planned;  // the runs of its plan that are done, in the plan's order
  std::string words;               // how many they are, and what else is there
};

SweepRuns runs_of(const std::string& folder, const std::optional<SweepRecord>& record) {
  std::vector<NamedRun> all = read_journal(folder + "/journal.jsonl");
  SweepRuns out;
  if (!record || record->names.empty()) {
    for (NamedRun& run : all) out.planned.push_back(std::move(run.result));
    out.words = fmt::format("{} runs, all that are in the journal.", out.planned.size());
    if (record)
      out.words +=
          " The folder was written by a version that kept no list of the plan: runs of earlier plans may be "
          "among them.";
    return out;
  }
  std::map<std::string, const RunResult*> known;
  for (const NamedRun& run : all) known.emplace(run.name, &run.result);
  std::set<std::string> used;
  for (const std::string& name : record->names)
    if (const auto at = known.find(name); at != known.end()) {
      out.planned.push_back(*at->second);
      used.insert(name);
    }
  out.words = fmt::format("{} of {} runs.", out.planned.size(), record->runs);
  if (const std::size_t others = known.size() - used.size(); others > 0)
    out.words += fmt::format(" {} in the journal, of other plans, programs or versions, {} not shown.",
                             others == 1 ? "1 more run" : fmt::format("{} more runs", others),
                             others == 1 ? "is" : "are");
  return out;
}

FolderPage sweep(const Place& place, const report::FigureStyle& style) {
  const std::optional<SweepRecord> record = read_sweep_record(place.folder);
  const SweepRuns runs = runs_of(place.folder, record);
  const std::vector<ComparisonRow> rows = rows_of(runs.planned);
  std::set<std::string> versions;
  for (const RunResult& run : runs.planned) versions.insert(run.version);

  FolderPage made{.kind = FolderPage::Kind::sweep};
  report::Page page{.title = "hardhead: results of a sweep", .lead = {runs.words}};
  if (!versions.empty()) page.lead.back() += fmt::format(" Version {}.", fmt::join(versions, ", "));
  page.lead.emplace_back(
      "Advantage: 1 - (test error - ceiling error) / (null error - ceiling error) on fresh examples. The "
      "null predictor is the best function of what labels depend on in public, and the best affine one where "
      "a family hides nothing; the ceiling error is 0 but for noise mod q. Degrees: recovered, a relative "
      "squared test error up to the run's threshold; "
      "learnt, an advantage of at least 0.99; partly, the 95% interval of the advantage lies above 0; "
      "nothing. Medians are over the runs of a row; the interval of the median advantage is over test "
      "examples and seeds.");

  report::PageSection figures{.id = "figures", .title = "Figures"};
  const fs::path drawings = fs::path(place.folder) / "figures";
  std::error_code failure;
  fs::create_directories(drawings, failure);
  for (const report::Figure& figure : sweep_figures(rows)) {
    draw(figure, drawings.string(), style);
    made.figures.push_back("figures/" + figure.name);
    figures.figures.push_back(place.from_page(made.figures.back()));
  }
  figures.about_figures =
      figures.figures.empty()
          ? "No number varies in this sweep: the table has it all."
          : "Bars: the exact 95% interval of a share; else from the least to the largest of the runs. "
            "Points with bars are set a little apart sideways. Dotted: null errors.";
  report::PageSection table{
      .id = "results", .title = "Results", .table = rows_table(rows), .words_column = "degrees"};
  write_text(place.folder + "/report.csv", report::csv(*table.table));
  table.table_file = place.from_page("report.csv");
  page.sections = {std::move(figures), std::move(table)};
  if (report::Table growth = growth_table(rows); !growth.rows.empty())
    page.sections.push_back({.id = "growth",
                             .title = "Growth, by a power law and by an exponential",
                             .table = std::move(growth)});
  if (record)
    page.sections.push_back(
        {.id = "made-by", .title = "What was run", .command = record->command, .listing = record->file});
  made.html = html(page, place.page_folder);
  return made;
}

}  // namespace

FolderPage folder_page(const std::string& folder, const std::string& page_folder,
                       const std::optional<report::FigureStyle>& style) {
  const Place place{folder, page_folder};
  const auto has = [&](const char* name) {
    std::error_code ignored;  // what cannot be looked at is not there
    return fs::exists(fs::path(folder) / name, ignored);
  };
  if (has("verdicts.json")) return reproduction(place, style);
  if (has("atlas.json"))
    throw InputError(fmt::format(
        "'{}': the folder of an atlas, whose page is atlas.html in it; 'hardhead atlas' draws it", folder));
  if (has("journal.jsonl")) return sweep(place, style.value_or(report::FigureStyle{}));
  throw InputError(fmt::format(
      "'{}': neither a verdicts.json of 'reproduce' nor a journal.jsonl of 'sweep' is in this folder",
      folder));
}

}  // namespace hardhead::study
