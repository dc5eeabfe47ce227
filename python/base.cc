#include <fmt/format.h>
#include <tbb/global_control.h>

#include <memory>

#include "base/error.h"
#include "base/text/option_table.h"
#include "python/described.h"

namespace hardhead::python {
namespace {

py::object fraction_type() {
  return py::module_::import("fractions").attr("Fraction");
}

void bind_errors(py::module_& module) {
  // Later ones are tried first: from the general to the special.
  static const py::exception<Error> error = py::register_exception<Error>(module, "Error");
  const auto special = [&](PyObject* also) { return py::make_tuple(error, py::handle(also)); };
  py::register_exception<BudgetError>(module, "BudgetError", special(PyExc_RuntimeError));
  py::register_exception<InputError>(module, "InputError", special(PyExc_ValueError));
  module.attr("Error").attr("__doc__") = "Root of the errors that this module raises on purpose.";
  module.attr("InputError").attr("__doc__") =
      "A wrong call: an unknown name, a parameter out of range, a file that is damaged or does not fit.";
  module.attr("BudgetError").attr("__doc__") =
      "A run refused before it starts because its predicted cost exceeds a stated budget.";
}

py::dict values_of(const Spec& spec) {
  py::dict out;
  for (const auto& [key, value] : spec.values) out[py::str(key)] = value;
  return out;
}

void set_threads(Whole<"threads", 1, 1024> threads) {
  static std::unique_ptr<tbb::global_control> limit;
  limit.reset();
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads.value));
}

}  // namespace

Spec spec_of(const SpecOrText& spec) {
  if (const auto* text = std::get_if<std::string>(&spec.given)) return Spec::parse(*text);
  return std::get<Spec>(spec.given);
}

std::string type_name(py::handle given) {
  return py::str(py::type::of(given).attr("__name__"));
}

namespace {

/// (name, short text) of each field that __match_args__ lists.
std::vector<std::pair<std::string, std::string>> fields_of(const py::object& self) {
  const py::object shortener = py::module_::import("reprlib").attr("Repr")();
  shortener.attr("maxstring") = 80;
  shortener.attr("maxother") = 80;
  const py::object shorten = shortener.attr("repr");
  std::vector<std::pair<std::string, std::string>> out;
  for (const py::handle name : py::type::of(self).attr("__match_args__"))
    out.emplace_back(py::str(name), py::str(shorten(self.attr(name))));
  return out;
}

}  // namespace

py::str describe_record(const py::object& self) {
  std::string out = py::str(py::type::of(self).attr("__name__"));
  out += '(';
  std::string comma;
  for (const auto& [name, value] : fields_of(self)) {
    out += fmt::format("{}{}={}", comma, name, value);
    comma = ", ";
  }
  return out + ")";
}

py::str show_record(const py::object& self) {
  const py::object escape = py::module_::import("html").attr("escape");
  std::string out = "<table>";
  for (const auto& [name, value] : fields_of(self))
    out += fmt::format("<tr><th>{}</th><td>{}</td></tr>", name, std::string(py::str(escape(value))));
  return out + "</table>";
}

void bind_base(py::module_& module) {
  bind_errors(module);
  py::class_<Spec>(module, "Spec", "A name with parameters: `name:key=value,key=value`.")
      .def(py::init([](const Text<"text">& text) { return Spec::parse(text.value); }), "text"_a)
      .def_readonly("name", &Spec::name)
      .def_property_readonly("values", &values_of, "the values as text, in the order written")
      .def("__str__", &Spec::str)
      .def("__repr__", [](const Spec& spec) { return fmt::format("Spec('{}')", spec.str()); })
      .def(
          "__eq__", [](const Spec& a, const Spec& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const Spec& spec) { return py::hash(py::str(spec.str())); });
  Record<Parameter> parameter(module, "Parameter", "A parameter of a family, an option of a learner.");
  add_described(parameter);
  module.def("_whole", [](const std::string& name, const py::object& given, std::int64_t least) {
    return integer_of(name.c_str(), given, least, std::numeric_limits<std::int64_t>::max());
  });
  module.def("set_threads", &set_threads, "threads"_a,
             "Threads that the calls after this one use, all cores by default. Results do not depend on it.");
}

}  // namespace hardhead::python

namespace pybind11::detail {

bool type_caster<hardhead::Rational>::load(handle given, bool) {
  const object fraction = hardhead::python::fraction_type();
  object source = reinterpret_borrow<object>(given), text;
  if (isinstance(source, module_::import("numpy").attr("number"))) source = source.attr("item")();
  if (PyBool_Check(source.ptr()) != 0) source = none();
  if (isinstance<pybind11::str>(source))
    text = reinterpret_borrow<object>(source);
  else if (isinstance<pybind11::float_>(source))
    // A plain float prints its shortest decimal.
    text = pybind11::str(fraction(pybind11::repr(pybind11::float_(
        hardhead::python::real_of("an exact number", source, hardhead::python::Reals::finite)))));
  else if (isinstance<pybind11::int_>(source) || pybind11::isinstance(source, fraction))
    text = pybind11::str(source);
  else
    throw type_error(
        hardhead::python::said(given) +
        ": an exact number is expected, as an int, a float, a Fraction, or a text such as \"1/10\"");
  value = hardhead::parse_rational(text.cast<std::string>());
  return true;
}

handle type_caster<hardhead::Rational>::cast(const hardhead::Rational& value, return_value_policy, handle) {
  return hardhead::python::fraction_type()(hardhead::to_string(value)).release();
}

}  // namespace pybind11::detail
