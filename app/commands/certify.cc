#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/checkpoint.h"
#include "base/error.h"
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
  std::optional<attention::Index> layer;
  attention::ModelOptions model;
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

/// How a layer of a checkpoint stands: of the conditions that count and apply, how many hold, and the one
/// with the smallest margin. The margin is the factor by which its value is on the right side of the
/// threshold's constant: above 1 where it holds.
struct LayerStanding {
  std::size_t holds = 0, apply = 0;
  const Condition* worst = nullptr;
  double margin = 0;
};

double margin_of(const Condition& c) {
  return c.at_least ? c.constant_at_flip / c.constant : c.constant / c.constant_at_flip;
}

LayerStanding standing_of(const Certificate& certificate) {
  LayerStanding out;
  for (const Condition& c : certificate.conditions) {
    if (c.status == ConditionStatus::not_applicable || !c.counts) continue;
    ++out.apply;
    if (c.status == ConditionStatus::pass) ++out.holds;
    if (out.worst != nullptr && margin_of(c) >= out.margin) continue;
    out.worst = &c;
    out.margin = margin_of(c);
  }
  return out;
}

/// Every layer of a checkpoint: one row for each.
Answer certify_model(const CertifyOptions& options, const hardness::NicenessConstants& constants,
                     const RunContext& context) {
  const attention::Model model(options.source, options.model);
  std::vector<std::vector<std::string>> rows = {
      {"layer", "heads", "d", "conditions met", "worst condition", "subject", "margin"}};
  Json document = report::report_json({{"source", options.source},
                                       {"architecture", model.architecture().name},
                                       {"k", report::or_null(options.tokens)},
                                       {"layers", Json::array()}});
  for (const attention::Index n : model.layers()) {
    context.progress.report(
        "certify", static_cast<double>(rows.size() - 1) / static_cast<double>(model.layers().size()));
    const attention::Layer layer = model.layer(n).layer;
    const Certificate certificate = hardness::certify_worst(layer, options.tokens, constants, context.stop);
    const LayerStanding standing = standing_of(certificate);
    rows.push_back({fmt::format("{}", n), fmt::format("{}", layer.m()), fmt::format("{}", layer.d),
                    fmt::format("{} of {}", standing.holds, standing.apply),
                    standing.worst != nullptr ? standing.worst->name : "-",
                    standing.worst != nullptr ? standing.worst->subject : "-",
                    standing.worst != nullptr ? number(standing.margin) : "-"});
    Json row = json(options.source, certificate);
    row["layer"] = n;
    document["layers"].push_back(std::move(row));
  }
  if (options.common.json) return {ExitCode::answered, text_of(document)};
  std::string out =
      fmt::format("{}: {}, {}\n\n{}", options.source, model.architecture().name,
                  counted(static_cast<std::int64_t>(model.layers().size()), "attention layer"), table(rows));
  out +=
      "\n" + wrapped(
                 "A margin is a factor: above 1 the condition holds with room, below 1 it fails by so much. "
                 "--layer shows all conditions of one layer.");
  if (!options.tokens) out += wrapped("Stable ranks and injectivity are not judged without --tokens.");
  return {ExitCode::answered, out};
}

/// Of a checkpoint the layer that --layer says, else that of the source.
study::NamedLayer layer_of(const CertifyOptions& options) {
  if (!options.layer) return study::open_layer(options.source);
  if (!attention::names_a_checkpoint(options.source))
    throw InputError(
        fmt::format("--layer {}: '{}' is no checkpoint of several layers", *options.layer, options.source));
  return {attention::Model(options.source, options.model).layer(*options.layer).layer, std::nullopt,
          std::nullopt};
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
  if (!options.layer && attention::names_a_checkpoint(options.source))
    return certify_model(options, parameters, context);
  const study::NamedLayer named = layer_of(options);
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
                    "hardhead certify layer.safetensors --tokens 2 --constant theta_norm=2",
                    "hardhead certify model.safetensors --num-heads 2 --tokens 4"}},
      FlagTable<CertifyOptions>()
          .positional({"SOURCE", "a spec, a layer file, or a checkpoint (all of its layers, or --layer)"},
                      &CertifyOptions::source)
          .flag(layer_flag(), &CertifyOptions::layer, layer_number())
          .group(&CertifyOptions::model, model_flags())
          .flag(tokens_flag(), &CertifyOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .each({"--constant", "NAME=VALUE",
                 "constant of a condition's threshold, as named in the table (default 1)"},
                &CertifyOptions::constants, any_text())
          .flag(seeds_flag(), &CertifyOptions::seeds, integer_in<std::int64_t>(1, most_seeds)),
      run);
}

}  // namespace hardhead::app
