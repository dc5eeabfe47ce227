#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text/parameters.h"
#include "base/text/seed.h"
#include "hardness/families/family.h"
#include "python/samples.h"

namespace hardhead::python {
namespace {

using attention::Layer;
using hardness::Family;
using hardness::Instance;

/// A family whose members a function of Python's makes. Objects are kept for the rest of the process, as
/// families are.
struct OwnFamily {
  std::string name;
  std::vector<Parameter> table;
  py::handle member;  ///< member(values by key): a Layer, or Samples of a member that has labels alone
  py::handle null;    ///< null(values by key): the relative error of its null predictor, or None
};

/// Names of all own families. Python's lock guards them.
std::vector<std::string>& own_names() {
  static auto* const names = new std::vector<std::string>;  // as families are kept
  return *names;
}

Parameter parameter_of(const std::string& key, const py::object& fallback) {
  constexpr double no_end = std::numeric_limits<double>::max();
  constexpr std::int64_t largest = 4096;
  if (key == "d" || key == "k" || key == "m")
    return Parameter::integer(key, integer_of(key.c_str(), fallback, 1, largest), 1, largest, "");
  if (PyBool_Check(fallback.ptr()) == 0 && PyIndex_Check(fallback.ptr()) != 0)
    return Parameter::integer(key, integer_of(key.c_str(), fallback, -most_seed, most_seed), -seed_end,
                              seed_end, "");
  if (PyUnicode_Check(fallback.ptr()) == 0)
    return Parameter::real(key, real_of(key.c_str(), fallback, Reals::finite), -no_end, no_end, "");
  Parameter out = Parameter::text(key, "");
  out.fallback = text_of(key.c_str(), fallback);
  if (out.fallback.empty() || out.fallback.find_first_of(",\n") != std::string::npos)
    throw InputError(
        fmt::format("{} = '{}': a text without ',' is expected, which a spec can have", key, out.fallback));
  return out;
}

/// Calls `body` with Python's lock. An exception of Python's is an InputError with its text.
template <class Body>
auto in_python(const std::string& spec, const Body& body) {
  const py::gil_scoped_acquire acquire;
  try {
    return body();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    const std::string type = py::str(error.type().attr("__name__")), text = py::str(error.value());
    throw InputError(fmt::format("spec '{}': {}: {}", spec, type, text));
  }
}

py::dict dict_of(const Parameters& values, const std::vector<Parameter>& table) {
  py::dict out;
  for (const Parameter& one : table) {
    const py::str key(one.name);
    if (one.kind == Parameter::Kind::integer)
      out[key] = values.integer(one.name);
    else if (one.kind == Parameter::Kind::real)
      out[key] = values.real(one.name);
    else
      out[key] = values.text(one.name);
  }
  return out;
}

/// Whether a spec says how many heads there are: where members have labels and no layer, it need not.
bool tells_heads(const OwnFamily& family) {
  return std::ranges::any_of(family.table, [](const Parameter& one) { return one.name == "m"; });
}

hardness::InstanceShape shape_of(const OwnFamily& family, const Spec& spec) {
  const Parameters values(spec, family.table);
  return {.d = values.integer("d"),
          .k = values.integer("k"),
          .m = tells_heads(family) ? values.integer("m") : 0,
          .inputs = attention::parse_inputs(values.text("inputs"))};
}

/// Throws InputError where a size of what the function made is another than the spec says.
void check_size(const std::string& spec, const char* what, std::int64_t made, std::int64_t said) {
  if (made != said)
    throw InputError(
        fmt::format("spec '{}': the function made {} = {}, the spec says {}", spec, what, made, said));
}

std::variant<Layer, Samples> member_of(const OwnFamily& family, const Spec& spec) {
  const Parameters values(spec, family.table);
  const std::string name = values.canonical().str();
  const hardness::InstanceShape shape = shape_of(family, spec);
  auto member = in_python(name, [&] {
    return family.member(dict_of(values, family.table)).cast<std::variant<Layer, Samples>>();
  });
  if (const auto* layer = std::get_if<Layer>(&member)) {
    check_size(name, "d", layer->d, shape.d);
    if (!tells_heads(family))
      throw InputError(fmt::format(
          "family '{}': m, the heads of its layers, is expected among the parameters", family.name));
    check_size(name, "m", layer->m(), shape.m);
  } else {
    const attention::SampleSource& source = *std::get<Samples>(member).source;
    check_size(name, "d", source.d(), shape.d);
    check_size(name, "k", source.k(), shape.k);
  }
  return member;
}

Instance make(const OwnFamily& family, const Spec& spec) {
  const Parameters values(spec, family.table);
  const std::string name = values.canonical().str();
  auto member = member_of(family, spec);
  if (std::holds_alternative<Samples>(member))
    throw InputError(fmt::format("spec '{}': this family has labels and no layer", name));
  const hardness::InstanceShape shape = shape_of(family, spec);
  Instance out = study::instance_of(std::move(std::get<Layer>(member)), shape.k, shape.inputs,
                                    fmt::format("spec '{}': the layer", name));
  out.spec = values.canonical();
  in_python(name, [&] {
    const py::object error = family.null(dict_of(values, family.table));
    if (error.is_none()) return;
    out.null.exact_error = error.cast<Rational>();
    out.null.description = fmt::format("as the family '{}' says", family.name);
    if (*out.null.exact_error <= 0)
      throw InputError(fmt::format("spec '{}': null = {}: a number above 0 is expected", name,
                                   to_string(*out.null.exact_error)));
  });
  return out;
}

std::vector<Parameter> table_of(const py::dict& parameters, const Text<"inputs">& inputs) {
  std::vector<Parameter> out;
  for (const auto& [key, fallback] : parameters) {
    const std::string name = text_of("a parameter", key);
    if (Spec::parse("family:" + name + "=1").values.size() != 1 || name == "seed" || name == "inputs")
      throw InputError(
          fmt::format("parameter '{}': every family has it, and it is given by its own name", name));
    out.push_back(parameter_of(name, py::reinterpret_borrow<py::object>(fallback)));
  }
  std::vector<std::string> choices{name_of(attention::parse_inputs(inputs.value))};
  for (const auto& known : enum_names(attention::Inputs{}))
    if (known.name != choices.front()) choices.emplace_back(known.name);
  out.push_back(Parameter::choice("inputs", choices, "distribution of X"));
  out.push_back(Parameter::integer("seed", 1, 0, seed_end, "of the instance"));
  return out;
}

void add_family(const Text<"name">& name, const std::string& summary, const py::dict& parameters,
                const Text<"inputs">& inputs, const py::function& member, const py::function& null) {
  const auto own = std::make_shared<OwnFamily>(OwnFamily{name.value, table_of(parameters, inputs), {}, {}});
  own->member = py::object(member).release();
  own->null = py::object(null).release();
  Family family;
  family.name = name.value;
  family.summary = summary;
  family.hidden = "what the function makes of the seed";
  family.assumptions = "none are claimed";
  family.parameters = own->table;
  family.canonical = [own](const Spec& spec) { return Parameters(spec, own->table).canonical(); };
  family.shape = [own](const Spec& spec) { return shape_of(*own, spec); };
  family.make = [own](const Spec& spec) { return make(*own, spec); };
  family.examples = [own](const Spec& spec) -> std::shared_ptr<const attention::SampleSource> {
    const auto made = member_of(*own, spec);
    if (const auto* samples = std::get_if<Samples>(&made)) return samples->source;
    return nullptr;
  };
  hardness::add_family(std::move(family));
  std::vector<std::string>& names = own_names();
  if (std::ranges::find(names, name.value) == names.end()) names.push_back(name.value);
}

/// Those of the library, then those of the caller.
std::vector<Family> all_families() {
  std::vector<Family> out(hardness::families().begin(), hardness::families().end());
  for (const std::string& name : own_names()) out.push_back(hardness::find_family(name));
  return out;
}

}  // namespace

void bind_own_families(py::module_& module) {
  module.def("families", &all_families);
  module.def("_add_family", &add_family);
}

}  // namespace hardhead::python
