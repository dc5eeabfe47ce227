#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/record_json.h"

namespace hardhead {

/// A field as docs/records.md shows it.
struct RecordField {
  std::string key;   ///< "instance.spec"
  std::string type;  ///< "number", "text or null", "a list of integers"
};

namespace detail {

/// What the JSON of a type is, and of several.
struct JsonType {
  std::string one, several;
};

/// std::optional.
template <class Value>
concept Maybe = requires(const Value& value) { value.has_value(); };
/// Names and values.
template <class Value>
concept Pairs = std::same_as<typename Value::value_type::first_type, std::string>;

template <class Value>
JsonType json_type() {
  if constexpr (Maybe<Value>) {
    return {json_type<typename Value::value_type>().one + " or null",
            json_type<typename Value::value_type>().several + " or nulls"};
  } else if constexpr (std::floating_point<Value>) {
    return {"number", "numbers"};
  } else if constexpr (std::same_as<Value, bool>) {
    return {"true or false", "booleans"};
  } else if constexpr (std::integral<Value>) {
    return {"integer", "integers"};
  } else if constexpr (NamedEnum<Value>) {
    std::string names;
    for (const auto& entry : names_and_values<Value>())
      names += (names.empty() ? "" : " \\| ") + fmt::format("`{}`", entry.name);
    return {names, names};
  } else if constexpr (Ends<Value> && !Described<Value>) {
    return {"[low, high]", "pairs"};
  } else if constexpr (!Described<Value> && (std::convertible_to<Value, std::string_view> || Spoken<Value>)) {
    return {"text", "texts"};
  } else if constexpr (Described<Value> || Pairs<Value> || !List<Value>) {
    return {"object", "objects"};
  } else {
    return {"a list of " + json_type<typename Value::value_type>().several, "lists"};
  }
}

template <class Record>
class FieldLister : public FieldVisitor<FieldLister<Record>> {
 public:
  std::vector<RecordField> fields;

  void field(const FieldKey& key, const auto& way) {
    using Value = std::remove_cvref_t<decltype(way(std::declval<const Record&>()))>;
    fields.push_back(
        {prefix_ + std::string(key.name), json_type<Value>().one + (key.if_any ? " or null" : "")});
  }
  void object(std::string_view key, const auto&, const auto& part) {
    prefix_ = std::string(key) + ".";
    part(*this);
    prefix_.clear();
  }
  void others(const auto&) { fields.push_back({"..", "number"}); }

 private:
  std::string prefix_;
};

}  // namespace detail

/// The fields of a record's description, in its order.
template <Described Record>
std::vector<RecordField> record_fields() {
  detail::FieldLister<Record> lister;
  describe(lister, static_cast<const Record*>(nullptr));
  return std::move(lister.fields);
}

}  // namespace hardhead
