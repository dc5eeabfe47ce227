#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "experiments/niceness_rates.h"
#include "hardness/niceness/niceness.h"
#include "report/json.h"
#include "statistics/median.h"
#include "study/problem/source.h"
#include "study/sweep/compare.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

using hardness::Certificate;
using hardness::Condition;
using hardness::ConditionStatus;
using Json = nlohmann::ordered_json;

struct CertifyOptions {
  CommonOptions common;
  std::string source;
  std::optional<attention::Index> tokens;
  std::vector<std::string> constants;  ///< NAME=VALUE
  std::int64_t seeds = 1;
};

std::string number(double value) {
  return std::isinf(value) ? "inf" : brief(value);
}

std::string condition_table(const Certificate& certificate) {
  std::vector<std::vector<std::string>> rows = {
      {"condition", "subject", "value", "needed", "verdict", "flips at"}};
  for (const Condition& c : certificate.conditions) {
    if (c.status == ConditionStatus::not_applicable)
      rows.push_back({c.name, c.subject, number(c.value), "-", "not applicable: " + c.reason, ""});
    else
      rows.push_back({c.name, c.subject, number(c.value),
                      fmt::format("{} {}", c.at_least ? ">=" : "<=", number(c.threshold)),
                      c.status == ConditionStatus::pass ? "pass" : "FAIL",
                      fmt::format("c = {}", number(c.constant_at_flip))});
  }
  return table(rows);
}

std::string formulas(const Certificate& certificate) {
  std::vector<std::vector<std::string>> rows = {{"condition", "c", "formula (log d = max(1, ln d))"}};
  for (const Condition& c : certificate.worst())
    rows.push_back({c.name, fmt::format("{}", c.constant), c.formula});
  return table(rows);
}

/// What fails, and the constants it would pass with, rounded to three digits on the right side.
std::string verdict(const Certificate& certificate) {
  const std::optional<bool> nice = certificate.nice();
  if (!nice) return "UNDECIDED: nothing fails, but --tokens is needed to judge stable ranks.\n";
  if (*nice) return "NICE: every condition that applies holds with these constants.\n";
  std::string flags, hopeless;
  for (const Condition& c : certificate.worst()) {
    if (c.status != ConditionStatus::fail || !c.counts) continue;
    constexpr double rounding = 0.005;
    const double constant = c.constant_at_flip * (c.at_least ? 1 - rounding : 1 + rounding);
    const Parameter& range = find_named<Parameter>("constant", c.name, hardness::niceness_constants().rows());
    if (constant >= range.minimum && constant <= range.maximum)
      flags += fmt::format(" --constant {}={:.3g}", c.name, constant);
    else
      hopeless += " " + c.name;
  }
  std::string out = "NOT NICE with these constants.";
  if (!hopeless.empty()) out += fmt::format(" No constant would do for:{}.", hopeless);
  if (!flags.empty())
    out += fmt::format(" {} pass with:{}", hopeless.empty() ? "All would" : "The others would", flags);
  return wrapped(out);
}

std::string text(const std::string& source, const Certificate& certificate) {
  return fmt::format("{}: d = {}, {}, k = {}\n\n{}\n{}\n{}", source, certificate.d,
                     counted(certificate.m, "head"),
                     certificate.k ? fmt::format("{}", *certificate.k) : "unknown",
                     condition_table(certificate), formulas(certificate), verdict(certificate));
}

Json json(const std::string& source, const Certificate& certificate) {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json out = report::report_json({{"source", source},
                                  {"d", certificate.d},
                                  {"m", certificate.m},
                                  {"k", or_null(certificate.k)},
                                  {"nice", or_null(certificate.nice())},
                                  {"conditions", Json::array()}});
  for (const Condition& c : certificate.conditions) {
    const bool applicable = c.status != ConditionStatus::not_applicable;
    out["conditions"].push_back(
        {{"name", c.name},
         {"subject", c.subject},
         {"value", report::number_or_null(c.value)},
         {"threshold", report::number_or_null(c.threshold)},
         {"pass", applicable ? Json(c.status == ConditionStatus::pass) : Json(nullptr)},
         {"applicable", applicable},
         {"reason", applicable ? Json(nullptr) : Json(c.reason)},
         {"counts", c.counts},
         {"formula", c.formula},
         {"constant", c.constant},
         {"constant_at_flip", report::number_or_null(c.constant_at_flip)}});
  }
  return out;
}

