#pragma once
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/enum_names.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/record.h"

/// Records as JSON, both ways. Numbers that are not finite and values that are not there are null; values of
/// an enumeration are their names; a struct with `low` and `high` is a pair of numbers.
namespace hardhead {

template <Described Record>
Json record_to_json(const Record& record);
template <Described Record>
void read_record(const JsonObject& json, Record& record);
/// A value by itself.
template <class Value>
Json json_value(const Value& value);
/// The value, or null.
template <class Value>
Json json_value(const std::optional<Value>& value);
/// Names and values are an object, in their order.
template <class Value>
Json json_value(const std::vector<std::pair<std::string, Value>>& pairs);

namespace detail {

template <class Value>
concept NamedEnum = std::is_enum_v<Value> && requires(Value value) { enum_names(value); };
template <class Value>
concept Ends = requires(Value value) {
  { value.low } -> std::convertible_to<double>;
  { value.high } -> std::convertible_to<double>;
};
template <class Value>
concept List = requires(Value value) {
  value.begin();
  value.size();
} && !requires { typename Value::key_type; };
template <class Value>
concept Spoken = requires(const Value& value) {
  { value.str() } -> std::convertible_to<std::string>;
};

}  // namespace detail

template <class Value>
Json json_value(const std::vector<std::pair<std::string, Value>>& pairs) {
  auto out = Json::object();
  for (const auto& [name, value] : pairs) out[name] = json_value(value);
  return out;
}

template <class Value>
Json json_value(const std::optional<Value>& value) {
  return value ? json_value(*value) : Json(nullptr);
}

template <class Value>
Json json_value(const Value& value) {
  if constexpr (std::floating_point<Value>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (Described<Value>) {
    return record_to_json(value);
  } else if constexpr (detail::NamedEnum<Value>) {
    return name_of(value);
  } else if constexpr (detail::Ends<Value>) {
    if (!std::isfinite(value.low) || !std::isfinite(value.high)) return nullptr;
    return Json::array({value.low, value.high});
  } else if constexpr (std::convertible_to<Value, std::string_view>) {
    return std::string(value);
  } else if constexpr (detail::Spoken<Value>) {
    return value.str();
  } else if constexpr (detail::List<Value>) {
    Json out = Json::array();
    for (const auto& entry : value) out.push_back(json_value(entry));
    return out;
  } else {
    return value;  // integers, true and false, documents, maps of these
  }
}

namespace detail {

/// Reads a value that json_value() wrote.
template <class Value>
void read_value(const JsonObject& json, const std::string& key, Value& out);
template <class Value>
void read_value(const JsonObject& json, const std::string& key, std::vector<Value>& out);

template <class Value>
void read_value(const JsonObject& json, const std::string& key, std::optional<Value>& out) {
  out.reset();
  if (!json.is_null(key)) read_value(json, key, out.emplace());
}

template <class Value>
void read_value(const JsonObject& json, const std::string& key, std::vector<Value>& out) {
  out.clear();
  for (const Json& entry : json.list(key)) {
    if constexpr (Described<Value>) {
      const JsonObject object(entry, fmt::format("{}, {} {}", json.place(), key, out.size() + 1));
      read_record(object, out.emplace_back());
    } else {
      const Json alone{{key, entry}};
      read_value(JsonObject(alone, json.place()), key, out.emplace_back());
    }
  }
}

template <class Value>
void read_value(const JsonObject& json, const std::string& key, Value& out) {
  if constexpr (Described<Value>) {
    read_record(json.object(key), out);
  } else if constexpr (std::same_as<Value, bool>) {
    out = json.boolean(key);
  } else if constexpr (std::floating_point<Value>) {
    out = json.is_null(key) ? std::numeric_limits<Value>::quiet_NaN() : json.real(key);
  } else if constexpr (std::integral<Value>) {
    out = json.integer<Value>(key);
  } else if constexpr (NamedEnum<Value>) {
    out = json.choice<Value>(key, key.c_str());
  } else if constexpr (Ends<Value>) {
    const Json& ends = json.list(key);
    if (ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number())
      json.fail(key, "two numbers are expected");
    out.low = ends[0].template get<double>();
    out.high = ends[1].template get<double>();
  } else if constexpr (requires { Value::parse(std::string()); }) {
    const std::string text = json.text(key);
    json.checked([&] { out = Value::parse(text); });
  } else {
    static_assert(std::same_as<Value, std::string>, "no JSON is read as this type");
    out = json.is_null(key) ? std::string() : json.text(key);
  }
}

/// The object of `out` that the key stands in, and what is behind the last dot.
inline std::pair<Json*, std::string> place_in(Json& out, std::string_view key) {
  Json* at = &out;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    at = &(*at)[std::string(key.substr(0, dot))];
    key.remove_prefix(dot + 1);
  }
  return {at, std::string(key)};
}

template <class Record>
class JsonWriter : public FieldVisitor<JsonWriter<Record>> {
 public:
  JsonWriter(const Record& record, Json& out) : record_(record), out_(out) {}

  void field(const FieldKey& key, const auto& way) {
    const auto [object, name] = place_in(out_, key.name);
    Json& value = (*object)[name];
    value = json_value(way(record_));
    if (key.if_any && value == "") value = nullptr;
  }
  void object(std::string_view key, const auto& is, const auto& part) {
    Json& value = out_[std::string(key)];
    if (!std::invoke(is, record_)) return;
    Json fields = Json::object();
    JsonWriter inner(record_, fields);
    part(inner);
    value = std::move(fields);
  }
  void others(const auto& way) {
    for (const auto& [name, value] : way(record_)) out_[name] = json_value(value);
  }

 private:
  const Record& record_;
  Json& out_;
};

template <class Record>
class JsonReader : public FieldVisitor<JsonReader<Record>> {
 public:
  JsonReader(const JsonObject& json, Record& record) : json_(json), record_(record) {}

  void field(const FieldKey& key, const auto& way) {
    using Value = decltype(way(record_));
    if (key.name.find('.') == std::string_view::npos) known_.emplace_back(key.name);
    if constexpr (std::is_lvalue_reference_v<Value> && !std::is_const_v<std::remove_reference_t<Value>>)
      read(json_, key, key.name, way(record_));
  }
  void object(std::string_view key, const auto&, const auto& part) {
    known_.emplace_back(key);
    const std::string name(key);
    if (!json_.has(name) || json_.is_null(name)) return;
    const JsonObject inner = json_.object(name);
    JsonReader reader(inner, record_);
    part(reader);
  }
  void others(const auto& way) {
    for (const std::string& name : json_.keys()) {
      if (std::ranges::find(known_, name) != known_.end()) continue;
      double value = 0;
      read_value(json_, name, value);
      way(record_).emplace_back(name, value);
    }
  }

 private:
  static void read(const JsonObject& json, const FieldKey& key, std::string_view name, auto& out) {
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
      return read(json.object(std::string(name.substr(0, dot))), key, name.substr(dot + 1), out);
    if (key.later && !json.has(std::string(name))) return;
    read_value(json, std::string(name), out);
  }

  const JsonObject& json_;
  Record& record_;
  std::vector<std::string> known_;
};

}  // namespace detail

/// The fields of the record, in the order of its description.
template <Described Record>
Json record_to_json(const Record& record) {
  Json out = Json::object();
  detail::JsonWriter<Record> writer(record, out);
  describe(writer, &record);
  return out;
}

/// Sets the fields of `record` that are read, to what record_to_json() wrote: null is NaN, an empty text or
/// no value. Keys that no field has are left alone. Throws InputError "PLACE, KEY: what is wrong".
template <Described Record>
void read_record(const JsonObject& json, Record& record) {
  detail::JsonReader<Record> reader(json, record);
  describe(reader, static_cast<const Record*>(&record));
}

}  // namespace hardhead
