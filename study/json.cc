#include "study/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hardhead::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "hardhead.report/1";

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}
Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json list(const std::vector<std::optional<double>>& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(or_null(value));
  return out;
}

Json to_json(const learner::Phase& phase) {
  Json out{{"name", phase.name},
           {"seconds", number_or_null(phase.seconds)},
           {"examples", phase.examples},
           {"rows_kept", or_null(phase.rows_kept)}};
  for (const auto& [name, value] : phase.measures) out[name] = number_or_null(value);
  return out;
}

Json to_json(const ComparisonRow& row) {
  Json results = Json::array();
  for (const RunResult& run : row.runs) results.push_back(to_json(run));
  return {{"instance", row.source},
          {"method", row.method},
          {"runs", row.runs.size()},
          {"recovered", row.recovered},
          {"stopped", row.stopped},
          {"heads_right", row.heads_right},
          {"recovery_interval", {row.recovery_rate.low, row.recovery_rate.high}},
          {"test_error", number_or_null(row.test_error_median)},
          {"null_error", number_or_null(row.null_error_median)},
          {"advantage",
           {{"median", number_or_null(row.advantage_median)},
            {"min", number_or_null(row.advantage_min)},
            {"max", number_or_null(row.advantage_max)}}},
          {"failed_phases", row.failed_phases},
          {"seconds", number_or_null(row.seconds_median)},
          {"results", std::move(results)}};
}

}  // namespace

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const RunResult& result) {
  Json out;
  out["schema"] = schema;
  out["instance"] = {{"spec", or_null(result.spec)},
                     {"source", result.source},
                     {"digest", result.digest},
                     {"d", result.d},
                     {"k", result.k},
                     {"m", or_null(result.m)},
                     {"inputs", attention::to_string(result.inputs)}};
  out["method"] = result.method.str();
  out["options"] = Json::object();
  for (const auto& [key, value] : result.options.values) out["options"][key] = value;
  out["outcome"] = to_string(result.outcome);
  out["failed_phase"] = or_null(result.failed_phase);
  out["message"] = result.message;
  out["heads_found"] = or_null(result.heads_found);
  out["test_error"] = number_or_null(result.test_error);
  out["null_error"] = number_or_null(result.null_error);
  out["advantage"] = number_or_null(result.advantage);
  out["recovery"] = number_or_null(result.recovery);
  out["null_predictor"] = result.null_description;
  out["test_examples"] = result.test_examples;
  out["holdout"] = or_null(result.holdout);
  out["parameter_error"] = nullptr;
  if (result.parameter_error)
    out["parameter_error"] = {{"theta", list(result.parameter_error->theta_error)},
                              {"w", list(result.parameter_error->w_error)}};
  out["phases"] = Json::array();
  for (const learner::Phase& phase : result.phases) out["phases"].push_back(to_json(phase));
  out["examples_used"] = result.examples_used;
  out["seconds"] = number_or_null(result.seconds);
  out["threads"] = result.threads;
  out["seed"] = result.seed;
  out["version"] = result.version;
  return out;
}

Json to_json(const Comparison& comparison) {
  Json out{{"schema", schema}, {"rows", Json::array()}};
  for (const ComparisonRow& row : comparison.rows) out["rows"].push_back(to_json(row));
  out["interrupted"] = comparison.interrupted;
  return out;
}

std::string json_text(const RunResult& result) {
  return to_json(result).dump(2) + "\n";
}
std::string json_text(const Comparison& comparison) {
  return to_json(comparison).dump(2) + "\n";
}

}  // namespace hardhead::study
