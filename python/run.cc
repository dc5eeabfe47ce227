#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "base/version.h"
#include "learner/learner.h"
#include "learner/method.h"
#include "python/described.h"
#include "python/own_learner.h"
#include "python/samples.h"
#include "study/problem/source.h"
#include "study/run/memory.h"
#include "study/run/run.h"
#include "study/run/test_error.h"
#include "study/run/values.h"

namespace hardhead::python {

template <>
struct Members<study::HeadMatch> {
  using T = study::HeadMatch;
  static constexpr auto list = std::tuple(&T::partner, &T::theta_error, &T::w_error);
};

template <>
struct Members<learner::CurvePoint> {
  using T = learner::CurvePoint;
  static constexpr auto list = std::tuple(&T::seconds, &T::steps, &T::holdout_error);
};

/// Without what it estimated, as in a journal.
template <>
struct Members<learner::Phase> {
  using T = learner::Phase;
  static constexpr auto list =
      std::tuple(&T::name, &T::seconds, &T::examples, &T::rows_kept, &T::measures, &T::curve);
};

namespace {

using attention::Index;
using attention::Layer;
using learner::Method;
using learner::Phase;
using study::HeadMatch;
using study::RunResult;

std::int64_t counting_bound(Whole<"d", 1, 1'000'000> d, Whole<"k", 1, 1'000'000> k,
                            Whole<"m", 1, 1'000'000> m) {
  return learner::counting_bound(d, k, m);
}

RunResult learn(const study::Source& named, const LearnerArgument& method, const py::kwargs& given) {
  Arguments from(given);
  study::RunOptions options{
      .method = method,
      .task = {.heads = from.take_optional<Heads>(),
               .examples = from.take_optional<Examples>(),
               .seed = from.take<Seed<>>(),
               .memory_limit_bytes = from.take_optional<Real<"memory_limit", Reals::limit>>(),
               .time_limit_seconds = from.take_optional<Real<"time_limit", Reals::limit>>()},
      .recovery = from.take<Recovery>()};
  options.values.tolerance = {from.take<Real<"tolerance", Reals::at_least_0>>(),
                              value_named<learner::AnswerPolicy>("policy", from.take<Text<"policy">>())};
  options.values.budget = from.take_optional<Whole<"budget">>();
  if (const auto length = from.take_optional<Text<"length">>())
    options.values.length = value_named<study::QueryLength>("length", *length);
  const study::ProblemOptions examples{.seed = from.take<Seed<"examples_seed">>(),
                                       .holdout = from.take<Real<"holdout", Reals::between_0_and_1>>()};
  const auto truth = from.take_object<Layer>("truth", "a Layer");
  study::check_access({&options.method, 1}, options);
  return interruptibly(
      [&](const RunContext& context) {
        study::check_memory(named, options);
        study::check_asking(options.method, options.values, named);
        study::Problem problem = open_problem(named, examples, context);
        if (truth) study::set_truth(problem, *truth);
        return study::run(problem, options, context);
      },
      from.take_object<py::function>("progress", "a function"));
}

double test_error(const Layer& layer, const Samples& samples, Whole<"count"> count) {
  if (layer.d != samples.source->d())
    throw InputError(
        fmt::format("the layer has d = {}, the examples have d = {}", layer.d, samples.source->d()));
  return interruptibly(
      [&](const RunContext& context) { return study::test_error(layer, *samples.source, count, context); });
}

/// Of each series that a spec or a file stands for, the members of runs 0, 1, .. of these seeds. A spec's own
/// seed, plus the number of the run, comes before them.
std::vector<std::vector<study::Source>> members_of(const SpecOrText& given,
                                                   const std::vector<Seed<>>& seeds) {
  const auto* text = std::get_if<std::string>(&given.given);
  std::vector<std::vector<study::Source>> out;
  for (const study::SourceSeries& series :
       study::series_of(text ? *text : std::get<Spec>(given.given).str())) {
    const bool takes_seed = series.member(0, 0).name() != series.member(0, 1).name();
    out.emplace_back();
    for (const Seed<>& seed : seeds)
      out.back().push_back(takes_seed ? series.member(0, seed) : series.member(std::ssize(out.back()), 0));
  }
  return out;
}

/// Says zero: tokens alone are wanted.
class NoLabels final : public attention::Teacher {
 public:
  void label(attention::Block& block) const override { block.y.setZero(); }
};

Samples tokens_of(Whole<"d"> d, Whole<"k"> k, const Text<"inputs">& inputs, Seed<> seed) {
  return {std::make_shared<attention::SimulatedSource>(std::make_shared<NoLabels>(), d, k,
                                                       attention::parse_inputs(inputs.value),
                                                       Stream(Domain::samples, seed, "teacher"))};
}

/// A copy of the layer that was judged.
std::optional<Layer> layer_of(const RunResult& result) {
  return result.layer() == nullptr ? std::nullopt : std::optional(*result.layer());
}

/// All of a run but its limits: the text of `learn --json`, what that leaves out, its layer, its phases with
/// their curves.
py::tuple state_of(const RunResult& result) {
  const auto& match = result.score.parameter_error;
  return py::make_tuple(study::json_text(result), match ? std::optional(match->partner) : std::nullopt,
                        layer_of(result), result.report.phases);
}

RunResult of_state(const std::string& json, const std::optional<std::vector<std::optional<Index>>>& partner,
                   const std::optional<Layer>& layer, std::vector<learner::Phase> phases) {
  RunResult result = study::run_from_json(parse_json<nlohmann::ordered_json>(json, 16), "a pickled run");
  if (partner && result.score.parameter_error) result.score.parameter_error->partner = *partner;
  result.report.layer = layer;
  result.report.phases = std::move(phases);
  return result;
}

void bind_run_result(py::module_& module) {
  Record<RunResult> result(module, "RunResult",
                           "A run of a learner with its score: the fields of `hardhead learn --json`.");
  add_described(result);
  result.field("layer", &layer_of, "Optional[Layer]");
  result.python()
      .def_property_readonly(
          "recovered", [](const RunResult& r) { return r.score.outcome == study::Outcome::recovered; },
          "bool")
      .def(
          "to_json", [](const RunResult& r) { return study::json_text(r); },
          "The text that `hardhead learn --json` prints.")
      .def(py::pickle(&state_of, [](const py::tuple& state) {
        return of_state(state[0].cast<std::string>(),
                        state[1].cast<std::optional<std::vector<std::optional<Index>>>>(),
                        state[2].cast<std::optional<Layer>>(), state[3].cast<std::vector<learner::Phase>>());
      }));
}

/// What the functions of runs.py and studies.py stand on.
void bind_sources(py::module_& module) {
  py::class_<study::Source>(module, "_Source")
      .def_property_readonly("name", &study::Source::name)
      .def_property_readonly("label", &study::Source::label)
      .def_property_readonly("null_error", [](const study::Source& source) {
        return interruptibly(
            [&](const RunContext& context) { return open_problem(source, {}, context).null_error; });
      });
  module.def("_source", [](const SourceArgument& given, const std::optional<Text<"name">>& name) {
    return source_of(given, name ? name->value : "");
  });
  module.def("_members", &members_of);
  module.def("_tokens", &tokens_of, "Examples whose labels are 0.");
  module.def("_learn", &learn);
}

}  // namespace

}  // namespace hardhead::python

