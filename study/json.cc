#include "study/json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "learner/external.h"

namespace hardhead::study {
namespace {

using Json = nlohmann::ordered_json;

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

std::vector<std::optional<double>> errors(const Json& values) {
  std::vector<std::optional<double>> out;
  for (const Json& value : values)
    out.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
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
          {"likely_causes", row.likely_causes},
          {"seconds", number_or_null(row.seconds_median)},
          {"results", std::move(results)}};
}

}  // namespace

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class Integer>
Integer integer_from_json(const Json& value) {
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
template int integer_from_json(const Json&);
template std::int64_t integer_from_json(const Json&);
template std::uint64_t integer_from_json(const Json&);

Json report_json(const Json& fields) {
  Json out{{"schema", "hardhead.report/1"}};
  out.update(fields);
  return out;
}

Json report_json() {
  return report_json(Json::object());
}

Json to_json(const RunResult& result) {
  Json out = report_json();
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
  out["heads_told"] = or_null(result.heads_told);
  out["examples_allowed"] = or_null(result.examples_allowed);
  out["outcome"] = to_string(result.outcome);
  out["failed_phase"] = or_null(result.failed_phase);
  out["message"] = result.message;
  out["likely_cause"] = or_null(result.likely_cause);
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

RunResult run_from_json(const Json& document) {
  const auto number = [](const Json& value) { return value.is_null() ? NAN : value.get<double>(); };
  const auto text = [](const Json& value) {
    return value.is_null() ? std::string() : value.get<std::string>();
  };
  const auto count = [](const Json& value) {
    return value.is_null() ? std::nullopt : std::optional(integer_from_json<std::int64_t>(value));
  };
  RunResult out;
  const Json& instance = document.at("instance");
  out.source = instance.at("source");
  out.spec = text(instance.at("spec"));
  out.digest = instance.at("digest");
  out.d = integer_from_json<attention::Index>(instance.at("d"));
  out.k = integer_from_json<attention::Index>(instance.at("k"));
  out.m = count(instance.at("m"));
  out.inputs = attention::parse_inputs(instance.at("inputs").get<std::string>());
  out.method = learner::parse_method(document.at("method").get<std::string>());
  out.options.name = out.method.name;
  for (const auto& [key, value] : document.at("options").items()) out.options.values.emplace_back(key, value);
  out.heads_told = count(document.at("heads_told"));
  out.examples_allowed = count(document.at("examples_allowed"));
  out.outcome = parse_outcome(document.at("outcome").get<std::string>());
  out.failed_phase = text(document.at("failed_phase"));
  out.message = document.at("message");
  out.likely_cause = text(document.at("likely_cause"));
  out.heads_found = count(document.at("heads_found"));
  out.test_error = number(document.at("test_error"));
  out.null_error = number(document.at("null_error"));
  out.advantage = number(document.at("advantage"));
  out.recovery = number(document.at("recovery"));
  out.null_description = document.at("null_predictor");
  out.test_examples = integer_from_json<std::int64_t>(document.at("test_examples"));
  if (!document.at("holdout").is_null()) out.holdout = number(document.at("holdout"));
  if (const Json& match = document.at("parameter_error"); !match.is_null())
    out.parameter_error = HeadMatch{{}, errors(match.at("theta")), errors(match.at("w"))};
  for (const Json& phase : document.at("phases")) {
    learner::Phase& p = out.phases.emplace_back();
    for (const auto& [key, value] : phase.items()) {
      if (key == "name")
        p.name = value;
      else if (key == "seconds")
        p.seconds = number(value);
      else if (key == "examples")
        p.examples = integer_from_json<std::int64_t>(value);
      else if (key == "rows_kept")
        p.rows_kept = count(value);
      else
        p.add(key, number(value));
    }
  }
  out.examples_used = integer_from_json<std::int64_t>(document.at("examples_used"));
  out.seconds = number(document.at("seconds"));
  out.threads = integer_from_json<int>(document.at("threads"));
  out.seed = integer_from_json<std::uint64_t>(document.at("seed"));
  out.version = document.at("version");
  return out;
}

Json to_json(const Comparison& comparison) {
  Json out = report_json({{"rows", Json::array()}});
  for (const ComparisonRow& row : comparison.rows) out["rows"].push_back(to_json(row));
  out["interrupted"] = comparison.interrupted;
  return out;
}

std::string json_text(const RunResult& result) {
  return text_of_json(to_json(result), 2) + "\n";
}
std::string json_text(const Comparison& comparison) {
  return text_of_json(to_json(comparison), 2) + "\n";
}

}  // namespace hardhead::study
