#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/text/json.h"

namespace hardhead::report {

/// A report of these fields, an object: its "schema" first.
nlohmann::ordered_json report_json(const nlohmann::ordered_json& fields);
/// One without fields yet.
nlohmann::ordered_json report_json();

/// The number, or null if it is not finite.
nlohmann::ordered_json number_or_null(double value);
/// The text, or null if it is empty.
nlohmann::ordered_json text_or_null(const std::string& text);

/// The value, or null where there is none; a number that is not finite is null, too.
nlohmann::ordered_json or_null(const std::optional<double>& value);
nlohmann::ordered_json or_null(const std::optional<std::int64_t>& value);  ///< the same
nlohmann::ordered_json or_null(const std::optional<bool>& value);          ///< the same
nlohmann::ordered_json or_null(const std::optional<std::string>& value);   ///< the same

using hardhead::integer_from_json;

}  // namespace hardhead::report
