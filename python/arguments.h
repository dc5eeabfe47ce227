#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/text/seed.h"
#include "base/text/spec.h"
#include "python/arrays.h"

/// What Python may give where a number, a seed, a text, a path or an array is expected: the one conversion of
/// all functions of the module. A type names its argument and says its range, so that signatures are what
/// they were and a wrong value is refused in one line: what was given, and what is expected. A value of
/// another kind is a TypeError, a number out of its range and an array that is none an InputError.
namespace hardhead::python {

namespace py = pybind11;

/// The name of an argument, as a parameter of a template.
template <std::size_t length>
struct Name {
  constexpr Name(const char (&from)[length]) { std::copy_n(from, length, text); }
  char text[length]{};
};

/// "3.5 (float)": what was given, in one line.
std::string said(py::handle given);

/// Throws TypeError: "seeds = 'two' (str): an integer in 1 .. 9 is expected".
[[noreturn]] void refuse_type(const char* name, py::handle given, const std::string& expected);

/// An integer that Python, NumPy or PyTorch has, of any width, or a float without a fraction, such as 1e3;
/// True is none.
std::int64_t integer_of(const char* name, py::handle given, std::int64_t least, std::int64_t most);

/// Which real numbers an argument may be.
enum class Reals {
  finite,
  at_least_0,
  above_0,          ///< finite
  limit,            ///< above 0; infinity is no limit
  between_0_and_1,  ///< neither 0 nor 1
  above_1,          ///< finite
};

/// A real number: int, float, or what else says that it is one number, such as a Fraction or a NumPy scalar;
/// not a complex one, a text, a date, True, or an array.
double real_of(const char* name, py::handle given, Reals which);

/// A text.
std::string text_of(const char* name, py::handle given);

/// A text or an os.PathLike of one.
std::string path_of(const char* name, py::handle given);

/// One integer of a range.
template <Name name, std::int64_t least = 1, std::int64_t most = std::numeric_limits<std::int64_t>::max()>
struct Whole {
  static constexpr const char* label = name.text;
  static constexpr char shown[] = "int";  ///< in signatures
  std::int64_t value = least;
  operator std::int64_t() const { return value; }
  static Whole of(py::handle given) { return {integer_of(name.text, given, least, most)}; }
};

/// Any integer of 64 bits: what it may be is for the function to say.
template <Name name>
using Integer = Whole<name, std::numeric_limits<std::int64_t>::min()>;

/// Tokens of an input, heads of a layer.
using Tokens = Whole<"tokens", 1, 4096>;
using Heads = Whole<"heads", 1, 4096>;
/// Examples that a learner may read, runs of a study, runs at a time.
inline constexpr std::int64_t most_examples = 1'000'000'000'000;
using Examples = Whole<"examples", 1, most_examples>;
using Seeds = Whole<"seeds", 1, 100'000>;
using Jobs = Whole<"jobs", 1, 256>;

/// A seed (base/text/seed.h).
template <Name name = "seed">
struct Seed {
  static constexpr const char* label = name.text;
  static constexpr char shown[] = "int";  ///< in signatures
  std::uint64_t value = 1;
  operator std::uint64_t() const { return value; }
  static Seed of(py::handle given) {
    return {static_cast<std::uint64_t>(integer_of(name.text, given, 0, most_seed))};
  }
};

/// A real number.
template <Name name, Reals which>
struct Real {
  static constexpr const char* label = name.text;
  static constexpr char shown[] = "float";  ///< in signatures
  double value = 0;
  operator double() const { return value; }
  static Real of(py::handle given) { return {real_of(name.text, given, which)}; }
};

/// The test error up to which a layer counts as recovered.
using Recovery = Real<"recovery", Reals::above_0>;

/// A text.
template <Name name>
struct Text {
  static constexpr const char* label = name.text;
  static constexpr char shown[] = "str";  ///< in signatures
  std::string value;
  operator const std::string&() const { return value; }
  static Text of(py::handle given) { return {text_of(name.text, given)}; }
};

/// The path of a file or a folder.
template <Name name = "path">
struct Path {
  static constexpr const char* label = name.text;
  static constexpr char shown[] = "str | os.PathLike";  ///< in signatures
  std::string value;
  operator const std::string&() const { return value; }
  static Path of(py::handle given) { return {path_of(name.text, given)}; }
};

/// One of these types.
template <class Type>
concept OneArgument = requires(py::handle given) {
  { Type::of(given) } -> std::same_as<Type>;
  Type::shown;
  Type::label;
};

/// A spec as Python gives it: text or a Spec.
struct SpecOrText {
  std::variant<Spec, std::string> given{};
};

/// The value of an optional argument.
template <class Type>
auto value_of(const std::optional<Type>& given) {
  return given ? std::optional(given->value) : std::nullopt;
}

/// What a function of the package is told, by name. Each argument is taken once; whatever is left is a
/// mistake of ours.
class Arguments {
 public:
  explicit Arguments(const py::kwargs& given) : given_(given) {}

