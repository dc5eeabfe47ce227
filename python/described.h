#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/record_json.h"
#include "python/bindings.h"

/// Described records (base/text/record.h) as Python objects: an attribute for each field, by the last part of
/// its key (`pass_` where that is a word of Python's). Values of an enumeration are their names, pairs of
/// ends are tuples, names with values are dicts. The docstring of an attribute is its type, from which
/// scripts/stubs.py makes the stubs.
namespace hardhead::python {

template <class Value>
struct PythonValue {
  static py::object of(const Value& value) {
    if constexpr (detail::NamedEnum<Value>)
      return py::cast(name_of(value));
    else if constexpr (detail::Ends<Value> && !Described<Value>)
      return py::make_tuple(value.low, value.high);
    else if constexpr (detail::Spoken<Value> && !Described<Value> && !std::is_same_v<Value, Rational>)
      return py::cast(value.str());
    else
      return py::cast(value);
  }
  static std::string type() {
    if constexpr (std::is_same_v<Value, bool>) {
      return "bool";
    } else if constexpr (std::is_floating_point_v<Value>) {
      return "float";
    } else if constexpr (std::is_integral_v<Value>) {
      return "int";
    } else if constexpr (detail::NamedEnum<Value>) {
      std::string names;
      for (const std::string& name : names_of<Value>())
        names += (names.empty() ? "\"" : ", \"") + name + "\"";
      return "Literal[" + names + "]";
    } else if constexpr (Described<Value>) {
      return py::type::of<Value>().attr("__name__").template cast<std::string>();
    } else if constexpr (detail::Ends<Value>) {
      return "tuple[float, float]";
    } else if constexpr (std::is_same_v<Value, Rational>) {
      return "Fraction";
    } else {
      return "str";
    }
  }
};

template <class Value>
struct PythonValue<std::optional<Value>> {
  static py::object of(const std::optional<Value>& value) {
    return value ? PythonValue<Value>::of(*value) : py::none();
  }
  static std::string type() { return "Optional[" + PythonValue<Value>::type() + "]"; }
};

template <class Value>
struct PythonValue<std::vector<Value>> {
  static py::object of(const std::vector<Value>& values) {
    py::list out;
    for (const Value& value : values) out.append(PythonValue<Value>::of(value));
    return out;
  }
  static std::string type() { return "list[" + PythonValue<Value>::type() + "]"; }
};

template <class Value>
struct PythonValue<std::vector<std::pair<std::string, Value>>> {
  static py::object of(const std::vector<std::pair<std::string, Value>>& pairs) {
    py::dict out;
    for (const auto& [name, value] : pairs) out[py::str(name)] = PythonValue<Value>::of(value);
    return out;
  }
  static std::string type() { return "dict[str, " + PythonValue<Value>::type() + "]"; }
};

/// Makes an attribute of every field.
template <class T>
class PythonFields : public FieldVisitor<PythonFields<T>> {
 public:
  explicit PythonFields(Record<T>& record) : record_(record) {}

  void field(const FieldKey& key, const auto& way) {
    if (key.name == "schema") return;
    const std::string name(key.name.substr(key.name.rfind('.') + 1));
    if (!key.if_any) return add(name, way);
    if constexpr (std::is_convertible_v<decltype(way(std::declval<const T&>())), std::string>)
      add(name, [way](const T& record) {
        std::string text = way(record);
        return text.empty() ? std::nullopt : std::optional(std::move(text));
      });
  }
  void object(std::string_view, const auto&, const auto& part) { part(*this); }
  void others(const auto& way) { add("measures", way); }

 private:
  void add(std::string name, const auto& way) {
    if (py::module_::import("keyword").attr("iskeyword")(name).template cast<bool>()) name += '_';
    using Value = std::remove_cvref_t<decltype(way(std::declval<const T&>()))>;
    record_.field(
        name.c_str(), [way](const T& record) { return PythonValue<Value>::of(way(record)); },
        PythonValue<Value>::type());
  }

  Record<T>& record_;
};

/// The record with the attributes of its description.
template <Described T>
void add_described(Record<T>& record) {
  PythonFields<T> fields(record);
  describe(fields, static_cast<const T*>(nullptr));
}

/// Pickles a record whose description has all of it as its JSON.
template <Described T>
auto pickled_as_json(const char* place) {
  return py::pickle([](const T& record) { return text_of_json(record_to_json(record)); },
                    [place](const std::string& text) {
                      constexpr int max_depth = 16;
                      const auto document = parse_json<nlohmann::ordered_json>(text, max_depth);
                      T out;
                      read_record(JsonObject(document, place), out);
                      return out;
                    });
}

}  // namespace hardhead::python