namespace pybind11::detail {

bool type_caster<hardhead::python::SourceArgument>::load(handle given, bool) {
  namespace hh = hardhead;
  using hh::python::Samples;
  if (PyUnicode_Check(given.ptr()) != 0) {
    value.value = hh::python::text_of("source", given);
  } else if (isinstance<hh::Spec>(given)) {
    value.value = given.cast<const hh::Spec&>();
  } else if (isinstance<hh::hardness::Instance>(given)) {
    value.value = given.cast<const hh::hardness::Instance&>();
  } else if (isinstance<Samples>(given)) {
    value.value = given.cast<const Samples&>();
  } else if (isinstance<hh::attention::Layer>(given)) {
    value.value = given.cast<const hh::attention::Layer&>();
  } else if ((isinstance<tuple>(given) || isinstance<list>(given)) && len(given) == 2) {
    const auto arrays = reinterpret_borrow<sequence>(given);
    value.value = std::pair<object, object>(arrays[0], arrays[1]);
  } else if (hasattr(given, "__fspath__")) {  // a path, also where it looks like a spec
    const std::string path = hh::python::path_of("source", given);
    value.value = path.find('/') == std::string::npos ? "./" + path : path;
  } else {
    throw type_error(fmt::format(
        "source = {}: a spec, the path of a file, an Instance, a Layer, Samples or a pair of arrays (x, y) "
        "is expected",
        hh::python::said(given)));
  }
  return true;
}

}  // namespace pybind11::detail

