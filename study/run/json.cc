#include "study/run/json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "study/report/json.h"

namespace hardhead::study {
namespace {

using Json = nlohmann::ordered_json;

using report::or_null;

Json list(const std::vector<std::optional<double>>& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(or_null(value));
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

/// What a learner by values was allowed, and what it found that is not a layer; null for one by examples.
Json values_json(const RunResult& result) {
  if (!result.request.method.asks_values()) return nullptr;
  const ValueAccess& access = result.request.values;
  const learner::Report& report = result.report;
  return {{"length", name_of(*access.length)},
          {"tolerance", access.tolerance.tau},
          {"policy", name_of(access.tolerance.policy)},
          {"budget", or_null(access.budget)},
          {"out_of_queries", report.ending == learner::Ending::out_of_queries},
          {"exactly_right", or_null(result.score.exactly_right)},
          {"hidden", report.hidden ? Json(*report.hidden) : Json(nullptr)},
          {"hidden_right", or_null(result.score.hidden_right)}};
}

/// What to_json() made null: a number that was not finite, an empty text, a count that is not known.
double number(const JsonObject& json, const std::string& key) {
  return json.is_null(key) ? NAN : json.real(key);
}

std::string text(const JsonObject& json, const std::string& key) {
  return json.is_null(key) ? std::string() : json.text(key);
}

std::optional<std::int64_t> count(const JsonObject& json, const std::string& key) {
  return json.is_null(key) ? std::nullopt : std::optional(json.integer<std::int64_t>(key));
}

std::vector<std::optional<double>> errors(const JsonObject& json, const std::string& key) {
  std::vector<std::optional<double>> out;
  for (const Json& value : json.list(key)) {
    if (!value.is_null() && !value.is_number())
      json.fail(key, fmt::format("a list of numbers is expected, not of {}", value.type_name()));
    out.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return out;
}

ProblemSummary problem_from_json(const JsonObject& json) {
  const JsonObject instance = json.object("instance");
  ProblemSummary out;
  out.source = instance.text("source");
  out.spec = text(instance, "spec");
  out.digest = instance.text("digest");
  out.d = instance.integer<attention::Index>("d");
  out.k = instance.integer<attention::Index>("k");
  out.m = count(instance, "m");
  const std::string inputs = instance.text("inputs");
  instance.checked([&] { out.inputs = attention::parse_inputs(inputs); });
  out.null_error = number(json, "null_error");
  if (json.has("ceiling_error")) out.ceiling_error = number(json, "ceiling_error");  // not in older runs
  out.null_description = json.text("null_predictor");
  out.test_count = json.integer<std::int64_t>("test_examples");
  if (!json.is_null("holdout")) out.holdout = json.real("holdout");
  return out;
}

/// Two numbers; nothing for null, and in runs of before there was such a key.
std::optional<statistics::Interval> interval_from_json(const JsonObject& json) {
  if (!json.has("advantage_interval") || json.is_null("advantage_interval")) return std::nullopt;
  const Json& ends = json.list("advantage_interval");
  if (ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number())
    json.fail("advantage_interval", "two numbers are expected");
  return statistics::Interval{ends[0].get<double>(), ends[1].get<double>()};
}

/// The degree that is written there; that of a run of before there was such a key by what it says otherwise.
std::optional<Degree> degree_from_json(const JsonObject& json, const Score& score) {
  if (json.has("degree"))
    return json.is_null("degree") ? std::nullopt : std::optional(json.choice<Degree>("degree", "degree"));
  return degree_of({score.test_error, number(json, "recovery"), score.advantage, score.advantage_interval});
}

Score score_from_json(const JsonObject& json) {
  Score out;
  out.outcome = json.choice<Outcome>("outcome", "outcome");
  out.test_error = number(json, "test_error");
  out.advantage = number(json, "advantage");
  out.advantage_interval = interval_from_json(json);
  out.heads_found = count(json, "heads_found");
  if (!json.is_null("parameter_error")) {
    const JsonObject match = json.object("parameter_error");
    out.parameter_error = HeadMatch{{}, errors(match, "theta"), errors(match, "w")};
  }
  if (const std::string cause = text(json, "likely_cause"); !cause.empty())
    json.checked([&] { out.likely_cause = LikelyCause::parse(cause); });
  out.degree = degree_from_json(json, out);
  return out;
}

std::optional<bool> truth_value(const JsonObject& json, const std::string& key) {
  return json.is_null(key) ? std::nullopt : std::optional(json.boolean(key));
}

/// Fills in what a learner by values was allowed and used; nothing for a learner by examples, and in runs of
/// before there were such keys.
void read_values(const JsonObject& json, RunResult& out) {
  if (!out.request.method.asks_values()) return;
  const JsonObject values = json.object("values");
  out.request.values.length = values.choice<QueryLength>("length", "length");
  out.request.values.tolerance = {values.real("tolerance"),
                                  values.choice<learner::AnswerPolicy>("policy", "policy")};
  out.request.values.budget = count(values, "budget");
  if (values.boolean("out_of_queries")) out.report.ending = learner::Ending::out_of_queries;
  out.score.exactly_right = truth_value(values, "exactly_right");
  if (!values.is_null("hidden")) {
    out.report.hidden.emplace();
    for (const Json& entry : values.list("hidden")) {
      if (!entry.is_number_integer()) values.fail("hidden", "a list of integers is expected");
      out.report.hidden->push_back(entry.get<std::int64_t>());
    }
  }
  out.score.hidden_right = truth_value(values, "hidden_right");
  out.report.queries_used = json.integer<std::int64_t>("queries_used");
  out.report.tokens_used = json.integer<std::int64_t>("tokens_used");
}

/// The learner that a run names, which need not be one of this version.
learner::Learner learner_from_json(const JsonObject& json) {
  const std::string method = json.text("method");
  Spec spec;
  json.checked([&] { spec = parse_learner(method); });
  Spec all{spec.name, {}};
  const JsonObject options = json.object("options");
  for (const auto& item : json.at("options").items())
    all.values.emplace_back(item.key(), options.text(item.key()));
  const bool values = json.has("values") && !json.is_null("values");
  return learner::Learner::named(std::move(spec), std::move(all),
                                 values ? learner::Access::values : learner::Access::examples);
}

learner::Phase phase_from_json(const Json& document, const std::string& place) {
  const JsonObject json(document, place);
  learner::Phase out;
  for (const auto& item : document.items()) {
    const std::string& key = item.key();
    if (key == "name")
      out.name = json.text(key);
    else if (key == "seconds")
      out.seconds = number(json, key);
    else if (key == "examples")
      out.examples = json.integer<std::int64_t>(key);
    else if (key == "rows_kept")
      out.rows_kept = count(json, key);
    else
      out.add(key, number(json, key));
  }
  return out;
}

}  // namespace

Json interval_to_json(const std::optional<statistics::Interval>& interval) {
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) return nullptr;
  return Json::array({interval->low, interval->high});
}

Json to_json(const RunResult& result) {
  Json out = report::report_json(report::Document::report);
  out["instance"] = {{"spec", report::text_or_null(result.problem.spec)},
                     {"source", result.problem.source},
                     {"digest", result.problem.digest},
                     {"d", result.problem.d},
                     {"k", result.problem.k},
                     {"m", or_null(result.problem.m)},
                     {"inputs", attention::to_string(result.problem.inputs)}};
  out["method"] = result.request.method.str();
  out["options"] = Json::object();
  for (const auto& [key, value] : result.request.method.options().values) out["options"][key] = value;
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
  out["ceiling_error"] = report::number_or_null(result.problem.ceiling_error);
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
  const bool values = result.request.method.asks_values();
  out["access"] = values ? "values" : "examples";
  out["examples_used"] = result.report.examples_used;
  out["queries_used"] = values ? Json(result.report.queries_used) : Json(nullptr);
  out["tokens_used"] = values ? Json(result.report.tokens_used) : Json(nullptr);
  out["values"] = values_json(result);
  out["seconds"] = report::number_or_null(result.report.seconds);
  out["threads"] = result.threads;
  out["seed"] = result.request.task.seed;
  out["version"] = result.version;
  return out;
}

RunResult run_from_json(const Json& document, const std::string& place) {
  const JsonObject json(document, place);
  RunResult out;
  out.problem = problem_from_json(json);
  out.request.method = learner_from_json(json);
  out.request.recovery = number(json, "recovery");
  out.request.task.heads = count(json, "heads_told");
  out.request.task.examples = count(json, "examples_allowed");
  out.request.task.seed = json.integer<std::uint64_t>("seed");
  out.score = score_from_json(json);
  out.report.failed_phase = text(json, "failed_phase");
  if (out.score.outcome == Outcome::stopped)
    out.report.ending = learner::Ending::stopped;
  else if (!out.report.failed_phase.empty())
    out.report.ending = learner::Ending::failed;
  out.report.message = json.text("message");
  for (const Json& phase : json.list("phases"))
    out.report.phases.push_back(
        phase_from_json(phase, fmt::format("{}, phase {}", place, out.report.phases.size() + 1)));
  out.report.examples_used = json.integer<std::int64_t>("examples_used");
  read_values(json, out);
  out.report.seconds = number(json, "seconds");
  out.threads = json.integer<int>("threads");
  out.version = json.text("version");
  return out;
}

std::string json_text(const RunResult& result) {
  return text_of_json(to_json(result), 2) + "\n";
}

}  // namespace hardhead::study
