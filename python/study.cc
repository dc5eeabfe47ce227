#include <fmt/format.h>
#include <pybind11/functional.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/statistics/binomial_interval.h"
#include "base/statistics/isotonic.h"
#include "base/text/json.h"
#include "python/samples.h"
#include "study/figure/figure.h"
#include "study/figure/figure_json.h"
#include "study/figure/palette.h"
#include "study/problem/series.h"
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

/// Of each series that a name stands for, its first members.
std::vector<std::vector<study::Source>> members_of(const SourceArgument& source, Seed<> seed, Seeds count) {
  std::vector<std::vector<study::Source>> out;
  for (const study::SourceSeries& series : study::series_of(source_of(source).name())) {
    out.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) out.back().push_back(series.member(i, seed));
  }
  return out;
}

std::vector<RunResult> execute(const std::vector<std::tuple<study::Source, SpecOrText, Seed<>>>& runs,
                               const learner::Task& task, double recovery,
                               const study::ExecuteOptions& execution, const Progress& progress) {
  std::vector<study::RunRequest> plan;
  for (const auto& [source, learner, seed] : runs) {
    study::RunRequest& run = plan.emplace_back(study::RunRequest{source});
    run.run = study::told_to(learner_of(learner), {.task = task, .recovery = recovery});
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
  out["seconds"] = row.seconds_median;
  return out;
}

py::list rows_of(const std::vector<RunResult>& runs) {
  py::list out;
  for (const study::ComparisonRow& row : study::rows_of(runs)) out.append(dict_of(row));
  return out;
}

std::string text_of(const report::Figure& figure) {
  return text_of_json(report::to_json(figure));
}

std::vector<std::string> figures_of(const std::vector<RunResult>& runs) {
  std::vector<std::string> out;
  for (const report::Figure& figure : study::sweep_figures(study::rows_of(runs)))
    out.push_back(text_of(figure));
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
                       const std::string& source, const SpecOrText& learner,
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
  curve.method = learner_of(learner);
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
  py::class_<study::Source>(module, "_Source")
      .def_property_readonly("name", &study::Source::name)
      .def_property_readonly("label", &study::Source::label);
  module.def("_members", &members_of);
  module.def("_examples_source", [](const std::string& name, const Samples& samples) {
    return study::Source::of(name, samples.source);
  });
  module.def("_seeds", [](Seeds seeds) { return seeds; });
  module.def("_seed", [](Seed<> seed) { return seed; });
  module.def("_execute",
             [](const std::vector<std::tuple<study::Source, SpecOrText, Seed<>>>& runs,
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
  module.def("_rows", &rows_of);
  module.def("_figures", &figures_of);
  module.def("_curve_looks", &curve_looks);
  module.def("_success_curve", &success_curve);
  module.def("_sweep", [](const Path<"file">& file, const Path<"folder">& folder, const std::string& command,
                          Jobs jobs, const Progress& progress) {
    return interruptibly(
        [&](const RunContext& context) {
          return study::run_sweep({.file = file.value,
                                   .folder = folder.value,
                                   .command = command,
                                   .jobs = static_cast<int>(jobs)},
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