namespace hardhead::python {

namespace {

/// "layer 3f2a91c0 (d=6, k=2, m=1)": an instance that no spec names.
std::string label_of(const hardness::Instance& instance) {
  constexpr std::size_t shown = 8;
  return fmt::format("layer {} (d={}, k={}, m={})", instance.digest.substr(0, shown), instance.layer.d,
                     instance.k, instance.layer.m());
}

}  // namespace

Spec learner_of(const SpecOrText& method) {
  const auto* text = std::get_if<std::string>(&method.given);
  return text != nullptr ? parse_learner(*text) : std::get<Spec>(method.given);
}

study::Source source_of(const SourceArgument& given, const std::string& label) {
  const auto& argument = given.value;
  const std::string name = label.empty() ? "x, y" : label;
  if (const auto* name = std::get_if<std::string>(&argument)) return {*name};
  if (const auto* spec = std::get_if<Spec>(&argument)) return {spec->str()};
  if (const auto* layer = std::get_if<Layer>(&argument))
    return source_of({study::instance_of(*layer, usual_tokens, attention::Inputs::boolean, "a layer")},
                     label);
  if (const auto* instance = std::get_if<hardness::Instance>(&argument)) {
    const auto shared = std::make_shared<hardness::Instance>(*instance);
    if (!instance->spec.name.empty()) return study::Source::of(shared);
    return study::Source::of(label.empty() ? label_of(*instance) : label, shared);
  }
  if (const auto* arrays = std::get_if<std::pair<py::object, py::object>>(&argument))
    return study::Source::of(name, samples_of_arrays(arrays->first, arrays->second, std::nullopt).source);
  return study::Source::of(name, std::get<Samples>(argument).source);
}

std::optional<std::pair<double, double>> ends(const std::optional<statistics::Interval>& interval) {
  return interval ? std::optional(std::pair(interval->low, interval->high)) : std::nullopt;
}

void bind_learner(py::module_& module) {
  Record<Method>(module, "Method", "A learner.")
      .field("name", &Method::name)
      .field("summary", &Method::summary)
      .field("guarantee", &Method::guarantee)
      .field("parameters", &Method::parameters);
  module.def("methods",
             [] { return std::vector<Method>(learner::methods().begin(), learner::methods().end()); });
  Record<Phase> phase(module, "Phase", "One phase of a run.");
  add_described(phase);
  phase
      .field(
          "curve",
          [](const Phase& phase) {
            py::list out;
            for (const learner::CurvePoint& point : phase.curve)
              out.append(py::make_tuple(point.seconds, point.steps, point.holdout_error));
            return out;
          },
          "list[tuple[float, int, float]]")
      .pickled();
  module.def("counting_bound", counting_bound, "d"_a, "k"_a, "m"_a,
             "Least number of examples that can determine a layer.");
}

void bind_run(py::module_& module) {
  module.attr("__version__") = version();
  Record<HeadMatch>(module, "HeadMatch",
                    "An estimate's heads paired with the true ones, and how far off they are.")
      .field("partner", &HeadMatch::partner)
      .field("theta_error", &HeadMatch::theta_error)
      .field("w_error", &HeadMatch::w_error)
      .pickled();
  module.def(
      "match_heads",
      [](const Layer& truth, const Layer& estimate, std::optional<Tokens> tokens,
         const Text<"inputs">& inputs) {
        const auto last = last_feature(attention::parse_inputs(inputs.value));
        return interruptibly([&](const RunContext& context) {
          return study::match_heads(truth, estimate, value_of(tokens), context.stop, last);
        });
      },
      "truth"_a, "estimate"_a, "tokens"_a = py::none(), py::kw_only(), "inputs"_a = "gaussian");
  bind_run_result(module);
  bind_sources(module);
  module.def("test_error", &test_error, "layer"_a, "samples"_a, "count"_a,
             "Relative squared error of a layer on the first `count` examples.");
}

}  // namespace hardhead::python
