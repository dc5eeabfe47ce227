#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/lwe.h"
#include "app/output.h"
#include "base/error.h"
#include "lwe/instance_file.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

using lwe::AttackReport;
using Json = nlohmann::ordered_json;

constexpr double default_seconds = 600;

Json to_json(const AttackReport& report) {
  Json out{{"method", report.method},     {"outcome", to_string(report.outcome)},
           {"verified", report.solved()}, {"secret", report.solved() ? Json(report.secret) : Json(nullptr)},
           {"seconds", report.seconds},   {"message", report.message}};
  out["predicted_seconds"] = report.predicted.not_applicable ? Json(nullptr) : Json(report.predicted.seconds);
  return out;
}

std::string attempts_table(const std::vector<AttackReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"method", "outcome", "predicted s", "seconds", "what happened"}};
  for (const AttackReport& r : reports)
    rows.push_back({r.method, to_string(r.outcome),
                    r.predicted.not_applicable ? "-" : brief(r.predicted.seconds),
                    r.outcome == lwe::AttackOutcome::refused ? "-" : brief(r.seconds), r.message});
  return table(rows);
}

std::string secret_text(const AttackReport& report) {
  return report.solved() ? wrapped(fmt::format("secret, verified by {}: {}", report.method,
                                               fmt::join(report.secret, " ")))
                         : "";
}

Answer run_attack(const Settings& settings, const RunControl& control) {
  const Spec given = one_method(settings, "auto");
  if (!given.values.empty())
    throw InputError(fmt::format("--method {}: attacks have no options", given.str()));
  const std::string& method = given.name;
  const lwe::Attack* chosen = method == "auto" ? nullptr : &lwe::find_attack(method);
  const lwe::Challenge challenge = open_challenge(settings.source);
  if (!settings.output.empty()) check_writable(settings.output);
  const double seconds = settings.time_limit_seconds.value_or(default_seconds);

  std::vector<AttackReport> attempts;
  if (chosen != nullptr)
    attempts.push_back(lwe::attack(challenge, *chosen, seconds, control));
  else
    attempts = lwe::attack_auto(challenge, seconds, control);
  AttackReport result;
  if (!attempts.empty()) result = attempts.back();
  if (attempts.empty()) result.method = method, result.message = "no attack applies: 'lwe estimate' says why";
  if (chosen == nullptr && !result.solved()) result.method = method;

  if (result.solved() && !settings.output.empty())
    lwe::write_solution(settings.output, {lwe::content_digest(challenge), result.secret});
  if (settings.json) {
    Json out = challenge_json(challenge);
    out.update(to_json(result));
    out["attempts"] = Json::array();
    for (const AttackReport& attempt : attempts) out["attempts"].push_back(to_json(attempt));
    return {ExitCode::answered, text_of(out)};
  }
  const std::string ending = result.solved() ? secret_text(result) : "NOT SOLVED: " + result.message + "\n";
  return {ExitCode::answered,
          describe(challenge) + "\n\n" + (attempts.empty() ? "" : attempts_table(attempts) + "\n") + ending};
}

Answer run_report(const Settings& settings, const RunControl& control) {
  const lwe::Challenge challenge = open_challenge(settings.source);
  const double seconds = settings.time_limit_seconds.value_or(default_seconds);
  std::vector<AttackReport> reports;
  for (const lwe::Attack& method : lwe::attacks()) {
    reports.push_back(lwe::attack(challenge, method, seconds, control));
    control.check();
  }
  if (settings.json) {
    Json out = challenge_json(challenge);
    out["time_limit"] = seconds;
    out["attempts"] = Json::array();
    for (const AttackReport& report : reports) out["attempts"].push_back(to_json(report));
    return {ExitCode::answered, text_of(out)};
  }
  std::string secrets;
  for (const AttackReport& report : reports) secrets += secret_text(report);
  return {ExitCode::answered,
          fmt::format("{}, {} s an attack\n\n{}\n{}", describe(challenge), seconds, attempts_table(reports),
                      secrets.empty() ? "No attack solved it.\n" : secrets)};
}

Answer run_estimate(const Settings& settings, const RunControl&) {
  const auto recipe = lwe::Recipe::parse(Spec::parse(settings.source));
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {{"method", "seconds", "bytes", "samples", "why not"}};
  for (const lwe::Attack& method : lwe::attacks()) {
    const lwe::Cost cost = method.cost(recipe.parameters, recipe.samples);
    const bool applies = !cost.not_applicable;
    list.push_back({{"method", method.name},
                    {"applicable", applies},
                    {"predicted_seconds", applies ? Json(cost.seconds) : Json(nullptr)},
                    {"memory_bytes", applies ? Json(cost.memory_bytes) : Json(nullptr)},
                    {"samples", applies ? Json(cost.samples) : Json(nullptr)},
                    {"reason", applies ? Json(nullptr) : Json(*cost.not_applicable)}});
    rows.push_back({method.name, applies ? brief(cost.seconds) : "-",
                    applies ? brief(cost.memory_bytes) : "-", applies ? brief(cost.samples) : "-",
                    cost.objection(recipe.samples)});
  }
  if (settings.json)
    return {ExitCode::answered,
            text_of(study::report_json({{"spec", recipe.spec.str()}, {"attacks", list}}))};
  return {ExitCode::answered, recipe.spec.str() + "\n\n" + table(rows)};
}

constexpr const char* source_help =
    "a challenge file, or samples, as in lwe:n=40,samples=80 or lwr:n=8,q=16,p=2,samples=200";

}  // namespace

Command lwe_attack_command() {
  return {"lwe attack",
          "recover the secret; a witness is verified exactly before it is reported",
          {"SOURCE", source_help},
          {"--method", "--time-limit", "-o,--output"},
          {},
          {"hardhead lwe attack challenge.json -o solution.json",
           "hardhead lwe attack lpn:n=16,rate=0.125,samples=200 --method exhaustive --time-limit 60"},
          run_attack};
}

Command lwe_report_command() {
  return {"lwe report",
          "where is it easy: every attack on one challenge, its cost, outcome and witness",
          {"SOURCE", source_help},
          {"--time-limit"},
          {},
          {"hardhead lwe report lwe:n=4,q=31,sigma=1,samples=20 --time-limit 5"},
          run_report};
}

Command lwe_estimate_command() {
  return {"lwe estimate",
          "predicted cost of every attack, or why it cannot work",
          {"SPEC", "parameters, as in lwe:n=40,q=12289,sigma=3.2,samples=80"},
          {},
          {},
          {"hardhead lwe estimate lwe:n=40,q=12289,sigma=3.2,samples=80"},
          run_estimate};
}

}  // namespace hardhead::app
