#include "study/query/query_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "attention/samples/exact_teacher.h"
#include "base/error.h"
#include "base/version.h"
#include "hardness/families/family.h"
#include "hardness/families/lwr.h"
#include "hardness/families/rounding_layer.h"
#include "report/json.h"
#include "study/run/json.h"
#include "study/run/test_error.h"

namespace hardhead::study {
namespace {

using attention::ExactLayer;
using hardness::Instance;
using Json = nlohmann::ordered_json;

/// What is public of a hard instance. Its levels do not depend on what is hidden: for a parity, W = 0, so
/// that they are -2 (kappa + 1) for an even h, which h = 0 shows, and 4 more for an odd one.
queries::PublicGadget gadget_of(const Instance& instance) {
  if (instance.spec.name.empty()) return {};
  const hardness::Hidden hides = hardness::find_family(instance.spec.name).hides;
  const attention::Index j0 = instance.layer.d - 1;
  if (hides == hardness::Hidden::parity_set) {
    attention::Block block(instance.layer.d, 2, 1);
    block.x.setOnes();
    block.x(j0, 1) = -1;
    instance.teacher->label(block);
    const double even = block.y(0, 0);
    return queries::ParityGadget{j0, even, even + 4};
  }
  if (hides == hardness::Hidden::lwr_secret) {
    const lwe::ProblemParameters p = hardness::rounding_problem(instance.spec).parameters;
    return queries::RoundingGadget{j0, p.n, p.q, p.p};
  }
  return {};
}

/// Labels of two Boolean tokens as the family has them; of other numbers by the exact layer, where there is
/// one.
std::shared_ptr<const attention::Teacher> teacher_of(const Instance& instance, QueryLength length) {
  if (length == QueryLength::free && instance.exact && instance.teacher->labelled().tokens)
    return std::make_shared<attention::ExactTeacher>(*instance.exact);
  return instance.teacher;
}

queries::Report ask(const Instance& instance, const QueryRequest& request, const RunContext& context) {
  const queries::Task task{request.heads, gadget_of(instance), request.seed};
  const queries::Needs needs = queries::find_query_learner(request.learner.name).needs(request.learner);
  if (needs.exact) {
    if (!instance.exact)
      throw InputError(
          fmt::format("{} computes with exact rationals: this layer is not built from powers of an "
                      "integer (parity, staircase and small lwr layers are)",
                      request.learner.str()));
    if (request.length == QueryLength::fixed)
      throw InputError(
          fmt::format("{} asks X of several lengths: --length free lets it", request.learner.str()));
    queries::ExactOracle oracle(*instance.exact, request.budget);
    return queries::query(request.learner, oracle, task, context);
  }
  queries::OracleOptions options{.tolerance = request.tolerance,
                                 .budget = request.budget,
                                 .seed = request.seed,
                                 .listener = request.listener};
  if (request.length == QueryLength::fixed) options.tokens = instance.k;
  queries::ValueOracle oracle(teacher_of(instance, request.length), instance.layer.d, std::move(options));
  return queries::query(request.learner, oracle, task, context);
}

/// The heads with their entries that are not 0, in an order of their own.
auto sorted_heads(const ExactLayer& layer) {
  using Theta = std::map<std::pair<attention::Index, attention::Index>, std::int64_t>;
  using W = std::map<std::pair<attention::Index, attention::Index>, Rational>;
  std::vector<std::pair<Theta, W>> out;
  for (const ExactLayer::Head& head : layer.heads) {
    auto& [theta, w] = out.emplace_back();
    for (const auto& entry : head.theta)
      if (entry.half_units != 0) theta[{entry.row, entry.column}] = entry.half_units;
    for (const auto& entry : head.w)
      if (entry.value != 0) w[{entry.row, entry.column}] = entry.value;
  }
  std::ranges::sort(out);
  return out;
}

Json step_json(const StepResult& result) {
  Json out{{"name", result.step.name},
           {"seconds", report::number_or_null(result.step.seconds)},
           {"queries", result.step.queries},
           {"tokens", result.step.tokens},
           {"test_error", report::or_null(result.test_error)}};
  for (const auto& [name, value] : result.step.measures) out[name] = report::number_or_null(value);
  return out;
}

Json errors_json(const std::vector<std::optional<double>>& values) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(report::or_null(value));
  return out;
}

}  // namespace

