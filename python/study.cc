#include <fmt/format.h>

#include "base/error.h"
#include "learner/external.h"
#include "python/samples.h"
#include "study/figure.h"
#include "study/json.h"
#include "study/run.h"
#include "study/test_error.h"

namespace hardhead::python {
namespace {

using attention::Index;
using attention::Layer;
using study::HeadMatch;
using study::RunResult;

using Source =
    std::variant<std::string, Spec, hardness::Instance, Samples, std::pair<py::object, py::object>>;

study::Problem open(const Source& source, const study::ProblemOptions& options, const RunControl& control) {
  if (const auto* name = std::get_if<std::string>(&source))
    return study::open_problem(*name, options, control);
  if (const auto* spec = std::get_if<Spec>(&source))
    return study::open_problem(spec->str(), options, control);
  if (const auto* instance = std::get_if<hardness::Instance>(&source))
    return study::open_problem(instance->spec.str(), options, control);
  const auto& samples = std::get<Samples>(source);
  if (samples.source->size() == attention::SampleSource::unlimited)
    throw InputError("examples without end cannot be held back from: name the instance that they are of");
  return study::problem_of_examples("x, y", samples.source, options, control);
}

void set_truth(study::Problem& problem, const std::optional<Layer>& truth) {
  if (!truth) return;
  if (problem.instance)
    throw InputError(fmt::format("'{}' brings its own layer; a truth is for examples only", problem.source));
  if (truth->d != problem.d)
    throw InputError(fmt::format("the truth has d = {}, the examples have d = {}", truth->d, problem.d));
  problem.truth = truth;
}

RunResult learn(Source source, const SpecOrText& method, std::optional<Index> heads,
                std::optional<std::int64_t> examples, std::uint64_t seed, std::uint64_t examples_seed,
                double holdout, const std::optional<Layer>& truth, double recovery,
                std::optional<double> time_limit, std::optional<double> memory_limit,
                const Progress& progress) {
  study::RunOptions options;
  const auto* text = std::get_if<std::string>(&method);
  options.method = text != nullptr ? learner::parse_method(*text) : std::get<Spec>(method);
  study::check_method(options.method);
  options.heads = heads;
  options.examples = examples;
  options.seed = seed;
  options.recovery = recovery;
  options.time_limit_seconds = time_limit;
  options.memory_limit_bytes = memory_limit;
  if (const auto* arrays = std::get_if<std::pair<py::object, py::object>>(&source))
    source = samples_of_arrays(arrays->first, arrays->second, std::nullopt);
  return interruptibly(
      [&](const RunControl& control) {
        study::Problem problem = open(source, {.seed = examples_seed, .holdout = holdout}, control);
        set_truth(problem, truth);
        return study::run(problem, options, control);
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
  using Style = study::FigureCurve::Style;
  study::Figure figure{.name = name,
                       .title = title,
                       .x = {.label = x, .log = log_x},
                       .y = {.label = y, .log = log_y},
                       .curves = {}};
  for (const auto& [label, points] : curves) {
    const auto& [xs, ys] = points;
    if (xs.size() != ys.size())
      throw InputError(fmt::format("curve '{}' has {} x and {} y", label, xs.size(), ys.size()));
    study::FigureCurve curve{label, {}, line ? Style::line_and_points : Style::points};
    for (std::size_t i = 0; i < xs.size(); ++i) curve.points.push_back({xs[i], ys[i]});
    figure.curves.push_back(std::move(curve));
  }
  for (const auto& [label, at] : levels) figure.levels.push_back({label, at});
  const py::gil_scoped_release release;
  study::draw(figure, folder);
}

}  // namespace

void bind_study(py::module_& module) {
  module.attr("__version__") = study::version();
  Record<HeadMatch>(module, "HeadMatch",
                    "An estimate's heads paired with the true ones, and how far off they are.")
      .field("partner", &HeadMatch::partner)
      .field("theta_error", &HeadMatch::theta_error)
      .field("w_error", &HeadMatch::w_error);
  module.def("match_heads", &study::match_heads, "truth"_a, "estimate"_a);

  Record<RunResult> result(module, "RunResult",
                           "A run of a learner with its score: the fields of `hardhead learn --json`.");
  result.field("source", &RunResult::source)
      .field("spec", &RunResult::spec)
      .field("digest", &RunResult::digest)
      .field("d", &RunResult::d)
      .field("k", &RunResult::k)
      .field("m", &RunResult::m)
      .field("inputs", [](const RunResult& r) { return to_string(r.inputs); })
      .field("method", &RunResult::method)
      .field("options", &RunResult::options)
      .field("outcome", [](const RunResult& r) { return to_string(r.outcome); })
      .field("failed_phase", &RunResult::failed_phase)
      .field("message", &RunResult::message)
      .field("likely_cause", &RunResult::likely_cause)
      .field("heads_found", &RunResult::heads_found)
      .field("test_error", &RunResult::test_error)
      .field("null_error", &RunResult::null_error)
      .field("null_description", &RunResult::null_description)
      .field("advantage", &RunResult::advantage)
      .field("test_examples", &RunResult::test_examples)
      .field("parameter_error", &RunResult::parameter_error)
      .field("phases", &RunResult::phases)
      .field("examples_used", &RunResult::examples_used)
      .field("seconds", &RunResult::seconds)
      .field("threads", &RunResult::threads)
      .field("seed", &RunResult::seed)
      .field("layer", &RunResult::layer);
  result.python()
      .def_property_readonly("recovered",
                             [](const RunResult& r) { return r.outcome == study::Outcome::recovered; })
      .def(
          "to_json", [](const RunResult& r) { return study::json_text(r); },
          "The text that `hardhead learn --json` prints.");

  module.def(
      "learn", &learn, "source"_a, "method"_a = "sculpt", py::kw_only(), "heads"_a = py::none(),
      "examples"_a = py::none(), "seed"_a = 1, "examples_seed"_a = 1, "holdout"_a = 0.1,
      "truth"_a = py::none(), "recovery"_a = 1e-10, "time_limit"_a = py::none(),
      "memory_limit"_a = py::none(), "progress"_a = py::none(),
      "Runs a learner on a spec, a file, an instance, Samples, or arrays (x, y), and judges what it learnt on "
      "examples it has not seen. progress(phase, fraction) is called now and then.");
  module.def("test_error", &test_error, "layer"_a, "samples"_a, "count"_a,
             "Relative squared error of a layer on the first `count` examples.");
  module.def(
      "draw", &draw, "folder"_a, "name"_a, "curves"_a, py::kw_only(), "title"_a, "x"_a, "y"_a,
      "log_x"_a = false, "log_y"_a = false, "levels"_a = std::map<std::string, double>{}, "line"_a = true,
      "Draws folder/NAME.svg and NAME.pdf with gnuplot: curves by label, each (x numbers, y numbers).");
}

}  // namespace hardhead::python