std::string rates_text(const experiments::NicenessRates& rates, std::int64_t seeds) {
  std::vector<std::vector<std::string>> rows = {
      {"condition", "holds", "needed", "worst value", "least", "largest", "flips at"}};
  for (const experiments::NicenessRate& rate : rates.conditions) {
    const Condition& c = rate.condition;
    if (rate.values.empty()) {
      rows.push_back({c.name, "not applicable", "-", "-", "-", "-", "-"});
      continue;
    }
    const auto [least, largest] = std::ranges::minmax(rate.values);
    rows.push_back({c.name, fmt::format("{} of {}", rate.holds, rate.holds + rate.fails),
                    fmt::format("{} {}", c.at_least ? ">=" : "<=", number(c.threshold)),
                    number(statistics::median(rate.values)), number(least), number(largest),
                    fmt::format("c = {}", number(statistics::median(rate.flips)))});
  }
  return fmt::format("{}: {} layers, each judged by its worst head or pair; medians over layers\n\n{}",
                     rates.source, seeds, table(rows));
}

Json rates_json(const experiments::NicenessRates& rates, std::int64_t seeds) {
  Json out = report::report_json({{"source", rates.source}, {"seeds", seeds}, {"conditions", Json::array()}});
  for (const experiments::NicenessRate& rate : rates.conditions)
    out["conditions"].push_back(
        {{"name", rate.condition.name},
         {"holds", rate.holds},
         {"fails", rate.fails},
         {"threshold", report::number_or_null(rate.condition.threshold)},
         {"value", report::number_or_null(statistics::median(rate.values))},
         {"constant_at_flip", report::number_or_null(statistics::median(rate.flips))}});
  return out;
}

Answer run(const CertifyOptions& options, const RunContext& context) {
  const Spec constants = Spec::parse(fmt::format("certificate{}{}", options.constants.empty() ? "" : ":",
                                                 fmt::join(options.constants, ",")));
  const hardness::NicenessConstants parameters = hardness::niceness_constants().read(constants);
  if (options.seeds > 1) {
    const experiments::NicenessRates rates = experiments::niceness_rates(
        options.source, options.common.seed, options.seeds, options.tokens, parameters, context);
    return {ExitCode::answered, options.common.json ? text_of(rates_json(rates, options.seeds))
                                                    : rates_text(rates, options.seeds)};
  }
  const study::NamedLayer named = study::open_layer(options.source);
  const Certificate certificate =
      hardness::certify(named.layer, options.tokens ? options.tokens : named.k, parameters, context.stop);
  return {ExitCode::answered, options.common.json ? text_of(json(options.source, certificate))
                                                  : text(options.source, certificate)};
}

}  // namespace

Command certify_command() {
  return make_command(
      {.name = "certify",
       .summary =
           "the niceness certificate of a layer: each condition, its value, its threshold, pass or fail",
       .examples = {"hardhead certify nice:d=8,k=2,m=2",
                    "hardhead certify layer.safetensors --tokens 2 --constant theta_norm=2"}},
      FlagTable<CertifyOptions>()
          .positional({"SOURCE", "a spec or a layer file"}, &CertifyOptions::source)
          .flag(tokens_flag(), &CertifyOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .each({"--constant", "NAME=VALUE",
                 "constant of a condition's threshold, as named in the table (default 1)"},
                &CertifyOptions::constants, any_text())
          .flag(seeds_flag(), &CertifyOptions::seeds, integer_in<std::int64_t>(1, most_seeds)),
      run);
}

}  // namespace hardhead::app
