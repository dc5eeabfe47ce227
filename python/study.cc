#include <fmt/format.h>
#include <pybind11/functional.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/statistics/binomial_interval.h"
#include "base/statistics/median.h"
#include "base/text/json.h"
#include "python/own_learner.h"
#include "python/samples.h"
#include "study/atlas/atlas.h"
#include "study/best/best_shot.h"
#include "study/figure/figure.h"
#include "study/figure/palette.h"
#include "study/problem/suite.h"
#include "study/results/sweep_figures.h"
#include "study/results/sweep_folder.h"
#include "study/sweep/compare.h"
#include "study/sweep/examples_search.h"

namespace hardhead::python {
namespace {

using attention::Index;
using study::RunResult;
using study::Suite;

std::vector<RunResult> execute(const std::vector<std::tuple<study::Source, LearnerArgument, Seed<>>>& runs,
                               const learner::Task& task, double recovery,
                               const study::ExecuteOptions& execution, const Progress& progress) {
  std::vector<study::RunRequest> plan;
  for (const auto& [source, learner, seed] : runs) {
    study::RunRequest& run = plan.emplace_back(study::RunRequest{source});
    run.run = study::told_to(learner, {.task = task, .recovery = recovery});
    run.set_seed(seed);
  }
  study::Executed done = interruptibly(
      [&](const RunContext& context) { return study::execute(plan, execution, context); }, progress);
  std::vector<RunResult> out;
  for (auto& result : done.results)
    if (result) out.push_back(std::move(*result));
  return out;
}

py::dict dict_of(const study::ComparisonRow& row) {
  py::dict out;
  out["source"] = row.source;
  const study::RunOptions& request = row.runs.front().request;
  out["learner"] = request.method.str();
  out["heads"] = request.task.heads;
  out["examples"] = request.task.examples;
  out["runs"] = row.runs.size();
  out["recovered"] = row.degrees.recovered;
  out["low"] = row.recovery_rate.low;
  out["high"] = row.recovery_rate.high;
  out["learnt"] = row.degrees.at_least_learnt();
  out["learnt_low"] = row.learnt_rate.low;
  out["learnt_high"] = row.learnt_rate.high;
  out["test_error"] = row.test_error_median;
  out["null_error"] = row.null_error_median;
  out["advantage"] = row.advantage_median;
  const auto interval = ends(row.advantage_interval);
  out["advantage_low"] = interval ? py::cast(interval->first) : py::none();
  out["advantage_high"] = interval ? py::cast(interval->second) : py::none();
  const bool values = request.method.asks_values();
  std::vector<double> asked;
  for (const RunResult& run : row.runs) asked.push_back(static_cast<double>(run.asked()));
  const py::object used = py::cast(statistics::median(asked));
  out["examples_used"] = values ? py::none() : used;
  out["queries_used"] = values ? used : py::none();
  out["failed"] =
      std::ranges::count_if(row.runs, [](const RunResult& run) { return !run.report.failed_phase.empty(); });
  out["seconds"] = row.seconds_median;
  return out;
}

py::list rows_of(const std::vector<RunResult>& runs) {
  py::list out;
  for (const study::ComparisonRow& row : study::rows_of(runs)) out.append(dict_of(row));
  return out;
}

/// Learners on series of layers, each up its ladder; the JSON of `hardhead best`.
std::string best(const std::vector<std::string>& sources, const std::vector<LearnerArgument>& learners,
                 const py::kwargs& given) {
  Arguments from(given);
  study::Plan plan{.sources = study::series_of(sources),
                   .learners = {},
                   .seeds = from.take<Seeds>(),
                   .seed = from.take<Seed<>>(),
                   .run = {.task = {.heads = from.take_optional<Heads>()}},
                   .execution = {std::nullopt, static_cast<int>(from.take<Jobs>())}};
  for (const LearnerArgument& learner : learners) plan.learners.push_back(learner);
  const auto journal = from.take_optional<Path<"journal">>();
  if (journal) plan.execution.journal.emplace(*journal);
  const std::int64_t seeds = plan.seeds;
  study::BestShotOptions options{.plan = std::move(plan)};
  options.wanted = from.take_optional<Whole<"wanted">>().value_or((9 * seeds + 9) / 10);
  if (options.wanted > seeds)
    throw InputError(fmt::format("wanted = {}: at most seeds = {} is expected", options.wanted, seeds));
  options.goal = value_named<study::Degree>("goal", from.take<Text<"goal">>());
  options.most_examples = from.take<Whole<"most_examples", 1, most_examples>>();
  options.time_limit_seconds = from.take<Real<"ladder_time", Reals::above_0>>();
  options.plan.run.task.time_limit_seconds = from.take_optional<Real<"time_limit", Reals::limit>>().value_or(
      study::run_share * options.time_limit_seconds);
  return interruptibly(
      [&](const RunContext& context) { return study::json_text(best_shots(options, context), options); },
      from.take_object<py::function>("progress", "a function"));
}

std::string text_of(const report::Figure& figure) {
  return text_of_json(report::to_json(figure));
}

std::vector<std::string> figures_of(const std::vector<RunResult>& runs) {
  std::vector<std::string> out;
  const std::vector<study::ComparisonRow> rows = study::rows_of(runs);
  for (const auto& figures : {study::sweep_figures(rows), study::asked_figures(rows)})
    for (const report::Figure& figure : figures) out.push_back(text_of(figure));
  return out;
}

/// The names and the colours of the curves of a figure as text_of() writes it.
std::pair<std::vector<std::string>, std::vector<std::string>> curve_looks(const std::string& text) {
  constexpr int max_depth = 8;
  const report::Figure figure =
      report::figure_from_json(parse_json<nlohmann::ordered_json>(text, max_depth), "a figure");
  return {report::curve_names(figure), report::Palette(figure).colours(figure.curves)};
}

/// The numbers of a curve, and the figure that shows it.
py::dict dict_of(const study::SuccessCurve& curve, double probability) {
  py::list budgets;
  for (const study::BudgetResult& budget : curve.budgets)
    budgets.append(py::dict("examples"_a = budget.examples, "successes"_a = budget.successes,
                            "runs"_a = budget.runs, "low"_a = budget.interval.low,
                            "high"_a = budget.interval.high, "fitted"_a = budget.fitted));
  const auto whole = [](const std::optional<double>& examples) {
    return examples ? std::optional(std::llround(*examples)) : std::nullopt;
  };
  return py::dict("budgets"_a = budgets, "examples"_a = curve.examples, "low"_a = whole(curve.low),
                  "high"_a = whole(curve.high),
                  "figure"_a = text_of(study::success_figure({curve}, probability)));
}

/// attempt(examples) says how many runs succeeded, of how many.
py::dict success_curve(const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>& attempt,
                       const std::string& source, const LearnerArgument& learner,
                       Real<"probability", Reals::between_0_and_1> probability,
                       Whole<"least", 1, most_examples> least, Whole<"most", 1, most_examples> most,
                       Real<"ratio", Reals::above_1> ratio) {
  const study::ExamplesSearch search{
      .probability = probability, .least = least, .most = most, .ratio = ratio};
  study::SuccessCurve curve = study::curve_of_attempts(search, [&](std::int64_t examples) {
    const auto [successes, runs] = attempt(examples);
    study::BudgetResult out;
    out.successes = successes;
    out.runs = runs;
    return std::optional(out);
  });
  curve.source = source;
  curve.method = *learner.given;
  return dict_of(curve, probability);
}

/// A curve that is given as (x numbers, y numbers).
report::FigureCurve curve_of(const std::string& label, const py::object& points, bool line) {
  using Style = report::FigureCurve::Style;
  if (!py::isinstance<py::sequence>(points) || py::len(points) != 2)
    refuse_type(label.c_str(), points, "a pair (x numbers, y numbers)");
  const auto xs = dense_numbers_of("x", points[py::int_(0)]), ys = dense_numbers_of("y", points[py::int_(1)]);
  if (xs.ndim() != 1 || ys.ndim() != 1 || xs.size() != ys.size())
    throw InputError(fmt::format("curve '{}' has {} x and {} y", label, xs.size(), ys.size()));
  report::FigureCurve curve{label, {}, line ? Style::line_and_points : Style::points};
  for (py::ssize_t i = 0; i < xs.size(); ++i) curve.points.push_back({xs.at(i), ys.at(i)});
  return curve;
}

/// report::draw for curves of plain numbers.
void draw(const Path<"folder">& folder, const Text<"name">& name, const py::dict& curves,
          const Text<"title">& title, const Text<"x">& x, const Text<"y">& y, bool log_x, bool log_y,
          const py::dict& levels, bool line) {
  report::Figure figure{.name = name.value,
                        .title = title.value,
                        .x = {.label = x.value, .log = log_x},
                        .y = {.label = y.value, .log = log_y},
                        .curves = {}};
  std::map<std::string, py::object> sorted;
  for (const auto& [label, points] : curves)
    sorted.emplace(python::text_of("a curve's label", label), py::reinterpret_borrow<py::object>(points));
  for (const auto& [label, points] : sorted) figure.curves.push_back(curve_of(label, points, line));
  for (const auto& [label, at] : levels)
    figure.levels.push_back(
        {python::text_of("a level's label", label), real_of("a level", at, Reals::finite)});
  interruptibly([&](const RunContext&) { report::draw(figure, folder.value); });
}

/// (spec, digest as published, digest or error found now) of each entry that differs.
std::vector<std::tuple<std::string, std::string, std::string>> verify(const Suite& suite) {
  std::vector<std::tuple<std::string, std::string, std::string>> out;
  for (const study::SuiteMismatch& wrong :
       interruptibly([&](const RunContext& context) { return study::verify(suite, context); }))
    out.emplace_back(wrong.entry.spec, wrong.entry.digest, wrong.found);
  return out;
}

void bind_suites(py::module_& module) {
  Record<Suite> suite(module, "Suite", "A named list of instances that never changes (docs/suites.md).");
  suite.field("name", &Suite::name).field("purpose", &Suite::purpose).field("entries", [](const Suite& s) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const study::SuiteEntry& entry : s.entries) out.emplace_back(entry.spec, entry.digest);
    return out;
  });
  suite.python().def("verify", &verify,
                     "Makes every instance again. Returns (spec, published digest, what was found) of each "
                     "that differs; an empty list where all agree.");
  module.def("suites", [] { return std::vector<Suite>(study::suites().begin(), study::suites().end()); });
  module.def(
      "suite", [](const Text<"name">& name) { return study::find_suite(name.value); }, "name"_a,
      "The suite of that name. compare() takes all its instances as \"suite:NAME\".");
}

