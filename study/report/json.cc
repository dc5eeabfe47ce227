#include "study/report/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hardhead::report {

std::string schema(Document kind) {
  return fmt::format("hardhead.{}/1", kind.name());
}

Json report_json(Document kind, const Json& fields) {
  Json out{{"schema", schema(kind)}};
  out.update(fields);
  return out;
}

Json report_json(Document kind) {
  return report_json(kind, Json::object());
}

}  // namespace hardhead::report
