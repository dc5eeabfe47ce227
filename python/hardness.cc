#include <fmt/format.h>

#include "base/error.h"
#include "hardness/families/family.h"
#include "hardness/niceness/niceness.h"
#include "python/described.h"
#include "python/samples.h"
#include "study/cost/hard_presets.h"
#include "study/problem/problem.h"
#include "study/problem/source.h"

namespace hardhead::python {

template <>
struct Members<hardness::Condition> {
  using T = hardness::Condition;
  static constexpr auto list =
      std::tuple(&T::name, &T::subject, &T::heads, &T::at_least, &T::counts, &T::formula, &T::value,
                 &T::threshold, &T::constant, &T::constant_at_flip, &T::status, &T::reason);
};

template <>
struct Members<hardness::Certificate> {
  using T = hardness::Certificate;
  static constexpr auto list = std::tuple(&T::d, &T::m, &T::k, &T::conditions);
};

namespace {

using attention::Index;
using attention::Layer;
using hardness::Certificate;
using hardness::Condition;
using hardness::Family;
using hardness::Instance;

std::string status_of(const Condition& condition) {
  switch (condition.status) {
    case hardness::ConditionStatus::pass:
      return "pass";
    case hardness::ConditionStatus::fail:
      return "fail";
    default:
      return "not_applicable";
  }
}

Instance make_instance(const SpecOrText& spec) {
  const Spec parsed = study::source_spec(spec_of(spec).str());
  return interruptibly([&](const RunContext&) { return hardness::make_instance(parsed); });
}

Instance of_layer(const Layer& layer, Tokens tokens, const Text<"inputs">& inputs) {
  return study::instance_of(layer, tokens, attention::parse_inputs(inputs.value), "a layer");
}

Samples samples_of(const Instance& instance, Seed<> seed) {
  return {study::examples_of(instance, Domain::samples, seed)};
}

std::variant<Rational, double> null_error(const Instance& instance, Seed<> seed) {
  if (instance.null.exact_error) return *instance.null.exact_error;
  return interruptibly([&](const RunContext& context) {
    const auto source = source_of({instance});
    return open_problem(source, {.seed = seed}, context).null_error;
  });
}

/// What certify() judges.
std::variant<Layer, Instance, study::Source> judged(const py::object& given) {
  if (py::isinstance<Layer>(given)) return given.cast<Layer>();
  if (py::isinstance<Instance>(given)) return given.cast<Instance>();
  if (py::isinstance<py::str>(given) || py::isinstance<Spec>(given) || py::hasattr(given, "__fspath__"))
    return source_of(given.cast<SourceArgument>());
  throw InputError(fmt::format(
      "source is a {}: a Layer, an Instance, a spec or the path of a file is expected", type_name(given)));
}

Certificate certify(const py::object& given, std::optional<Tokens> tokens_given, const py::dict& constants) {
  const auto source = judged(given);
  const std::optional<Index> tokens = value_of(tokens_given);
  Spec chosen{"certificate", {}};
  for (const auto& [name, value] : constants) {
    const std::string key = text_of("a constant's name", name);
    chosen.values.emplace_back(key, fmt::format("{}", real_of(key.c_str(), value, Reals::finite)));
  }
  const hardness::NicenessConstants parameters = hardness::niceness_constants().read(chosen);
  return interruptibly([&](const RunContext& context) {
    if (const auto* layer = std::get_if<Layer>(&source))
      return hardness::certify(*layer, tokens, parameters, context.stop);
    if (const auto* instance = std::get_if<Instance>(&source))
      return hardness::certify(instance->layer, tokens ? tokens : instance->k, parameters, context.stop);
    const study::NamedLayer named = study::open_layer(std::get<study::Source>(source));
    return hardness::certify(named.layer, tokens ? tokens : named.k, parameters, context.stop);
  });
}

py::object to_dataframe(const Certificate& certificate) {
  py::list rows;
  for (const Condition& condition : certificate.conditions) {
    const py::object of = py::cast(condition);
    py::dict row;
    for (const char* name : {"name", "subject", "value", "threshold", "margin", "verdict", "counts",
                             "constant", "constant_at_flip", "reason"})
      row[name] = of.attr(name);
    rows.append(row);
  }
  return py::module_::import("pandas").attr("DataFrame")(rows);
}

}  // namespace

void bind_hardness(py::module_& module) {
  Record<Family>(module, "Family", "A family of instances.")
      .field("name", &Family::name)
      .field("summary", &Family::summary)
      .field("hidden", &Family::hidden)
      .field("assumptions", &Family::assumptions)
      .field("parameters", &Family::parameters)
      .field("presets", [](const Family& family) {
        std::vector<std::pair<std::string, std::string>> out;
        for (const auto& preset : family.presets) out.emplace_back(preset.spec, preset.meaning);
        return out;
      });

  Record<Instance> instance(module, "Instance", "One member of a family, with all that is known of it.");
  instance.field("spec", &Instance::spec)
      .field("digest", &Instance::digest)
      .field("d", [](const Instance& i) { return i.layer.d; })
      .field("k", &Instance::k)
      .field("inputs", [](const Instance& i) { return name_of(i.inputs); })
      .field("layer", &Instance::layer)
      .field("hidden", &Instance::hidden)
      .field("ceiling_error", [](const Instance& i) { return i.ceiling_error; })
      .field("null_description", [](const Instance& i) { return i.null.description; })
      .field("label_noise", &Instance::label_noise);
  instance.python()
      .def(py::init(&make_instance), "spec"_a, "Throws InputError for parameters out of range.")
      .def_static("of", &of_layer, "layer"_a, "tokens"_a = usual_tokens, "inputs"_a = "boolean",
                  "The instance of a layer that no spec names, labelled by its forward pass.")
      .def("null_error", &null_error, "seed"_a = 1,
           "Relative squared error of the null predictor. Exact, a Fraction, where the family hides "
           "something; else the best affine function's, a float, measured on the test examples of this seed.")
      .def("samples", &samples_of, "seed"_a = 1, "Training examples, as many as are asked for.");

  Record<Condition> condition(module, "Condition",
                              "One condition of the upper bound on one head, pair of heads, or the layer.");
  add_described(condition);
  condition.field("heads", &Condition::heads, "list[int]")
      .field("verdict", status_of, "Literal[\"pass\", \"fail\", \"not_applicable\"]")
      .field("at_least", &Condition::at_least, "bool")
      .pickled();
  Record<Certificate> certificate(module, "Certificate",
                                  "The niceness certificate: each condition, its value, its verdict.");
  certificate.field("d", &Certificate::d)
      .field("m", &Certificate::m)
      .field("k", &Certificate::k)
      .field("nice", &Certificate::nice)
      .field("conditions", &Certificate::conditions);
  certificate.field("met", [](const Certificate& c) { return c.counts().met; })
      .field("failed", [](const Certificate& c) { return c.counts().failed; })
      .pickled();
  certificate.python()
      .def("worst", &Certificate::worst, "Of every condition, the subject that is worst off.")
      .def("to_dataframe", &to_dataframe, "A row for each condition on each subject, for pandas.");
  module.def("niceness_constants", [] { return hardness::niceness_constants().rows(); });
  module.def("certify", &certify, "source"_a, "tokens"_a = py::none(), py::kw_only(),
             "constants"_a = py::dict(),
             "Judges a layer, an instance, or what a spec or a layer file names.");
}

}  // namespace hardhead::python
