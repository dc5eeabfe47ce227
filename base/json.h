#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardhead {

/// The document of a JSON text that anyone may have written; Json is nlohmann::json, or ordered_json where the order of names
/// counts. Throws InputError, without the name of the file, which the caller adds, for
/// - what is not JSON, with its offset; the text itself starts at `offset`,
/// - objects and lists within each other more than `max_depth` times: nlohmann's copies and its output recurse as deep,
/// - a name that comes twice in an object, of which nlohmann would drop one,
/// - a zero byte, which nlohmann takes for the end.
template <class Json>
Json parse_json(std::string_view text, int max_depth, std::size_t offset = 0);

/// A document as text, on one line or indented by `indent`. Bytes that are not UTF-8, of a path or of what another program said,
/// come out as U+FFFD: nlohmann's own default would throw.
template <class Json>
std::string text_of_json(const Json& document, int indent = -1);

}  // namespace hardhead
