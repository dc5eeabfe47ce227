#include "study/sweep/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "study/report/json.h"

namespace hardhead::study {
namespace {

using Json = nlohmann::ordered_json;

using report::or_null;

template <class Value>
std::optional<Value> optional(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

Json to_json(const ComparisonRow& row) {
  Json results = Json::array();
  for (const RunResult& run : row.runs) results.push_back(to_json(run));
  return {{"instance", row.source},
          {"method", row.method},
          {"runs", row.runs.size()},
          {"recovered", row.degrees.recovered},
          {"degrees",
           {{"recovered", row.degrees.recovered},
            {"learnt", row.degrees.learnt},
            {"partly", row.degrees.partly},
            {"nothing", row.degrees.nothing},
            {"unknown", row.degrees.unknown}}},
          {"stopped", row.stopped},
          {"heads_right", row.heads_right},
          {"recovery_interval", {row.recovery_rate.low, row.recovery_rate.high}},
          {"learnt_interval", {row.learnt_rate.low, row.learnt_rate.high}},
          {"test_error", report::number_or_null(row.test_error_median)},
          {"null_error", report::number_or_null(row.null_error_median)},
          {"advantage",
           {{"median", report::number_or_null(row.advantage_median)},
            {"min", report::number_or_null(row.advantage_min)},
            {"max", report::number_or_null(row.advantage_max)},
            {"interval", interval_to_json(row.advantage_interval)}}},
          {"failed_phases", row.failed_phases},
          {"likely_causes", row.likely_causes},
          {"seconds", report::number_or_null(row.seconds_median)},
          {"results", std::move(results)}};
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json out = report::report_json(report::Document::comparison, {{"rows", Json::array()}});
  for (const ComparisonRow& row : comparison.rows) out["rows"].push_back(to_json(row));
  out["interrupted"] = comparison.completion == Completion::interrupted;
  out["undone"] = comparison.undone.size();
  return out;
}

std::string json_text(const Comparison& comparison) {
  return text_of_json(to_json(comparison), 2) + "\n";
}

Json to_json(const PlannedRun& run) {
  if (!run.source.opens_by_name())
    throw InputError(
        fmt::format("'{}': other ranks cannot open what only this process has", run.source.name()));
  const learner::Task& task = run.run.task;
  const ValueAccess& values = run.run.values;
  return {
      {"source", run.source.name()},
      {"problem",
       {{"seed", run.problem.seed}, {"holdout", run.problem.holdout}, {"truth", or_null(run.problem.truth)}}},
      {"method", run.run.method.str()},
      {"recovery", run.run.recovery},
      {"heads", or_null(task.heads)},
      {"examples", or_null(task.examples)},
      {"seed", task.seed},
      {"memory_limit", or_null(task.memory_limit_bytes)},
      {"time_limit", or_null(task.time_limit_seconds)},
      {"values",
       {{"length", values.length ? Json(name_of(*values.length)) : Json(nullptr)},
        {"tolerance", values.tolerance.tau},
        {"policy", name_of(values.tolerance.policy)},
        {"budget", or_null(values.budget)}}}};
}

PlannedRun planned_run_from_json(const Json& document) {
  const Json& problem = document.at("problem");
  PlannedRun out{Source(document.at("source").get<std::string>()), {}, {}};
  out.problem = {.seed = problem.at("seed").get<std::uint64_t>(),
                 .holdout = problem.at("holdout").get<double>(),
                 .truth = optional<std::string>(problem.at("truth"))};
  out.run.method = parse_learner(document.at("method").get<std::string>());
  out.run.recovery = document.at("recovery").get<double>();
  out.run.task = {.heads = optional<attention::Index>(document.at("heads")),
                  .examples = optional<std::int64_t>(document.at("examples")),
                  .seed = document.at("seed").get<std::uint64_t>(),
                  .memory_limit_bytes = optional<double>(document.at("memory_limit")),
                  .time_limit_seconds = optional<double>(document.at("time_limit"))};
  const Json& values = document.at("values");
  if (const auto length = optional<std::string>(values.at("length")))
    out.run.values.length = value_named<QueryLength>("length", *length);
  out.run.values.tolerance = {
      values.at("tolerance").get<double>(),
      value_named<learner::AnswerPolicy>("policy", values.at("policy").get<std::string>())};
  out.run.values.budget = optional<std::int64_t>(values.at("budget"));
  return out;
}

}  // namespace hardhead::study
