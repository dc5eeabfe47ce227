#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/folder_lock.h"
#include "base/files/paths.h"
#include "base/run/run_context.h"
#include "base/text/number.h"
#include "base/text/record_json.h"
#include "study/report/json.h"
#include "study/report/table.h"
#include "study/sweep/examples_search.h"

namespace hardhead::app {
namespace {

using study::Degree;
using study::SuccessCurve;

struct FewestOptions {
  CommonOptions common;
  std::vector<std::string> sources;
  LayerExamples layer;                                      ///< of sources that are layer files
  std::vector<learner::Learner> methods;                    ///< sculpt, if none is given
  learner::Task task;                                       ///< heads, time and memory of each run
  std::int64_t seeds = study::ExamplesSearch{}.plan.seeds;  ///< runs at each budget
  study::ExamplesSearch search;
  std::optional<Axis> against;
  std::optional<std::string> journal;
  int jobs = 1;
  bool retry_failed = false;
  std::optional<std::string> folder;  ///< for journal, table and figures
  std::optional<report::FigureStyle> style;
};

/// A search at one place of the axis.
struct Place {
  std::string source, value;  ///< what is searched, and the axis' value there
  learner::Learner method;
};

std::vector<Place> places_of(const FewestOptions& options) {
  const std::vector<learner::Learner> methods =
      options.methods.empty() ? std::vector<learner::Learner>{Spec{"sculpt", {}}} : options.methods;
  std::vector<Place> out;
  for (const learner::Learner& method : methods)
    for (const std::string& source : options.layer.of(options.sources)) {
      if (!options.against) {
        out.push_back({source, "", method});
        continue;
      }
      for (const std::string& value : options.against->values)
        out.push_back({options.against->at(source, value), value, method});
    }
  return out;
}

std::string examples_text(const std::optional<double>& examples) {
  return examples ? fmt::format("{:.0f}", *examples) : "-";
}

std::string text_of_curves(const std::vector<SuccessCurve>& curves, double probability) {
  Rows rows = {{"instance", "learner", "told", fmt::format("examples to p = {:g}", probability),
                "95%: more than", "95%: at most"}};
  Rows budgets = {{"instance", "learner", "told", "examples", "succeeded", "share: 95%", "fit"}};
  for (const SuccessCurve& curve : curves) {
    const std::string of_method(name_of(curve.method.told()));
    rows.push_back({curve.source, curve.method.str(), of_method, examples_text(curve.examples),
                    examples_text(curve.low), examples_text(curve.high)});
    for (const study::BudgetResult& budget : curve.budgets)
      budgets.push_back({curve.source, curve.method.str(), of_method, fmt::format("{}", budget.examples),
                         fmt::format("{} of {}", budget.successes, budget.runs),
                         fmt::format("{:.2f} .. {:.2f}", budget.interval.low, budget.interval.high),
                         fmt::format("{:.2f}", budget.fitted)});
  }
  const auto text = [&](Rows& all) {
    return table(without_uniform(std::move(all), "told", name_of(learner::Told::nothing)), 2);
  };
  return text(budgets) + "\n" + text(rows);
}

Json json_of(const std::vector<SuccessCurve>& curves, const FewestOptions& options) {
  return report::report_json("success-curve", {{"probability", options.search.probability},
                                               {"success", name_of(options.search.goal)},
                                               {"seeds", options.seeds},
                                               {"curves", json_value(curves)}});
}

/// Examples to success against the axis, with a curve for each learner on each source.
report::Figure growth_figure(const std::vector<Place>& places, const std::vector<SuccessCurve>& curves,
                             const FewestOptions& options) {
  report::Figure out{.name = "examples",
                     .title = fmt::format("Examples to success probability {:g}", options.search.probability),
                     .x = {options.against->name},
                     .y = {"examples (95% interval)", true},
                     .curves = {}};
  const std::size_t values = options.against->values.size();
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (i % values == 0)
      out.curves.push_back({fmt::format("{}, {}", options.sources[i / values % options.sources.size()],
                                        places[i].method.str()),
                            {}});
    const std::optional<double> number = real_of(places[i].value);
    if (!number) out.x.names = options.against->values;
    const double x = number.value_or(static_cast<double>(i % values));
    if (!curves[i].examples) continue;
    report::FigurePoint point{x, *curves[i].examples};
    if (curves[i].low && curves[i].high) point.interval = {*curves[i].low, *curves[i].high};
    out.curves.back().points.push_back(point);
  }
  return out;
}

/// What is said where there are fewer seeds than an upper end needs; else nothing.
std::string few_seeds(const FewestOptions& options) {
  const std::int64_t needed = study::seeds_for_interval(options.search);
  if (options.seeds >= needed) return "";
  return fmt::format(
      "With {} no budget has an upper end of the interval over all budgets, which needs {} seeds: the "
      "search stops where all succeed, and each budget has its own 95% interval.",
      counted(options.seeds, "seed"), needed);
}

/// A row for each budget.
report::Table success_table(const std::vector<SuccessCurve>& curves) {
  report::Table out{{"source", "method", "told", "examples", "successes", "runs", "95% low", "95% high",
                     "fit", "seconds (median)"},
                    {}};
  for (const SuccessCurve& curve : curves)
    for (const study::BudgetResult& one : curve.budgets)
      out.add({curve.source, curve.method.str(), std::string(name_of(curve.method.told())),
               fmt::format("{}", one.examples), fmt::format("{}", one.successes), fmt::format("{}", one.runs),
               fmt::format("{}", one.interval.low), fmt::format("{}", one.interval.high),
               fmt::format("{}", one.fitted), one.seconds ? fmt::format("{}", *one.seconds) : ""});
  return out;
}

void write_results(const std::vector<Place>& places, const std::vector<SuccessCurve>& curves,
                   const FewestOptions& options) {
  write_text(*options.folder + "/success.csv", report::csv(success_table(curves)));
  const report::FigureStyle style = options.style.value_or(report::FigureStyle{});
  draw(success_figure(curves, options.search.probability), *options.folder, style);
  if (options.against) draw(growth_figure(places, curves, options), *options.folder, style);
}

Answer find_fewest(const FewestOptions& options, const RunContext& context) {
  if (options.style && !options.folder)
    throw InputError("--style, --width and --font are of figures, which --out DIR has drawn");
  const std::vector<Place> places = places_of(options);
  std::optional<FolderLock> lock;
  if (options.folder) {
    make_output_folder(*options.folder);
    lock.emplace(*options.folder);
  }
  const std::optional<study::JournalFile> journal = journal_of(options.journal, options.folder);
  const std::string warning = few_seeds(options);
  if (!warning.empty()) context.progress.announce(warning);
  std::vector<SuccessCurve> curves;
  bool interrupted = false;
  for (const Place& place : places) {
    study::ExamplesSearch search = options.search;
    search.plan = {
        .sources = {place.source},
        .learners = {place.method},
        .seeds = options.seeds,
        .seed = options.common.seed,
        .run = {.task = options.task},
        .execution = {.journal = journal, .jobs = options.jobs, .retry_failed = options.retry_failed}};
    RunContext part = context;
    const auto done = static_cast<double>(curves.size()), all = static_cast<double>(places.size());
    part.progress =
        progress_part(context.progress, done / all, (done + 1) / all,
                      all > 1 ? fmt::format("{}, {}, ", place.source, place.method.str()) : std::string());
    curves.push_back(success_curve(search, part));
    interrupted = curves.back().interrupted;
    if (interrupted) break;
  }
  if (options.folder && !interrupted) write_results(places, curves, options);
  return {options.common.json ? text_of(json_of(curves, options))
                              : text_of_curves(curves, options.search.probability) +
                                    (warning.empty() ? "" : "\n" + wrapped(warning)),
          interrupted ? "stopped before the end: budgets not done are left out" : ""};
}

FlagTable<study::ExamplesSearch> search_flags() {
  using study::ExamplesSearch;
  return FlagTable<ExamplesSearch>()
      .flag({"--probability", "P", "of success, that the examples are for"}, &ExamplesSearch::probability,
            fraction())
      .flag({"--success", "DEGREE", "which runs succeed"}, &ExamplesSearch::goal,
            one_of<Degree>({{"learnt", Degree::learnt}, {"recovered", Degree::recovered}}))
      .flag({"--least", "N", "the first budget of examples"}, &ExamplesSearch::least, example_count())
      .flag({"--most", "N", "no larger budget is tried"}, &ExamplesSearch::most, example_count())
      .flag({"--ratio", "R", "from one budget to the next"}, &ExamplesSearch::ratio, number_above(1));
}

}  // namespace