  /// A value that there is.
  template <OneArgument Type>
  auto take() {
    return Type::of(given_.attr("pop")(Type::label)).value;
  }
  /// A value that may be None.
  template <OneArgument Type>
  auto take_optional() {
    const py::object value = given_.attr("pop")(Type::label);
    return value.is_none() ? std::nullopt : std::optional(Type::of(value).value);
  }
  /// Any other object of a class that messages call `expected`.
  template <class Value>
  std::optional<Value> take_object(const char* name, const char* expected) {
    const py::object value = given_.attr("pop")(name);
    if (value.is_none()) return std::nullopt;
    try {
      return value.cast<Value>();
    } catch (const py::cast_error&) {
      refuse_type(name, value, expected);
    }
  }

 private:
  py::kwargs given_;
};

/// Numbers that were read where they lie, or copied.
struct Numbers {
  py::array array;
  /// Where a file lies behind them (numpy.memmap): tells whether it became shorter. Null otherwise.
  std::shared_ptr<const BorrowedFile> watched{};
};

/// The numbers of an array: NumPy's, a torch tensor of any float type on any device, with or without a
/// gradient, what speaks DLPack, and lists. float64 is taken where it lies, and with `int8_too` int8;
/// integers and floats of other widths are copied as float64 in C order. Throws InputError for what has no
/// numbers or others than real ones (texts, dates, complex numbers, truth values, objects), for masked
/// entries, which would be read as what lies under the mask, and for integers that no float64 holds.
Numbers numbers_of(const char* name, const py::object& given, bool int8_too);

/// The same as float64 in C order, copied or not.
py::array_t<double> dense_numbers_of(const char* name, const py::object& given);

/// The integers of an array in C order. Throws TypeError for numbers of another kind, InputError for those
/// outside of least .. most, calling them no `what`.
std::vector<std::int64_t> integers_of(const char* name, const py::array& given, std::int64_t least,
                                      std::int64_t most, const char* what);
/// NumPy's array of what was given, without a conversion of its numbers.
py::array array_of(const char* name, const py::object& given);

}  // namespace hardhead::python

namespace pybind11::detail {

/// The types of one argument above.
template <hardhead::python::OneArgument Type>
struct type_caster<Type> {
  PYBIND11_TYPE_CASTER(Type, const_name(Type::shown));
  bool load(handle given, bool) {
    value = Type::of(given);
    return true;
  }
  static handle cast(const Type& from, return_value_policy, handle) {
    return pybind11::cast(from.value).release();
  }
};

/// Text and Spec.
template <>
struct type_caster<hardhead::python::SpecOrText> {
  PYBIND11_TYPE_CASTER(hardhead::python::SpecOrText, const_name("str or Spec"));
  bool load(handle given, bool convert);
};

}  // namespace pybind11::detail
