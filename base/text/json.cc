#include "base/text/json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/quoted.h"

namespace hardhead {
template <class Json>
Json parse_json(std::string_view text, int max_depth, std::size_t offset) {
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw InputError(fmt::format("not JSON: a zero byte at offset {}", offset + zero));
  std::vector<std::set<std::string>> names;  // of the objects that are open
  const auto watch = [&](int depth, typename Json::parse_event_t event, const Json& parsed) {
    using Event = typename Json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth >= max_depth)
      throw InputError(fmt::format("the JSON is nested too deeply: more than {} times", max_depth));
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::key)
      if (const auto [name, is_new] = names.back().insert(parsed.template get<std::string>()); !is_new)
        throw InputError(fmt::format("an object of the JSON has the name {} twice", hardhead::quoted(*name)));
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const typename Json::parse_error& error) {
    throw InputError(fmt::format("not JSON at offset {}", offset + error.byte - 1));
  } catch (const typename Json::exception& error) {
    throw InputError(fmt::format("not JSON: {}", hardhead::quoted(error.what())));
  }
}
template nlohmann::json parse_json(std::string_view, int, std::size_t);
template nlohmann::ordered_json parse_json(std::string_view, int, std::size_t);

template <class Json>
std::string text_of_json(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}
template std::string text_of_json(const nlohmann::json&, int);
template std::string text_of_json(const nlohmann::ordered_json&, int);

template <class Integer>
Integer integer_from_json(const nlohmann::ordered_json& value) {
  if (value.is_number_unsigned()) {
    if (const auto x = value.get<std::uint64_t>(); std::in_range<Integer>(x)) return static_cast<Integer>(x);
  } else if (value.is_number_integer()) {
    if (const auto x = value.get<std::int64_t>(); std::in_range<Integer>(x)) return static_cast<Integer>(x);
  }
  // Nothing nested is printed: that recurses as deep as the document.
  throw InputError(fmt::format("{} is not an integer in {} .. {}",
                               value.is_number() ? value.dump() : value.type_name(),
                               std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
}
template int integer_from_json(const nlohmann::ordered_json&);
template std::int64_t integer_from_json(const nlohmann::ordered_json&);
template std::uint64_t integer_from_json(const nlohmann::ordered_json&);

}  // namespace hardhead
