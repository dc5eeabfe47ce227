#include "python/arguments.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "python/bindings.h"

namespace hardhead::python {
namespace {

py::module_ numpy() {
  return py::module_::import("numpy");
}

/// Runs `body`; what Python raises in it but for interrupts becomes a refusal, in one line.
template <class Body>
auto or_refused(const char* name, py::handle given, const char* expected, const Body& body) {
  try {
    return body();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    throw InputError(fmt::format("{} is a {}: {} is expected", name, type_name(given), expected));
  }
}

bool is_truth_value(py::handle given) {
  return PyBool_Check(given.ptr()) != 0 || py::isinstance(given, numpy().attr("bool_"));
}

/// The letter of a NumPy scalar's or array's kind; 0 for what is neither.
char letter_of(py::handle given) {
  return py::isinstance(given, numpy().attr("generic")) || py::isinstance<py::array>(given)
             ? given.attr("dtype").attr("kind").cast<std::string>().front()
             : '\0';
}

const char* range_of(Reals which) {
  switch (which) {
    case Reals::finite:
      return "a finite number";
    case Reals::at_least_0:
      return "a number of at least 0";
    case Reals::above_0:
    case Reals::limit:
      return "a number above 0";
    case Reals::between_0_and_1:
      return "a number above 0 and below 1";
    case Reals::above_1:
      return "a number above 1";
  }
  return "a number";
}

bool is_in(double value, Reals which) {
  if (which == Reals::limit) return value > 0;
  if (!std::isfinite(value)) return false;
  switch (which) {
    case Reals::at_least_0:
      return value >= 0;
    case Reals::above_0:
      return value > 0;
    case Reals::between_0_and_1:
      return value > 0 && value < 1;
    case Reals::above_1:
      return value > 1;
    default:
      return true;
  }
}

constexpr const char* array_expected = "an array of numbers";

/// What PyTorch, and whatever speaks DLPack, hands to NumPy.
py::object as_numpy(const char* name, const py::object& given) {
  if (py::isinstance<py::array>(given)) return given;
  if (py::hasattr(given, "detach") && py::hasattr(given, "numpy"))
    return or_refused(name, given, array_expected, [&] {
      py::object tensor = given.attr("detach")().attr("cpu")();
      const bool is_real =
          !py::hasattr(tensor, "is_floating_point") || tensor.attr("is_floating_point")().cast<bool>();
      if (is_real) tensor = tensor.attr("double")();
      return py::object(tensor.attr("numpy")());
    });
  if (py::hasattr(given, "__dlpack__"))
    return or_refused(name, given, array_expected,
                      [&] { return py::object(numpy().attr("from_dlpack")(given)); });
  return given;
}

/// Masked arrays anywhere in lists: NumPy would drop their masks.
void check_mask(const char* name, const py::object& given, int depth) {
  constexpr int most_depth = 3;
  const py::module_ masked = py::module_::import("numpy.ma");
  if (py::isinstance(given, masked.attr("MaskedArray"))) {
    const auto entries = masked.attr("count_masked")(given).cast<std::int64_t>();
    if (entries > 0)
      throw InputError(
          fmt::format("{} has {} masked {}: numbers are expected in all; fill them, or leave them out", name,
                      entries, entries == 1 ? "entry" : "entries"));
  }
  if (depth < most_depth && (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)))
    for (const py::handle item : given) check_mask(name, py::reinterpret_borrow<py::object>(item), depth + 1);
}

/// The memory map that an array is a view of; None for none.
py::object map_of(py::object array) {
  const py::object maps = py::make_tuple(numpy().attr("memmap"), py::module_::import("mmap").attr("mmap"));
  py::object found = py::none();
  for (int depth = 0; depth < 64 && !array.is_none(); ++depth) {
    // A view of numpy.memmap is one, too: the last one has the place in the file.
    if (py::isinstance(array, numpy().attr("memmap")) || (found.is_none() && py::isinstance(array, maps)))
      found = array;
    if (PyMemoryView_Check(array.ptr()) != 0)
      array = array.attr("obj");
    else
      array = py::getattr(array, "base", py::none());
  }
  return found;
}

/// The file that an array's numbers are borrowed from; null for none. Throws InputError where it is shorter
/// than that.
std::shared_ptr<const BorrowedFile> borrowed(const char* name, const py::array& array) {
  if (array.size() == 0) return nullptr;
  const py::object map = map_of(array);
  if (map.is_none()) return nullptr;
  // NumPy 2 has moved it.
  const py::object bounds = py::hasattr(numpy(), "byte_bounds")
                                ? numpy().attr("byte_bounds")
                                : numpy().attr("lib").attr("array_utils").attr("byte_bounds");
  const auto ends = bounds(array).cast<std::pair<std::uintptr_t, std::uintptr_t>>();
  std::string path;
  std::uintmax_t least = 0;
  if (const py::object file = py::getattr(map, "filename", py::none()); !file.is_none()) {
    path = path_of(name, file);
    least = map.attr("offset").cast<std::uintmax_t>() + map.attr("nbytes").cast<std::uintmax_t>();
  }
  std::shared_ptr<const BorrowedFile> out(new BorrowedFile{
      {path.empty() ? name : path, reinterpret_cast<const void*>(ends.first), ends.second - ends.first},
      path,
      least});
  out->check();
  return out;
}

/// Whether this is a float, of Python's or NumPy's, without a fraction.
bool is_whole_real(py::handle given) {
  if (PyFloat_Check(given.ptr()) == 0 && !py::isinstance(given, numpy().attr("floating"))) return false;
  return given.attr("is_integer")().cast<bool>();
}

/// float64 holds integers up to 2^53 in size.
void check_exact(const char* name, const py::array& array) {
  if (array.itemsize() < static_cast<py::ssize_t>(sizeof(std::int64_t)) || array.size() == 0) return;
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const py::object largest = array.attr("max")(), least = array.attr("min")();
  for (const py::object& end : {largest, least})
    if (py::bool_(end.attr("__gt__")(most)) || py::bool_(end.attr("__lt__")(-most)))
      throw InputError(
          fmt::format("{} has the integer {}: numbers are float64, which hold integers up to 2^53", name,
                      std::string(py::str(end))));
}

}  // namespace

