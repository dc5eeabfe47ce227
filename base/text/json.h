#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardhead {

/// The document of a JSON text that anyone may have written. Json is nlohmann::json, or ordered_json where
/// the order of names counts. Throws InputError for the following. Its text does not name the file; the
/// caller adds that.
/// - The text is not JSON: the error gives the offset, counted from `offset`, where the text itself starts.
/// - Objects and lists are nested more than `max_depth` times. (nlohmann's copies and its output recurse as
///   deep.)
/// - A name comes twice in an object. (nlohmann would drop one of the two.)
/// - There is a zero byte. (nlohmann takes it for the end.)
template <class Json>
Json parse_json(std::string_view text, int max_depth, std::size_t offset = 0);

/// A document as text, on one line or indented by `indent`. Bytes that are not UTF-8, as in a path or in what
/// another program printed, come out as U+FFFD; nlohmann's own default would throw.
template <class Json>
std::string text_of_json(const Json& document, int indent = -1);

/// The integer that a value is; Integer is int, std::int64_t or std::uint64_t. Throws InputError unless it is
/// one and fits.
template <class Integer>
Integer integer_from_json(const nlohmann::ordered_json& value);

}  // namespace hardhead
