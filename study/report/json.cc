#include "study/report/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace hardhead::report {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string schema(Document kind) {
  return fmt::format("hardhead.{}/1", name_of(kind));
}

Json report_json(Document kind, const Json& fields) {
  Json out{{"schema", schema(kind)}};
  out.update(fields);
  return out;
}

Json report_json(Document kind) {
  return report_json(kind, Json::object());
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}
Json or_null(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::optional<bool>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::optional<std::string>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace hardhead::report
