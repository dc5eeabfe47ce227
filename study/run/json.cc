#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/record_json.h"
#include "study/run/run.h"

namespace hardhead::study {
namespace {

/// The degree of a run of before there was such a key, by what it says otherwise.
std::optional<Degree> degree_of_an_older(const RunResult& run) {
  const Score& score = run.score;
  return degree_of({score.test_error, run.request.recovery, score.advantage, score.advantage_interval});
}

learner::Ending ending_of(const RunResult& run, const JsonObject& json) {
  const bool values = run.request.method.asks_values();
  if (values && json.object("values").boolean("out_of_queries")) return learner::Ending::out_of_queries;
  if (run.score.outcome == Outcome::stopped) return learner::Ending::stopped;
  return run.report.failed_phase.empty() ? learner::Ending::finished : learner::Ending::failed;
}

/// The learner that a run names, which need not be one of this version.
learner::Learner learner_from_json(const JsonObject& json) {
  const std::string method = json.text("method");
  Spec spec;
  try {
    spec = parse_learner(method);
  } catch (const InputError&) {  // one of the caller's own, which may have any name
    spec = {method, {}};
  }
  Spec all{spec.name, {}};
  const JsonObject options = json.object("options");
  for (const auto& item : json.at("options").items())
    all.values.emplace_back(item.key(), options.text(item.key()));
  const bool values = json.has("values") && !json.is_null("values");
  learner::Told told = learner::Told::unknown;  // as in records of versions that did not say
  if (json.has("told")) json.checked([&] { told = value_named<learner::Told>("told", json.text("told")); });
  return learner::Learner::named(std::move(spec), std::move(all),
                                 values ? learner::Access::values : learner::Access::examples, told);
}

}  // namespace

Json to_json(const RunResult& result) {
  return record_to_json(result);
}

RunResult run_from_json(const Json& document, const std::string& place) {
  const JsonObject json(document, place);
  RunResult out;
  read_record(json, out);
  out.request.method = learner_from_json(json);
  if (!json.has("degree")) out.score.degree = degree_of_an_older(out);
  out.report.ending = ending_of(out, json);
  return out;
}

std::string json_text(const RunResult& result) {
  return text_of_json(to_json(result), 2) + "\n";
}

}  // namespace hardhead::study
