#pragma once
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hardhead {

/// A document whose objects keep the order of their names.
using Json = nlohmann::ordered_json;

/// The document of a JSON text that anyone may have written. AnyJson is Json, or nlohmann::json where the
/// order of names does not count. Throws InputError for the following. Its text does not name the file; the
/// caller adds that.
/// - The text is not JSON: the error gives the offset, counted from `offset`, where the text itself starts.
/// - Objects and lists are nested more than `max_depth` times. (nlohmann's copies and its output recurse as
///   deep.)
/// - A name comes twice in an object. (nlohmann would drop one of the two.)
/// - There is a zero byte. (nlohmann takes it for the end.)
/// Its time is linear in the text for nlohmann::json. A Json looks for a name through all of its object.
template <class AnyJson>
AnyJson parse_json(std::string_view text, int max_depth, std::size_t offset = 0);

/// Gets the name and the value of a member.
using MemberVisitor = std::function<void(const std::string& name, const nlohmann::json& value)>;
/// Calls `visit` for each member of the object that a JSON text is, in their order, and keeps one value at a
/// time. Throws InputError as parse_json() does, and for a text that is no object.
void for_each_json_member(std::string_view text, int max_depth, const MemberVisitor& visit,
                          std::size_t offset = 0);

/// A document as text, on one line or indented by `indent`. Bytes that are not UTF-8, as in a path or in what
/// another program printed, come out as U+FFFD; nlohmann's own default would throw.
template <class AnyJson>
std::string text_of_json(const AnyJson& document, int indent = -1);

}  // namespace hardhead
