#include "base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/shown.h"

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
        throw InputError(fmt::format("an object of the JSON has the name {} twice", shown(*name)));
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const typename Json::parse_error& error) {
    throw InputError(fmt::format("not JSON at offset {}", offset + error.byte - 1));
  } catch (const typename Json::exception& error) {
    throw InputError(fmt::format("not JSON: {}", shown(error.what())));
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

}  // namespace hardhead
