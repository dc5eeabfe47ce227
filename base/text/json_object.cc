#include "base/text/json_object.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace hardhead {

JsonObject::JsonObject(const Json& document, std::string place) : json_(&document), place_(std::move(place)) {
  if (!document.is_object()) fail(fmt::format("an object is expected, not {}", document.type_name()));
}

void JsonObject::fail(const std::string& key, const std::string& message) const {
  throw InputError(fmt::format("{}, {}: {}", place_, key, message));
}

void JsonObject::fail(const std::string& message) const {
  throw InputError(fmt::format("{}: {}", place_, message));
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> out;
  for (const auto& item : json_->items()) out.push_back(item.key());
  return out;
}

bool JsonObject::has(const std::string& key) const {
  return json_->contains(key);
}

bool JsonObject::is_null(const std::string& key) const {
  return at(key).is_null();
}

const Json& JsonObject::at(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(key, "is missing");
  return *found;
}

std::string JsonObject::text(const std::string& key) const {
  const Json& value = at(key);
  if (!value.is_string()) fail(key, fmt::format("a string is expected, not {}", value.type_name()));
  return value.get<std::string>();
}

bool JsonObject::boolean(const std::string& key) const {
  const Json& value = at(key);
  if (!value.is_boolean()) fail(key, fmt::format("true or false is expected, not {}", value.type_name()));
  return value.get<bool>();
}

double JsonObject::real(const std::string& key) const {
  const Json& value = at(key);
  if (!value.is_number()) fail(key, fmt::format("a number is expected, not {}", value.type_name()));
  return value.get<double>();
}

const Json& JsonObject::list(const std::string& key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(key, fmt::format("a list is expected, not {}", value.type_name()));
  return value;
}

std::vector<std::string> JsonObject::texts(const std::string& key) const {
  std::vector<std::string> out;
  for (const Json& value : list(key)) {
    if (!value.is_string())
      fail(key, fmt::format("a list of strings is expected, not of {}", value.type_name()));
    out.push_back(value.get<std::string>());
  }
  return out;
}

JsonObject JsonObject::object(const std::string& key) const {
  return {at(key), fmt::format("{}, {}", place_, key)};
}

template <std::integral Integer>
Integer JsonObject::integer(const std::string& key) const {
  const Json& value = at(key);
  if (value.is_number_unsigned()) {
    if (const auto x = value.get<std::uint64_t>(); std::in_range<Integer>(x)) return static_cast<Integer>(x);
  } else if (value.is_number_integer()) {
    if (const auto x = value.get<std::int64_t>(); std::in_range<Integer>(x)) return static_cast<Integer>(x);
  }
  // Nothing nested is printed: that recurses as deep as the document.
  fail(key,
       fmt::format("{} is not an integer in {} .. {}", value.is_number() ? value.dump() : value.type_name(),
                   std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
}
template int JsonObject::integer(const std::string&) const;
template std::int64_t JsonObject::integer(const std::string&) const;
template std::uint64_t JsonObject::integer(const std::string&) const;

}  // namespace hardhead