void bind_statistics(py::module_& module) {
  module.def(
      "binomial_interval",
      [](Whole<"successes", 0> successes, Whole<"trials", 0> trials,
         Real<"confidence", Reals::between_0_and_1> confidence) {
        return *ends(statistics::clopper_pearson(successes, trials, confidence));
      },
      "successes"_a, "trials"_a, "confidence"_a = 0.95,
      "The exact (Clopper-Pearson) interval of a success probability.");
  module.def(
      "nondecreasing_shares",
      [](const std::vector<std::pair<Whole<"successes", 0>, Whole<"trials", 0>>>& places) {
        std::vector<statistics::Successes> counts;
        for (const auto& [successes, trials] : places) counts.push_back({successes, trials});
        return statistics::nondecreasing_shares(counts);
      },
      "places"_a,
      "The likeliest success probabilities that do not fall, of (successes, trials) at each place.");
}

}  // namespace

void bind_study(py::module_& module) {
  module.def("_seeds", [](Seeds seeds) { return seeds; });
  module.def("_seed", [](Seed<> seed) { return seed; });
  module.def("_execute",
             [](const std::vector<std::tuple<study::Source, LearnerArgument, Seed<>>>& runs,
                std::optional<Heads> heads, std::optional<Examples> examples, Recovery recovery,
                std::optional<Real<"time_limit", Reals::limit>> time_limit,
                std::optional<Real<"memory_limit", Reals::limit>> memory_limit,
                const std::optional<Path<"journal">>& journal, Jobs jobs, const Progress& progress) {
               study::ExecuteOptions execution{.jobs = static_cast<int>(jobs)};
               if (journal) execution.journal.emplace(journal->value);
               return execute(runs,
                              {.heads = value_of(heads),
                               .examples = value_of(examples),
                               .memory_limit_bytes = value_of(memory_limit),
                               .time_limit_seconds = value_of(time_limit)},
                              recovery, execution, progress);
             });
  module.def("_best", &best);
  module.def("_atlas", [](const Path<"folder">& folder, const std::vector<std::string>& sources,
                          const std::vector<LearnerArgument>& learners, bool quick, Seed<> seed, Jobs jobs,
                          const std::string& command, const Progress& progress) {
    study::AtlasRequest request{
        .quick = quick, .sources = sources, .seed = seed, .jobs = static_cast<int>(jobs)};
    for (const LearnerArgument& learner : learners) request.learners.push_back(learner);
    return interruptibly(
        [&](const RunContext& context) {
          return text_of_json(to_json(draw_into(folder.value, study::atlas_plan(request), command, context)));
        },
        progress);
  });
  module.def("_rows", &rows_of);
  module.def("_figures", &figures_of);
  module.def("_curve_looks", &curve_looks);
  module.def("_success_curve", &success_curve);
  module.def("_sweep", [](const Path<"file">& file, const Path<"folder">& folder, const std::string& command,
                          const std::vector<LearnerArgument>& learners, Jobs jobs, const Progress& progress) {
    std::vector<learner::Learner> own;
    for (const LearnerArgument& learner : learners) own.push_back(learner);
    return interruptibly(
        [&](const RunContext& context) {
          return study::run_sweep({.file = file.value,
                                   .folder = folder.value,
                                   .command = command,
                                   .jobs = static_cast<int>(jobs),
                                   .own = own},
                                  context)
              .results;
        },
        progress);
  });
  bind_suites(module);
  bind_statistics(module);
  module.def(
      "draw", &draw, "folder"_a, "name"_a, "curves"_a, py::kw_only(), "title"_a, "x"_a, "y"_a,
      "log_x"_a = false, "log_y"_a = false, "levels"_a = py::dict(), "line"_a = true,
      "Draws folder/NAME.svg and NAME.pdf with gnuplot: curves by label, each (x numbers, y numbers).");
}

}  // namespace hardhead::python
