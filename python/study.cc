#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "python/samples.h"
#include "report/figure.h"
#include "statistics/binomial_interval.h"
#include "statistics/isotonic.h"
#include "study/query/ask.h"
#include "study/run/json.h"
#include "study/run/memory.h"
#include "study/run/run.h"
#include "study/run/test_error.h"

namespace hardhead::python {
namespace {

using attention::Index;
using attention::Layer;
using study::HeadMatch;
using study::RunResult;

using SourceArgument =
    std::variant<std::string, Spec, hardness::Instance, Samples, std::pair<py::object, py::object>>;

study::Source source_of(const SourceArgument& argument) {
  if (const auto* name = std::get_if<std::string>(&argument)) return {*name};
  if (const auto* spec = std::get_if<Spec>(&argument)) return {spec->str()};
  if (const auto* instance = std::get_if<hardness::Instance>(&argument))
    return study::Source::of(std::make_shared<hardness::Instance>(*instance));
  if (const auto* arrays = std::get_if<std::pair<py::object, py::object>>(&argument))
    return study::Source::of("x, y", samples_of_arrays(arrays->first, arrays->second, std::nullopt).source);
  return study::Source::of("x, y", std::get<Samples>(argument).source);
}

RunResult learn(const SourceArgument& source, const SpecOrText& method, std::optional<Index> heads,
                std::optional<std::int64_t> examples, std::uint64_t seed, std::uint64_t examples_seed,
                double holdout, const std::optional<Layer>& truth, double recovery,
                std::optional<double> time_limit, std::optional<double> memory_limit,
                const Progress& progress) {
  const auto* text = std::get_if<std::string>(&method);
  const study::RunOptions options{.method = text != nullptr ? parse_learner(*text) : std::get<Spec>(method),
                                  .task = {.heads = heads,
                                           .examples = examples,
                                           .seed = seed,
                                           .memory_limit_bytes = memory_limit,
                                           .time_limit_seconds = time_limit},
                                  .recovery = recovery};
  study::check_method(options.method);
  const study::Source named = source_of(source);
  return interruptibly(
      [&](const RunContext& context) {
        study::check_memory(named, options);
        study::Problem problem = open_problem(named, {.seed = examples_seed, .holdout = holdout}, context);
        if (truth) study::set_truth(problem, *truth);
        return study::run(problem, options, context);
      },
      progress);
}

RunResult query(const SourceArgument& source, const SpecOrText& learner, double tolerance,
                const std::string& policy, const std::optional<std::string>& length,
                std::optional<std::int64_t> budget, std::optional<Index> heads, std::uint64_t seed,
                double recovery, std::optional<double> time_limit, std::optional<double> memory_limit,
                const Progress& progress) {
  const auto* text = std::get_if<std::string>(&learner);
  study::RunOptions options{.method = text != nullptr ? parse_learner(*text) : std::get<Spec>(learner),
                            .task = {.heads = heads,
                                     .seed = seed,
                                     .memory_limit_bytes = memory_limit,
                                     .time_limit_seconds = time_limit},
                            .recovery = recovery};
  options.values.tolerance = {tolerance, value_named<queries::AnswerPolicy>("policy", policy)};
  options.values.budget = budget;
  if (length) options.values.length = value_named<study::QueryLength>("length", *length);
  study::check_method(options.method);
  if (!study::asks_values(options.method.name))
    throw InputError(fmt::format("'{}' learns from examples: learn() runs it", options.method.str()));
  const study::Source named = source_of(source);
  return interruptibly(
      [&](const RunContext& context) {
        study::check_memory(named, options);
        return study::run(open_problem(named, {.seed = seed}, context), options, context);
      },
      progress);
}

double test_error(const Layer& layer, const Samples& samples, std::int64_t count) {
  const py::gil_scoped_release release;
  if (layer.d != samples.source->d())
    throw InputError(
        fmt::format("the layer has d = {}, the examples have d = {}", layer.d, samples.source->d()));
  if (count < 1) throw InputError(fmt::format("count = {}, but at least 1 example is needed", count));
  return study::test_error(&layer, *samples.source, count);
}

using Points = std::pair<std::vector<double>, std::vector<double>>;

/// study::draw for curves of plain numbers.
void draw(const std::string& folder, const std::string& name, const std::map<std::string, Points>& curves,
          const std::string& title, const std::string& x, const std::string& y, bool log_x, bool log_y,
          const std::map<std::string, double>& levels, bool line) {
  using Style = report::FigureCurve::Style;
  report::Figure figure{.name = name,
                        .title = title,
                        .x = {.label = x, .log = log_x},
                        .y = {.label = y, .log = log_y},
                        .curves = {}};
  for (const auto& [label, points] : curves) {
    const auto& [xs, ys] = points;
    if (xs.size() != ys.size())
      throw InputError(fmt::format("curve '{}' has {} x and {} y", label, xs.size(), ys.size()));
    report::FigureCurve curve{label, {}, line ? Style::line_and_points : Style::points};
    for (std::size_t i = 0; i < xs.size(); ++i) curve.points.push_back({xs[i], ys[i]});
    figure.curves.push_back(std::move(curve));
  }
  for (const auto& [label, at] : levels) figure.levels.push_back({label, at});
  const py::gil_scoped_release release;
  report::draw(figure, folder);
}

/// A count of a run by value queries; None of a run by examples.
auto of_values(std::int64_t study::ValuesUsed::* count) {
  return [count](const RunResult& r) { return r.values ? std::optional((*r.values).*count) : std::nullopt; };
}

void bind_run_result(py::module_& module) {
  Record<RunResult> result(module, "RunResult",
                           "A run of a learner with its score: the fields of `hardhead learn --json`.");
  result.field("source", [](const RunResult& r) { return r.problem.source; })
      .field("spec", [](const RunResult& r) { return r.problem.spec; })
      .field("digest", [](const RunResult& r) { return r.problem.digest; })
      .field("d", [](const RunResult& r) { return r.problem.d; })
      .field("k", [](const RunResult& r) { return r.problem.k; })
      .field("m", [](const RunResult& r) { return r.problem.m; })
      .field("inputs", [](const RunResult& r) { return to_string(r.problem.inputs); })
      .field("method", [](const RunResult& r) { return r.request.method; })
      .field("options", &RunResult::options)
      .field("outcome", [](const RunResult& r) { return to_string(r.score.outcome); })
      .field("degree",
             [](const RunResult& r) {
               return r.score.degree ? std::optional(name_of(*r.score.degree)) : std::nullopt;
             })
      .field("failed_phase", [](const RunResult& r) { return r.report.failed_phase; })
      .field("message", [](const RunResult& r) { return r.report.message; })
      .field("likely_cause",
             [](const RunResult& r) {
               return r.score.likely_cause ? r.score.likely_cause->str() : std::string();
             })
      .field("heads_found", [](const RunResult& r) { return r.score.heads_found; })
      .field("test_error", [](const RunResult& r) { return r.score.test_error; })
      .field("null_error", [](const RunResult& r) { return r.problem.null_error; })
      .field("ceiling_error", [](const RunResult& r) { return r.problem.ceiling_error; })
      .field("null_description", [](const RunResult& r) { return r.problem.null_description; })
      .field("advantage", [](const RunResult& r) { return r.score.advantage; })
      .field("advantage_interval",
             [](const RunResult& r) -> std::optional<std::pair<double, double>> {
               if (!r.score.advantage_interval) return std::nullopt;
               return std::pair(r.score.advantage_interval->low, r.score.advantage_interval->high);
             })
      .field("test_examples", [](const RunResult& r) { return r.problem.test_count; })
      .field("parameter_error", [](const RunResult& r) { return r.score.parameter_error; })
      .field("phases", [](const RunResult& r) { return r.report.phases; })
      .field("examples_used", [](const RunResult& r) { return r.report.examples_used; })
      .field("access", [](const RunResult& r) { return r.values ? "values" : "examples"; })
      .field("queries_used", of_values(&study::ValuesUsed::queries))
      .field("tokens_used", of_values(&study::ValuesUsed::tokens))
      .field("hidden", [](const RunResult& r) { return r.values ? r.values->hidden : std::nullopt; })
      .field("hidden_right",
             [](const RunResult& r) { return r.values ? r.values->hidden_right : std::nullopt; })
      .field("exactly_right",
             [](const RunResult& r) { return r.values ? r.values->exactly_right : std::nullopt; })
      .field("seconds", [](const RunResult& r) { return r.report.seconds; })
      .field("threads", &RunResult::threads)
      .field("seed", [](const RunResult& r) { return r.request.task.seed; })
      .field("layer", [](const RunResult& r) { return r.report.layer; });
  result.python()
      .def_property_readonly("recovered",
                             [](const RunResult& r) { return r.score.outcome == study::Outcome::recovered; })
      .def(
          "to_json", [](const RunResult& r) { return study::json_text(r); },
          "The text that `hardhead learn --json` prints.");
}

}  // namespace

void bind_study(py::module_& module) {
  module.attr("__version__") = version();
  Record<HeadMatch>(module, "HeadMatch",
                    "An estimate's heads paired with the true ones, and how far off they are.")
      .field("partner", &HeadMatch::partner)
      .field("theta_error", &HeadMatch::theta_error)
      .field("w_error", &HeadMatch::w_error);
  module.def(
      "match_heads",
      [](const Layer& truth, const Layer& estimate, std::optional<Index> tokens, const std::string& inputs) {
        return study::match_heads(truth, estimate, tokens, {}, last_feature(attention::parse_inputs(inputs)));
      },
      "truth"_a, "estimate"_a, "tokens"_a = py::none(), py::kw_only(), "inputs"_a = "gaussian");
  bind_run_result(module);

  module.def("learn", &learn, "source"_a, "method"_a = "sculpt", py::kw_only(), "heads"_a = py::none(),
             "examples"_a = py::none(), "seed"_a = 1, "examples_seed"_a = 1, "holdout"_a = 0.1,
             "truth"_a = py::none(), "recovery"_a = 1e-10, "time_limit"_a = py::none(),
             "memory_limit"_a = py::none(), "progress"_a = py::none(),
             "Runs a learner on a spec, a file, an instance, Samples, or arrays (x, y), and judges what it "
             "learnt on examples it has not seen. progress(phase, fraction) is called now and then.");
  module.def("query", &query, "source"_a, "learner"_a = "mobius", py::kw_only(), "tolerance"_a = 0.0,
             "policy"_a = "uniform", "length"_a = py::none(), "budget"_a = py::none(), "heads"_a = py::none(),
             "seed"_a = 1, "recovery"_a = 1e-10, "time_limit"_a = py::none(), "memory_limit"_a = py::none(),
             "progress"_a = py::none(),
             "Learns a layer from its values at X that the learner chooses, as `hardhead query` does, and "
             "judges what it learnt on fresh examples. Answers may be off by `tolerance`; `policy` is "
             "'uniform', 'worst' or 'grid', `length` is 'fixed', 'free' or None (as the learner needs).");
  module.def(
      "binomial_interval",
      [](std::int64_t successes, std::int64_t trials, double confidence) {
        const statistics::Interval found = statistics::clopper_pearson(successes, trials, confidence);
        return std::pair(found.low, found.high);
      },
      "successes"_a, "trials"_a, "confidence"_a = 0.95,
      "The exact (Clopper-Pearson) interval of a success probability.");
  module.def(
      "nondecreasing_shares",
      [](const std::vector<std::pair<std::int64_t, std::int64_t>>& places) {
        std::vector<statistics::Successes> counts;
        for (const auto& [successes, trials] : places) counts.push_back({successes, trials});
        return statistics::nondecreasing_shares(counts);
      },
      "places"_a,
      "The likeliest success probabilities that do not fall, of (successes, trials) at each place.");
  module.def("test_error", &test_error, "layer"_a, "samples"_a, "count"_a,
             "Relative squared error of a layer on the first `count` examples.");
  module.def(
      "draw", &draw, "folder"_a, "name"_a, "curves"_a, py::kw_only(), "title"_a, "x"_a, "y"_a,
      "log_x"_a = false, "log_y"_a = false, "levels"_a = std::map<std::string, double>{}, "line"_a = true,
      "Draws folder/NAME.svg and NAME.pdf with gnuplot: curves by label, each (x numbers, y numbers).");
}

}  // namespace hardhead::python