std::string said(py::handle given) {
  constexpr std::size_t most = 80;
  std::string text;
  try {
    text = py::repr(given);
  } catch (py::error_already_set&) {
    text = "a value";
  }
  for (char& c : text)
    if (c == '\n') c = ' ';
  if (text.size() > most) text = text.substr(0, most) + "..";
  return fmt::format("{} ({})", text, type_name(given));
}

void refuse_type(const char* name, py::handle given, const std::string& expected) {
  throw py::type_error(fmt::format("{} = {}: {} is expected", name, said(given), expected));
}

std::int64_t integer_of(const char* name, py::handle given, std::int64_t least, std::int64_t most) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::string expected = least == Limits::min() ? "an integer of 64 bits"
                               : most == Limits::max() && least != 0
                                   ? fmt::format("an integer of at least {}", least)
                                   : fmt::format("an integer in {} .. {}", least, most);
  const bool is_whole = is_whole_real(given);  // 1e3
  if (is_truth_value(given) || (PyIndex_Check(given.ptr()) == 0 && !is_whole))
    refuse_type(name, given, expected);
  const auto number =
      py::reinterpret_steal<py::object>(is_whole ? PyNumber_Long(given.ptr()) : PyNumber_Index(given.ptr()));
  if (!number) {
    PyErr_Clear();
    refuse_type(name, given, expected);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || value < least || value > most)
    throw InputError(fmt::format("{} = {}: {} is expected", name, std::string(py::str(number)), expected));
  return value;
}

double real_of(const char* name, py::handle given, Reals which) {
  const auto wrong_type = [&] { refuse_type(name, given, range_of(which)); };
  const char kind = letter_of(given);
  const bool is_array = py::isinstance<py::array>(given) && given.attr("ndim").cast<int>() > 0;
  if (is_truth_value(given) || PyComplex_Check(given.ptr()) != 0 || PyUnicode_Check(given.ptr()) != 0 ||
      PyBytes_Check(given.ptr()) != 0 || is_array ||
      (kind != '\0' && std::string_view("iuf").find(kind) == std::string_view::npos))
    wrong_type();
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Float(given.ptr()));
  if (!number) {
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (!too_large) wrong_type();
    throw InputError(fmt::format("{} = {}: {} is expected", name, said(given), range_of(which)));
  }
  const double value = PyFloat_AsDouble(number.ptr());
  if (!is_in(value, which))
    throw InputError(fmt::format("{} = {}: {} is expected", name, value, range_of(which)));
  return value;
}