Command fewest_command() {
  return make_command(
      {.name = "fewest",
       .summary = "how many examples a learner takes to succeed with a probability: the success curve",
       .examples =
           {"hardhead fewest nice:d=6,k=2,m=1 --method gauss-newton --least 10 --most 1000",
            "hardhead fewest nice:d=6,k=2 --against m=1,2 --method gauss-newton --seeds 8 --most 2000 "
            "--out curve"}},
      FlagTable<FewestOptions>()
          .positional(
              {"SPEC", "instances (their seed is replaced by S, S+1, ..: S is the spec's own or --seed)"},
              &FewestOptions::sources)
          .each(method_flag("sculpt"), &FewestOptions::methods, learner_spec())
          .group(&FewestOptions::layer, layer_examples_flags())
          .flag(against_flag, &FewestOptions::against, axis_values())
          .flag(seeds_flag, &FewestOptions::seeds, integer_in<std::int64_t>(1, most_seeds))
          .group(&FewestOptions::search, search_flags())
          .group(&FewestOptions::task,
                 FlagTable<learner::Task>().flag(heads_flag, &learner::Task::heads,
                                                 integer_in<std::int64_t>(1, most_heads)))
          .group(&FewestOptions::task, time_limit_flags())
          .flag(journal_flag, &FewestOptions::journal, nonempty_text("a file name"))
          .flag(jobs_flag, &FewestOptions::jobs, integer_in(1, most_jobs))
          .on(retry_failed_flag, &FewestOptions::retry_failed)
          .flag(folder_flag, &FewestOptions::folder, nonempty_text("a folder"))
          .group(&FewestOptions::style, figure_flags()),
      find_fewest);
}

}  // namespace hardhead::app
