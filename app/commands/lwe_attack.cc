#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/lwe.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "lwe/files/instance_file.h"
#include "lwe/outside/program_attack.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

using lwe::AttackReport;

struct AttackOptions {
  CommonOptions common;
  std::string source;
  std::vector<Spec> methods;  ///< one at most; auto without
  double seconds = 600;
  std::string output;  ///< empty for none
};

struct EstimateOptions {
  CommonOptions common;
  std::string spec;
};

/// What an attack is predicted to cost: null where there is no prediction, or no lattice that has a block and
/// a dimension.
void add_prediction(Json& out, const lwe::Cost& cost) {
  const auto add = [&](const char* key, double value) {
    out[key] = cost.is_predicted() ? Json(value) : Json(nullptr);
  };
  add("predicted_seconds", cost.seconds);
  add("log2_operations", cost.log2_operations());
  add("success", cost.success);
  out["block"] = cost.block > 0 ? Json(cost.block) : Json(nullptr);
  out["dimension"] = cost.dimension > 0 ? Json(cost.dimension) : Json(nullptr);
}

/// Its seconds, log2 of operations (lattice-estimator's `rop`), success, block size and dimension, as a table
/// has them.
std::vector<std::string> prediction_cells(const lwe::Cost& cost) {
  const auto whole = [](std::int64_t number) {
    return number > 0 ? std::to_string(number) : std::string("-");
  };
  if (!cost.is_predicted()) return std::vector<std::string>(5, "-");
  return {brief(cost.seconds), fmt::format("{:.1f}", cost.log2_operations()),
          fmt::format("{:.2f}", cost.success), whole(cost.block), whole(cost.dimension)};
}

Json to_json(const AttackReport& report) {
  Json out{{"method", report.method},     {"outcome", name_of(report.outcome)},
           {"verified", report.solved()}, {"secret", report.solved() ? Json(report.secret) : Json(nullptr)},
           {"seconds", report.seconds},   {"message", report.message}};
  add_prediction(out, report.predicted);
  return out;
}

std::string attempts_table(const std::vector<AttackReport>& reports) {
  Rows rows = {{"method", "outcome", "predicted s", "log2 rop", "success", "block", "dim", "seconds",
                "what happened"}};
  for (const AttackReport& r : reports) {
    std::vector<std::string> row{r.method, name_of(r.outcome)};
    std::ranges::copy(prediction_cells(r.predicted), std::back_inserter(row));
    row.push_back(r.outcome == lwe::AttackOutcome::refused ? "-" : brief(r.seconds));
    row.push_back(r.message);
    rows.push_back(std::move(row));
  }
  return table(rows);
}

/// What is said below the table: every secret that was found, or why there is none.
std::string ending_of(const AttackReport& result, const std::vector<AttackReport>& attempts) {
  std::string secrets;
  for (const AttackReport& one : attempts)
    if (one.solved())
      secrets += wrapped(fmt::format("secret, verified by {}: {}", one.method, fmt::join(one.secret, " ")));
  return secrets.empty() ? wrapped("NOT SOLVED: " + result.message) : secrets;
}

/// One attack; or those that apply, from the cheapest on until one finds the secret; or every one.
std::vector<AttackReport> attempts_at(const lwe::Challenge& challenge, const std::optional<lwe::Attack>& one,
                                      bool all, double seconds, const RunContext& context) {
  if (one) return {lwe::attack(challenge, *one, seconds, context)};
  if (!all) return lwe::attack_auto(challenge, seconds, context);
  std::vector<AttackReport> out;
  for (const lwe::Attack& each : lwe::attacks()) {
    out.push_back(lwe::attack(challenge, each, seconds, context));
    context.stop.check();
  }
  return out;
}

/// The first that found the secret, or how it went without: of all attacks together, of others as the last
/// one ended.
AttackReport result_of(const std::vector<AttackReport>& attempts, bool all) {
  const auto solved = std::ranges::find_if(attempts, &AttackReport::solved);
  if (solved != attempts.end()) return *solved;
  AttackReport out;
  if (all)
    out.message = "no attack found the secret";
  else if (attempts.empty())
    out.message = "no attack applies: 'lwe estimate' says why";
  else
    out = attempts.back();
  return out;
}

/// The attack that --method names, which could have been one of this command's own words.
lwe::Attack attack_named(const Spec& method) {
  std::vector<std::string> known = {"auto", "all", "exec"};
  std::ranges::transform(lwe::attacks(), std::back_inserter(known), &lwe::Attack::name);
  find_name("attack", method.name, known);
  return lwe::attack_of(method);
}

