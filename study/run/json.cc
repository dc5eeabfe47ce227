#include "study/run/json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text/json.h"
#include "learner/fits/external.h"
#include "report/json.h"

namespace hardhead::study {
namespace {

using Json = nlohmann::ordered_json;

using report::or_null;

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
           {"seconds", report::number_or_null(phase.seconds)},
           {"examples", phase.examples},
           {"rows_kept", or_null(phase.rows_kept)}};
  for (const auto& [name, value] : phase.measures) out[name] = report::number_or_null(value);
  return out;
}

double number(const Json& value) {
  return value.is_null() ? NAN : value.get<double>();
}

std::string text(const Json& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}

std::optional<std::int64_t> count(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(report::integer_from_json<std::int64_t>(value));
}

ProblemSummary problem_from_json(const Json& document) {
  const Json& instance = document.at("instance");
  ProblemSummary out;
  out.source = instance.at("source");
  out.spec = text(instance.at("spec"));
  out.digest = instance.at("digest");
  out.d = report::integer_from_json<attention::Index>(instance.at("d"));
  out.k = report::integer_from_json<attention::Index>(instance.at("k"));
  out.m = count(instance.at("m"));
  out.inputs = attention::parse_inputs(instance.at("inputs").get<std::string>());
  out.null_error = number(document.at("null_error"));
  out.null_description = document.at("null_predictor");
  out.test_count = report::integer_from_json<std::int64_t>(document.at("test_examples"));
  if (!document.at("holdout").is_null()) out.holdout = number(document.at("holdout"));
  return out;
}

/// Two numbers; nothing for null, and in runs of before there was such a key.
std::optional<statistics::Interval> interval_from_json(const Json& document) {
  if (!document.contains("advantage_interval") || document.at("advantage_interval").is_null())
    return std::nullopt;
  const Json& ends = document.at("advantage_interval");
  return statistics::Interval{ends.at(0).get<double>(), ends.at(1).get<double>()};
}

/// The degree that is written there; that of a run of before there was such a key by what it says otherwise.
std::optional<Degree> degree_from_json(const Json& document, const Score& score) {
  if (document.contains("degree")) {
    const std::string name = text(document.at("degree"));
    return name.empty() ? std::nullopt : std::optional(value_named<Degree>("degree", name));
  }
  return degree_of(
      {score.test_error, number(document.at("recovery")), score.advantage, score.advantage_interval});
}

Score score_from_json(const Json& document) {
  Score out;
  out.outcome = value_named<Outcome>("outcome", document.at("outcome").get<std::string>());
  out.test_error = number(document.at("test_error"));
  out.advantage = number(document.at("advantage"));
  out.advantage_interval = interval_from_json(document);
  out.heads_found = count(document.at("heads_found"));
  if (const Json& match = document.at("parameter_error"); !match.is_null())
    out.parameter_error = HeadMatch{{}, errors(match.at("theta")), errors(match.at("w"))};
  if (const std::string cause = text(document.at("likely_cause")); !cause.empty())
    out.likely_cause = LikelyCause::parse(cause);
  out.degree = degree_from_json(document, out);
  return out;
}

learner::Phase phase_from_json(const Json& document) {
  learner::Phase out;
  for (const auto& [key, value] : document.items()) {
    if (key == "name")
      out.name = value;
    else if (key == "seconds")
      out.seconds = number(value);
    else if (key == "examples")
      out.examples = report::integer_from_json<std::int64_t>(value);
    else if (key == "rows_kept")
      out.rows_kept = count(value);
    else
      out.add(key, number(value));
  }
  return out;
}

}  // namespace

Json interval_to_json(const std::optional<statistics::Interval>& interval) {
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) return nullptr;
  return Json::array({interval->low, interval->high});
}

Json to_json(const RunResult& result) {
  Json out = report::report_json();
  out["instance"] = {{"spec", report::text_or_null(result.problem.spec)},
                     {"source", result.problem.source},
                     {"digest", result.problem.digest},
                     {"d", result.problem.d},
                     {"k", result.problem.k},
                     {"m", or_null(result.problem.m)},
                     {"inputs", attention::to_string(result.problem.inputs)}};
  out["method"] = result.request.method.str();
  out["options"] = Json::object();
  for (const auto& [key, value] : result.options.values) out["options"][key] = value;
  out["heads_told"] = or_null(result.request.task.heads);
  out["examples_allowed"] = or_null(result.request.task.examples);
  out["outcome"] = to_string(result.score.outcome);
  out["degree"] = result.score.degree ? Json(name_of(*result.score.degree)) : Json(nullptr);
  out["failed_phase"] = report::text_or_null(result.report.failed_phase);
  out["message"] = result.report.message;
  out["likely_cause"] = result.score.likely_cause ? Json(result.score.likely_cause->str()) : Json(nullptr);
  out["heads_found"] = or_null(result.score.heads_found);
  out["test_error"] = report::number_or_null(result.score.test_error);
  out["null_error"] = report::number_or_null(result.problem.null_error);
  out["advantage"] = report::number_or_null(result.score.advantage);
  out["advantage_interval"] = interval_to_json(result.score.advantage_interval);
  out["recovery"] = report::number_or_null(result.request.recovery);
  out["null_predictor"] = result.problem.null_description;
  out["test_examples"] = result.problem.test_count;
  out["holdout"] = or_null(result.problem.holdout);
  out["parameter_error"] = nullptr;
  if (result.score.parameter_error)
    out["parameter_error"] = {{"theta", list(result.score.parameter_error->theta_error)},
                              {"w", list(result.score.parameter_error->w_error)}};
  out["phases"] = Json::array();
  for (const learner::Phase& phase : result.report.phases) out["phases"].push_back(to_json(phase));
  out["examples_used"] = result.report.examples_used;
  out["seconds"] = report::number_or_null(result.report.seconds);
  out["threads"] = result.threads;
  out["seed"] = result.request.task.seed;
  out["version"] = result.version;
  return out;
}

RunResult run_from_json(const Json& document) {
  RunResult out;
  out.problem = problem_from_json(document);
  out.request.method = learner::parse_method(document.at("method").get<std::string>());
  out.request.recovery = number(document.at("recovery"));
  out.request.task.heads = count(document.at("heads_told"));
  out.request.task.examples = count(document.at("examples_allowed"));
  out.request.task.seed = report::integer_from_json<std::uint64_t>(document.at("seed"));
  out.options.name = out.request.method.name;
  for (const auto& [key, value] : document.at("options").items()) out.options.values.emplace_back(key, value);
  out.score = score_from_json(document);
  out.report.failed_phase = text(document.at("failed_phase"));
  if (out.score.outcome == Outcome::stopped)
    out.report.ending = learner::Ending::stopped;
  else if (!out.report.failed_phase.empty())
    out.report.ending = learner::Ending::failed;
  out.report.message = document.at("message");
  for (const Json& phase : document.at("phases")) out.report.phases.push_back(phase_from_json(phase));
  out.report.examples_used = report::integer_from_json<std::int64_t>(document.at("examples_used"));
  out.report.seconds = number(document.at("seconds"));
  out.threads = report::integer_from_json<int>(document.at("threads"));
  out.version = document.at("version");
  return out;
}

std::string json_text(const RunResult& result) {
  return text_of_json(to_json(result), 2) + "\n";
}

}  // namespace hardhead::study