QueryResult query_run(const Source& source, const QueryRequest& request, const RunContext& context) {
  const auto resolved = source.resolve();
  if (!resolved->instance)
    throw InputError(
        fmt::format("'{}' is a data file: it has the values at its own X and answers no queries; name a "
                    "spec or a layer file",
                    source.name()));
  const Instance& instance = *resolved->instance;
  QueryResult out;
  out.request = request;
  out.options = queries::find_query_learner(request.learner.name).canonical(request.learner);
  RunContext limited = context;
  if (request.time_limit_seconds) limited.stop = context.stop.with_time_limit(*request.time_limit_seconds);
  out.report = ask(instance, request, limited);

  const Problem problem = open_problem(source, {.seed = request.seed}, context);
  out.problem = problem;
  for (const queries::Step& step : out.report.steps) {
    StepResult measured{step};
    if (step.layer) measured.test_error = test_error(&*step.layer, *problem.test, problem.test_count);
    measured.step.layer.reset();
    out.steps.push_back(std::move(measured));
  }
  const attention::Layer* layer = out.report.layer ? &*out.report.layer : nullptr;
  if (out.report.hidden) {
    out.hidden_right = std::ranges::equal(*out.report.hidden, instance.hidden);
    if (*out.hidden_right) layer = &instance.layer;
  }
  if (out.report.exact) out.exactly_right = sorted_heads(*out.report.exact) == sorted_heads(*instance.exact);
  out.score = score_layer(problem, layer, request.recovery);
  const queries::Ending ending = out.report.ending;
  if (ending == queries::Ending::stopped || ending == queries::Ending::out_of_queries)
    out.score.outcome = Outcome::stopped;
  return out;
}

Json to_json(const QueryResult& result) {
  Json out = report::report_json();
  out["instance"] = {{"spec", report::text_or_null(result.problem.spec)},
                     {"source", result.problem.source},
                     {"digest", result.problem.digest},
                     {"d", result.problem.d},
                     {"k", result.problem.k},
                     {"m", report::or_null(result.problem.m)}};
  out["learner"] = result.request.learner.str();
  out["options"] = Json::object();
  for (const auto& [key, value] : result.options.values) out["options"][key] = value;
  out["access"] = "values";
  out["length"] = name_of(result.request.length);
  out["tolerance"] = result.request.tolerance.tau;
  out["policy"] = name_of(result.request.tolerance.policy);
  out["budget"] = report::or_null(result.request.budget);
  out["ending"] = name_of(result.report.ending);
  out["outcome"] = to_string(result.score.outcome);
  out["degree"] = result.score.degree ? Json(name_of(*result.score.degree)) : Json(nullptr);
  out["failed_step"] = report::text_or_null(result.report.failed_step);
  out["message"] = result.report.message;
  out["queries_used"] = result.report.queries_used;
  out["tokens_used"] = result.report.tokens_used;
  out["test_error"] = report::number_or_null(result.score.test_error);
  out["test_examples"] = result.problem.test_count;
  out["null_error"] = report::number_or_null(result.problem.null_error);
  out["null_predictor"] = result.problem.null_description;
  out["advantage"] = report::number_or_null(result.score.advantage);
  out["advantage_interval"] = interval_to_json(result.score.advantage_interval);
  out["heads_found"] = report::or_null(result.score.heads_found);
  out["parameter_error"] = nullptr;
  if (const auto& match = result.score.parameter_error)
    out["parameter_error"] = {{"theta", errors_json(match->theta_error)}, {"w", errors_json(match->w_error)}};
  out["exactly_right"] = result.exactly_right ? Json(*result.exactly_right) : Json(nullptr);
  out["hidden"] = result.report.hidden ? Json(*result.report.hidden) : Json(nullptr);
  out["hidden_right"] = result.hidden_right ? Json(*result.hidden_right) : Json(nullptr);
  out["steps"] = Json::array();
  for (const StepResult& step : result.steps) out["steps"].push_back(step_json(step));
  out["seconds"] = report::number_or_null(result.report.seconds);
  out["seed"] = result.request.seed;
  out["version"] = version();
  return out;
}

}  // namespace hardhead::study
