#include "experiments/claims/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/paths.h"
#include "base/text/number.h"
#include "base/text/parameters.h"
#include "base/version.h"
#include "experiments/claims/registered_claims.h"
#include "study/run/run.h"
#include "study/sweep/forecast.h"

namespace hardhead::experiments {
namespace {

std::vector<const Experiment*> chosen(const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const Experiment& experiment : experiments()) known.push_back(experiment.id);
  std::vector<bool> wanted(known.size(), ids.empty());
  for (const std::string& id : ids) wanted[find_name("experiment", id, known)] = true;
  std::vector<const Experiment*> out;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (wanted[i]) out.push_back(&experiments()[i]);
  return out;
}

/// Writes figures and tables; returns the record.
report::Finding record(const Experiment& experiment, const ReproduceOptions& options,
                       const Evidence& evidence, double seconds) {
  const std::string folder = options.folder + "/" + experiment.id;
  make_output_folder(folder);
  report::Finding out{.id = experiment.id,
                      .title = experiment.title,
                      .claim = experiment.claim,
                      .source = experiment.source,
                      .method = experiment.method,
                      .criterion = experiment.criterion,
                      .verdict = evidence.verdict,
                      .reason = evidence.reason,
                      .figures = {},
                      .table = experiment.id + "/table.csv",
                      .setting = options.quick ? "quick" : "full",
                      .seed = options.seed,
                      .command = options.command,
                      .seconds = seconds,
                      .version = version()};
  for (const report::Figure& figure : evidence.figures) {
    draw(figure, folder, options.style);
    out.figures.push_back(experiment.id + "/" + figure.name);
  }
  write_text(options.folder + "/" + out.table, report::csv(evidence.table));
  if (!evidence.fits.rows.empty()) {
    out.fits = experiment.id + "/fits.csv";
    write_text(options.folder + "/" + out.fits, report::csv(evidence.fits));
  }
  if (!evidence.costs.columns.empty()) write_text(folder + "/costs.csv", report::csv(evidence.costs));
  return out;
}

}  // namespace

std::span<const Experiment> experiments() {
#define HARDHEAD_CLAIM(name) claims::name(),
  static const std::vector<Experiment> all{HARDHEAD_CLAIMS(HARDHEAD_CLAIM)};
#undef HARDHEAD_CLAIM
  return all;
}

Reproduction reproduce(const ReproduceOptions& options, const RunContext& context) {
  const std::vector<const Experiment*> plan = chosen(options.ids);
  make_output_folder(options.folder);
  const FolderLock lock(options.folder);
  Reproduction out;
  std::error_code error;
  if (std::filesystem::exists(options.folder + "/verdicts.json", error) || error)
    out.findings = report::read_verdicts(options.folder);
  const std::string setting = options.quick ? "quick" : "full";
  const auto seconds_of = [&](const Experiment& experiment) {
    return options.quick ? experiment.quick_seconds : experiment.full_seconds;
  };
  std::vector<const Experiment*> ahead;
  double total = 0;
  for (const Experiment* experiment : plan)
    if (std::ranges::none_of(out.findings, [&](const report::Finding& f) {
          return f.id == experiment->id && f.setting == setting && f.seed == options.seed &&
                 f.version == version();
        })) {
      ahead.push_back(experiment);
      total += seconds_of(*experiment);
    }
  context.progress.announce(fmt::format("{} ahead, {} there already; about {} on 2 cores",
                                        counted(std::ssize(ahead), "experiment"), plan.size() - ahead.size(),
                                        study::duration(total)));
  double before = 0;
  const study::JournalFile journal(options.folder + "/journal.jsonl");
  try {
    for (const Experiment* experiment : ahead) {
      const double share = seconds_of(*experiment) / total;
      RunContext inner = context;
      inner.progress.on_progress = [&context, experiment, before, share](std::string_view phase,
                                                                         double done) {
        if (phase.starts_with(experiment->id)) context.progress.report(phase, before + share * done);
      };
      inner.progress.report(fmt::format("{}: {}", experiment->id, experiment->title), 0);
      const Stopwatch watch;
      const Evidence evidence = experiment->perform(
          {.quick = options.quick, .seed = options.seed, .jobs = options.jobs, .journal = journal}, inner);
      report::Finding finding = record(*experiment, options, evidence, watch.seconds());
      context.progress.announce(
          fmt::format("{} {}: {}", finding.id, name_of(finding.verdict), finding.reason));
      std::erase_if(out.findings, [&](const report::Finding& f) { return f.id == finding.id; });
      out.findings.push_back(std::move(finding));
      report::write_verdicts(out.findings, options.folder);
      ++out.performed;
      before += share;
    }
  } catch (const Stopped&) {
    out.interrupted = true;
  }
  return out;
}

}  // namespace hardhead::experiments