Answer run_attack(const AttackOptions& options, const RunContext& context) {
  const Spec given = one_method(options.methods, "auto");
  const bool all = given == Spec{"all", {}}, by_cost = given == Spec{"auto", {}};
  std::optional<lwe::Attack> one;
  if (!all && !by_cost) one = attack_named(given);
  const lwe::Challenge challenge = open_challenge(options.source);
  if (!options.output.empty()) check_writable(options.output);
  const std::vector<AttackReport> attempts = attempts_at(challenge, one, all, options.seconds, context);
  AttackReport result = result_of(attempts, all);
  if (!one && !result.solved()) result.method = given.name;

  if (result.solved() && !options.output.empty())
    lwe::write_solution(options.output, {lwe::content_digest(challenge), result.secret});
  const bool refused = result.outcome == lwe::AttackOutcome::refused;
  const ExitCode code = refused ? ExitCode::over_budget : ExitCode::answered;
  if (options.common.json) {
    Json out = challenge_json(challenge);
    out.update(to_json(result));
    out["time_limit"] = options.seconds;
    out["attempts"] = Json::array();
    for (const AttackReport& attempt : attempts) out["attempts"].push_back(to_json(attempt));
    return {.text = text_of(out), .code = code};
  }
  return {.text = fmt::format(
              "{}\nat most {} s{}\n\n{}{}", describe(challenge), options.seconds, all ? " an attack" : "",
              attempts.empty() ? "" : attempts_table(attempts) + "\n", ending_of(result, attempts)),
          .code = code};
}

Json to_json(const lwe::Attack& method, const lwe::Cost& cost, const std::string& objection) {
  Json out{{"method", method.name}, {"applicable", !cost.not_applicable}};
  add_prediction(out, cost);
  out["memory_bytes"] = cost.is_predicted() ? Json(cost.memory_bytes) : Json(nullptr);
  out["samples"] = cost.is_predicted() ? Json(std::ceil(cost.samples)) : Json(nullptr);
  out["reason"] = objection.empty() ? Json(nullptr) : Json(objection);
  return out;
}

Answer run_estimate(const EstimateOptions& options, const RunContext&) {
  const auto recipe = lwe::Recipe::parse(Spec::parse(options.spec));
  Json list = Json::array();
  Rows rows = {{"method", "seconds", "log2 rop", "success", "block", "dim", "bytes", "samples", "why not"}};
  for (const lwe::Attack& method : lwe::attacks()) {
    const lwe::Cost cost = lwe::predicted_cost(method, recipe.parameters, recipe.samples);
    const std::string objection = cost.objection(recipe.samples);
    list.push_back(to_json(method, cost, objection));
    std::vector<std::string> row = {method.name};
    std::ranges::copy(prediction_cells(cost), std::back_inserter(row));
    row.push_back(cost.is_predicted() ? brief(cost.memory_bytes) : "-");
    row.push_back(cost.is_predicted() ? brief(std::ceil(cost.samples)) : "-");
    row.push_back(objection);
    rows.push_back(std::move(row));
  }
  if (options.common.json)
    return {text_of(report::report_json("attacks", {{"spec", recipe.spec.str()}, {"attacks", list}}))};
  return {recipe.spec.str() + "\n\n" + table(rows)};
}

}  // namespace

Command lwe_attack_command() {
  return make_command(
      {.name = "lwe attack",
       .summary = "recover the secret; a witness is verified exactly before it is reported",
       .examples = {"hardhead lwe attack challenge.json -o solution.json",
                    "hardhead lwe attack lpn:n=16,rate=0.125,samples=400 --method exhaustive --time-limit 60",
                    "hardhead lwe attack lwe:n=4,q=31,sigma=1,samples=20 --method all --time-limit 5"}},
      FlagTable<AttackOptions>()
          .positional({"SOURCE",
                       "a challenge file, or samples, as in lwe:n=40,samples=80 or "
                       "lwr:n=8,q=16,p=2,samples=200"},
                      &AttackOptions::source)
          .each(method_flag(
                    "auto: from the cheapest on until one finds the secret; all: every one, each with the "
                    "whole time; exec:COMMAND: a program of yours"),
                &AttackOptions::methods, method_spec())
          .flag(time_limit_flag, &AttackOptions::seconds, time_span())
          .flag(output_flag, &AttackOptions::output, nonempty_text("a file name")),
      run_attack);
}

Command lwe_estimate_command() {
  return make_command(
      {.name = "lwe estimate",
       .summary = "predicted cost of every attack, or why it cannot work",
       .examples = {"hardhead lwe estimate lwe:n=40,q=12289,sigma=3.2,samples=80",
                    "hardhead lwe estimate lwe:n=512,q=3329,Xs=binomial:3,Xe=binomial:3,m=512"}},
      FlagTable<EstimateOptions>().positional(
          {"SPEC",
           "parameters, as in lwe:n=40,q=12289,sigma=3.2,samples=80 or "
           "lwe:n=512,q=3329,Xs=binomial:3,Xe=binomial:3,m=512; 'help lwe generate' lists them"},
          &EstimateOptions::spec),
      run_estimate);
}

}  // namespace hardhead::app