std::string text_of(const char* name, py::handle given) {
  if (PyUnicode_Check(given.ptr()) == 0) refuse_type(name, given, "a text");
  return or_refused(name, given, "a text of Unicode", [&] { return given.cast<std::string>(); });
}

std::string path_of(const char* name, py::handle given) {
  if (PyUnicode_Check(given.ptr()) == 0 && PyBytes_Check(given.ptr()) == 0 &&
      !py::hasattr(given, "__fspath__"))
    refuse_type(name, given, "a path (str or os.PathLike)");
  return or_refused(name, given, "a path", [&] {
    const auto bytes = py::module_::import("os").attr("fsencode")(given).cast<std::string>();
    if (bytes.find('\0') != std::string::npos)
      throw InputError(fmt::format("{} = {}: a path has no NUL", name, said(given)));
    return bytes;
  });
}

py::array array_of(const char* name, const py::object& given) {
  check_mask(name, given, 0);
  const py::object source = as_numpy(name, given);
  return or_refused(name, given, array_expected, [&] { return py::array(numpy().attr("asarray")(source)); });
}

Numbers numbers_of(const char* name, const py::object& given, bool int8_too) {
  py::array array = array_of(name, given);
  const char kind = letter_of(array);
  if (std::string_view("iuf").find(kind) == std::string_view::npos) {
    const bool numbers_of_a_kind = std::string_view("cmMb").find(kind) != std::string_view::npos;
    throw InputError(numbers_of_a_kind
                         ? fmt::format("{} is a {} of {}: an array of real numbers is expected", name,
                                       type_name(given), std::string(py::str(array.dtype())))
                         : fmt::format("{} is a {}: {} is expected", name, type_name(given), array_expected));
  }
  const py::dtype type = array.dtype();
  std::shared_ptr<const BorrowedFile> watch = borrowed(name, array);
  if (type.equal(py::dtype::of<double>()) || (int8_too && type.equal(py::dtype::of<std::int8_t>())))
    return {array, watch};
  if (kind != 'f') check_exact(name, array);
  Numbers out{or_refused(name, given, array_expected,
                         [&] { return py::array(array.attr("astype")(py::dtype::of<double>(), "C")); })};
  if (watch) watch->check();
  return out;
}

py::array_t<double> dense_numbers_of(const char* name, const py::object& given) {
  const Numbers numbers = numbers_of(name, given, false);
  auto out = py::array_t < double, py::array::c_style | py::array::forcecast > ::ensure(numbers.array);
  if (!out) {
    PyErr_Clear();
    throw InputError(fmt::format("{} is a {}: {} is expected", name, type_name(given), array_expected));
  }
  if (numbers.watched) {  // what is copied later would not be checked
    out = out.attr("copy")();
    numbers.watched->check();
  }
  return out;
}

std::vector<std::int64_t> integers_of(const char* name, const py::array& given, std::int64_t least,
                                      std::int64_t most, const char* what) {
  const char kind = letter_of(given);
  if (kind != 'i' && kind != 'u')
    throw py::type_error(fmt::format("{} is an array of {}: an array of integers is expected", name,
                                     std::string(py::str(given.dtype()))));
  if (given.size() > 0)
    for (const char* end : {"min", "max"}) {
      const py::object extreme = given.attr(end)();
      if (py::bool_(extreme.attr("__lt__")(least)) || py::bool_(extreme.attr("__gt__")(most)))
        throw InputError(fmt::format("{}: {} is {}", name, std::string(py::str(extreme)), what));
    }
  const auto numbers = py::array_t < std::int64_t, py::array::c_style | py::array::forcecast > (given);
  return {numbers.data(), numbers.data() + numbers.size()};
}

}  // namespace hardhead::python

namespace pybind11::detail {

bool type_caster<hardhead::python::SpecOrText>::load(handle given, bool) {
  using namespace hardhead;
  if (pybind11::isinstance<Spec>(given))
    value.given = given.cast<const Spec&>();
  else if (PyUnicode_Check(given.ptr()) != 0)
    value.given = python::text_of("spec", given);
  else
    throw type_error(fmt::format("{}: a spec is expected, as a text or a Spec", python::said(given)));
  return true;
}

}  // namespace pybind11::detail
