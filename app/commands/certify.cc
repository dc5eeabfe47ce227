#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/checkpoint.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/statistics/median.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"
#include "experiments/niceness_rates.h"
#include "hardness/niceness/niceness.h"
#include "study/figure/heat_map.h"
#include "study/problem/source.h"
#include "study/report/json.h"
#include "study/report/table.h"
#include "study/sweep/compare.h"

namespace hardhead::app {
namespace {

using attention::Index;
using hardness::Certificate;
using hardness::Condition;
using hardness::ConditionStatus;

struct CertifyOptions {
  CommonOptions common;
  std::string source;
  std::optional<Index> tokens;
  std::optional<Index> layer;
  attention::ModelOptions model;
  std::vector<std::string> constants;  ///< NAME=VALUE
  std::int64_t seeds = 1;
  bool all = false;
  std::vector<Index> offsets;  ///< besides that of `model`
  std::string csv, figure;     ///< empty for none
};

/// The certificate of one attention layer of a checkpoint.
struct LayerCertificate {
  Index layer = 0;   ///< its number
  Index offset = 0;  ///< of two tokens, where there is a rotary embedding
  Certificate certificate{};
};

/// A value or margin of a condition in a table, "inf" where it is infinite.
std::string shown(double value) {
  return std::isinf(value) ? "inf" : brief(value);
}

const char* verdict_of(const Condition& c) {
  return c.status == ConditionStatus::pass ? "pass" : c.status == ConditionStatus::fail ? "FAIL" : "-";
}

std::string needed_by(const Condition& c) {
  return fmt::format("{} {}", c.at_least ? ">=" : "<=", shown(c.threshold));
}

std::string condition_rows(const std::vector<Condition>& conditions, bool with_flips) {
  Rows rows = {{"condition", "subject", "value", "needed", "margin", "verdict"}};
  if (with_flips) rows.front().emplace_back("flips at");
  for (const Condition& c : conditions) {
    const bool applies = c.status != ConditionStatus::not_applicable;
    rows.push_back({c.name, c.subject, shown(c.value), applies ? needed_by(c) : "-",
                    applies ? shown(c.margin()) : "-",
                    applies ? verdict_of(c) : "not applicable: " + c.reason});
    if (with_flips) rows.back().push_back(applies ? fmt::format("c = {}", shown(c.constant_at_flip)) : "");
  }
  return table(rows);
}

std::string formulas(const Certificate& certificate) {
  Rows rows = {{"condition", "c", "formula (log d = max(1, ln d))"}};
  for (const Condition& c : certificate.worst())
    rows.push_back({c.name, fmt::format("{}", c.constant), c.formula});
  return table(rows);
}

/// "at constant 1", "at these constants".
std::string at_constants(const Certificate& certificate) {
  const bool ones =
      std::ranges::all_of(certificate.conditions, [](const Condition& c) { return c.constant == 1; });
  return ones ? "at constant 1" : "at these constants";
}

/// The constants that what fails would pass with, rounded to three digits on the right side.
std::string what_would_pass(const Certificate& certificate) {
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
  std::string out;
  if (!hopeless.empty()) out += fmt::format("No constant would do for:{}. ", hopeless);
  if (!flags.empty())
    out += fmt::format("{} pass with:{}", hopeless.empty() ? "What fails would" : "The others would", flags);
  return out;
}

std::string verdict(const Certificate& certificate) {
  const hardness::ConditionCounts counts = certificate.counts();
  std::string failing, undecided, without;
  const auto append = [](std::string& list, const std::string& name) {
    list += (list.empty() ? "" : ", ") + name;
  };
  for (const Condition& c : certificate.worst()) {
    if (c.status == ConditionStatus::fail) append(failing, fmt::format("{} ({})", c.name, shown(c.margin())));
    if (c.status == ConditionStatus::not_applicable)
      append(!certificate.k && c.reason.find("tokens") != std::string::npos ? undecided : without, c.name);
  }
  std::string out =
      fmt::format("meets {} of {} conditions {}", counts.met, counts.all(), at_constants(certificate));
  if (!failing.empty()) out += "; fails, with margin: " + failing;
  if (!without.empty()) out += "; do not apply: " + without;
  out = wrapped(out);
  if (!undecided.empty()) out += wrapped("Not decided without --tokens: " + undecided);
  if (const std::string more = what_would_pass(certificate); !more.empty()) out += wrapped(more);
  if (certificate.network > 0)
    out +=
        wrapped(fmt::format("All of this is of the heads alone. The upper bound does not speak of the {} "
                            "units behind them.",
                            certificate.network));
  return out;
}

bool has_several_offsets(const std::vector<LayerCertificate>& layers) {
  return std::ranges::any_of(layers, [&](const auto& one) { return one.offset != layers.front().offset; });
}

/// One row a condition with the subject that is worst off, or with `all` a row for each head and pair, the
/// constants at which they flip and the formulas; then what is met, what fails, and the constants it would
/// pass with.
std::string certificate_text(const std::string& source, const Certificate& certificate, bool all) {
  std::string out =
      fmt::format("{}: d = {}, {}, k = {}\n\n", source, certificate.d, counted(certificate.m, "head"),
                  certificate.k ? fmt::format("{}", *certificate.k) : "unknown");
  out += condition_rows(all ? certificate.conditions : certificate.worst(), all) + "\n";
  if (all) out += formulas(certificate) + "\n";
  return out + verdict(certificate);
}

Json certificate_json(const std::string& source, const Certificate& certificate) {
  const hardness::ConditionCounts counts = certificate.counts();
  return report::report_json("certificate", {{"source", source},
                                             {"d", certificate.d},
                                             {"m", certificate.m},
                                             {"k", json_value(certificate.k)},
                                             {"network", certificate.network},
                                             {"nice", json_value(certificate.nice())},
                                             {"met", counts.met},
                                             {"failed", counts.failed},
                                             {"not_applicable", counts.not_applicable},
                                             {"conditions", json_value(certificate.conditions)}});
}

/// One row a layer, and offset if there are several: how many conditions are met, the worst one, its margin.
std::string layers_text(const std::vector<LayerCertificate>& layers) {
  const bool offsets = has_several_offsets(layers);
  Rows rows = {{"layer", "heads", "d", "conditions met", "worst condition", "subject", "margin"}};
  if (offsets) rows.front().insert(rows.front().begin() + 1, "offset");
  for (const auto& [layer, offset, certificate] : layers) {
    const hardness::ConditionCounts counts = certificate.counts();
    const Condition* worst = certificate.least_margin();
    rows.push_back({fmt::format("{}", layer), fmt::format("{}", certificate.m),
                    fmt::format("{}", certificate.d), fmt::format("{} of {}", counts.met, counts.all()),
                    worst != nullptr ? worst->name : "-", worst != nullptr ? worst->subject : "-",
                    worst != nullptr ? shown(worst->margin()) : "-"});
    if (offsets) rows.back().insert(rows.back().begin() + 1, fmt::format("{}", offset));
  }
  return table(rows);
}

/// Every condition of every layer, a row each.
report::Table conditions_table(const std::vector<LayerCertificate>& layers) {
  const auto cell = [](double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; };
  report::Table out{{"layer", "offset", "condition", "subject", "value", "threshold", "margin", "verdict"},
                    {}};
  for (const auto& [layer, offset, certificate] : layers)
    for (const Condition& c : certificate.conditions)
      out.add({fmt::format("{}", layer), fmt::format("{}", offset), c.name, c.subject, cell(c.value),
               cell(c.threshold), cell(c.margin()),
               c.status == ConditionStatus::not_applicable ? "not applicable" : verdict_of(c)});
  return out;
}

/// Layers by heads: the smallest margin of the conditions that are about a head.
report::HeatMap margins_map(const std::string& source, const std::vector<LayerCertificate>& layers) {
  report::HeatMap out{.title = source + ": smallest margin of a head's conditions",
                      .x = "head",
                      .y = "layer",
                      .columns = {},
                      .rows = {},
                      .unit = "margin (below 1 a condition fails)",
                      .values = {}};
  Index most = 0;
  for (const LayerCertificate& one : layers) most = std::max(most, one.certificate.m);
  for (Index head = 0; head < most; ++head) out.columns.push_back(fmt::format("{}", head));
  for (const auto& [layer, offset, certificate] : layers) {
    const std::string name = fmt::format("{}", layer);
    if (out.rows.empty() || out.rows.back() != name) {
      out.rows.push_back(name);
      out.values.emplace_back(most, std::numeric_limits<double>::quiet_NaN());
    }
    for (const Condition& c : certificate.conditions)
      if (c.status != ConditionStatus::not_applicable)
        for (const Index head : c.heads) {
          double& least = out.values.back()[static_cast<std::size_t>(head)];
          least = std::fmin(least, c.margin());  // a NaN yields to a number
        }
  }
  return out;
}

std::string rates_text(const experiments::NicenessRates& rates, std::int64_t seeds) {
  Rows rows = {{"condition", "holds", "needed", "worst value", "least", "largest", "flips at"}};
  for (const experiments::NicenessRate& rate : rates.conditions) {
    const Condition& c = rate.condition;
    if (rate.values.empty()) {
      rows.push_back({c.name, "not applicable", "-", "-", "-", "-", "-"});
      continue;
    }
    const auto [least, largest] = std::ranges::minmax(rate.values);
    rows.push_back({c.name, fmt::format("{} of {}", rate.holds, rate.holds + rate.fails), needed_by(c),
                    shown(statistics::median(rate.values)), shown(least), shown(largest),
                    fmt::format("c = {}", shown(statistics::median(rate.flips)))});
  }
  return fmt::format("{}: {} layers, each judged by its worst head or pair; medians over layers\n\n{}",
                     rates.source, seeds, table(rows));
}

Json rates_json(const experiments::NicenessRates& rates, std::int64_t seeds) {
  Json out = report::report_json("niceness-rates",
                                 {{"source", rates.source}, {"seeds", seeds}, {"conditions", Json::array()}});
  for (const experiments::NicenessRate& rate : rates.conditions)
    out["conditions"].push_back({{"name", rate.condition.name},
                                 {"holds", rate.holds},
                                 {"fails", rate.fails},
                                 {"threshold", json_value(rate.condition.threshold)},
                                 {"value", json_value(statistics::median(rate.values))},
                                 {"constant_at_flip", json_value(statistics::median(rate.flips))}});
  return out;
}

/// The offsets at which a checkpoint is judged: those that were asked for, or in models with rotary
/// embeddings a grid of them. Keys are behind their query as a rule, at offsets below 0.
std::vector<Index> offsets_of(const CertifyOptions& options, const attention::Model& model) {
  std::vector<Index> out = {options.model.offset};
  out.insert(out.end(), options.offsets.begin(), options.offsets.end());
  const bool scaled = model.config() && model.config()->rotary_scaling;  // Theta is known at offset 0 alone
  if (out.size() == 1 && out.front() == 0 && model.architecture().rotary_share > 0 && !scaled)
    out.insert(out.end(), {-1, -8, -64, -512});
  return out;
}

std::vector<LayerCertificate> certificates_of(const CertifyOptions& options, const attention::Model& model,
                                              const hardness::NicenessConstants& constants,
                                              const RunContext& context) {
  // Every pair of heads is kept only where somebody gets to see them.
  const bool everything = options.common.json || !options.csv.empty() || !options.figure.empty();
  const auto judge = everything ? hardness::certify : hardness::certify_worst;
  const std::vector<Index> offsets = offsets_of(options, model);
  std::deque<attention::Model> at_offset;  // a model is not moved
  for (const Index offset : offsets) {
    attention::ModelOptions how = options.model;
    how.offset = offset;
    at_offset.emplace_back(options.source, how);
  }
  const auto all = static_cast<double>(model.layers().size() * offsets.size());
  std::vector<LayerCertificate> out;
  for (const Index n : model.layers())
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      context.progress.report("certify", static_cast<double>(out.size()) / all);
      out.push_back(
          {n, offsets[i], judge(at_offset[i].layer(n).layer, options.tokens, constants, context.stop)});
    }
  return out;
}

/// Every layer of a checkpoint: one row for each.
Answer certify_model(const CertifyOptions& options, const hardness::NicenessConstants& constants,
                     const RunContext& context) {
  const attention::Model model(options.source, options.model);
  const std::vector<LayerCertificate> layers = certificates_of(options, model, constants, context);
  if (!options.csv.empty()) write_text(options.csv, report::csv(conditions_table(layers)));
  if (!options.figure.empty()) report::draw(margins_map(options.source, layers), options.figure);
  if (options.common.json) {
    Json document = report::report_json("certificates", {{"source", options.source},
                                                         {"architecture", model.architecture().name},
                                                         {"k", json_value(options.tokens)},
                                                         {"layers", Json::array()}});
    for (const LayerCertificate& one : layers) {
      Json& row = document["layers"].emplace_back(certificate_json(options.source, one.certificate));
      row["layer"] = one.layer;
      row["offset"] = one.offset;
    }
    return {text_of(document)};
  }
  std::string out = fmt::format("{}: {}, {}\n\n{}\n", options.source, model.architecture().name,
                                counted(static_cast<std::int64_t>(model.layers().size()), "attention layer"),
                                layers_text(layers));
  out += wrapped(
      "A margin is a factor: above 1 the condition holds with room, below 1 it fails by so much. --layer "
      "shows the conditions of one layer.");
  if (!options.tokens) out += wrapped("Stable ranks and injectivity are not judged without --tokens.");
  for (const std::string* file : {&options.csv, &options.figure})
    if (!file->empty()) out += fmt::format("wrote {}\n", on_one_line(*file));
  return {out};
}

/// Throws InputError for flags that do not fit the source.
void check_flags(const CertifyOptions& options) {
  const bool is_model = attention::names_a_checkpoint(options.source);
  if (!is_model) check_no_model_flags(options.source, options.model, options.layer);
  if (options.all && options.seeds > 1)
    throw InputError(
        fmt::format("--all has the heads of one layer, and --seeds {} asks for several", options.seeds));
  if (is_model && !options.layer) return;
  if (!options.offsets.empty())
    throw InputError(fmt::format("--at {}: it judges all layers of a checkpoint, and {}",
                                 options.offsets.front(),
                                 is_model ? fmt::format("--layer {} is one: say --offset", *options.layer)
                                          : fmt::format("'{}' is one layer", options.source)));
  for (const auto& [flag, file] : {std::pair{"--csv", options.csv}, {"--figure", options.figure}})
    if (!file.empty())
      throw InputError(fmt::format("{} {}: it has all layers of a checkpoint, and '{}' is one layer", flag,
                                   file, options.source));
}

/// Of a checkpoint the layer that --layer says, else that of the source.
study::NamedLayer layer_of(const CertifyOptions& options) {
  if (!options.layer) return study::open_layer(options.source);
  return {attention::Model(options.source, options.model).layer(*options.layer).layer, std::nullopt,
          std::nullopt};
}

Answer run(const CertifyOptions& options, const RunContext& context) {
  check_flags(options);
  const Spec constants = Spec::parse(fmt::format("certificate{}{}", options.constants.empty() ? "" : ":",
                                                 fmt::join(options.constants, ",")));
  const hardness::NicenessConstants parameters = hardness::niceness_constants().read(constants);
  if (options.seeds > 1) {
    const experiments::NicenessRates rates = experiments::niceness_rates(
        options.source, options.common.seed, options.seeds, options.tokens, parameters, context);
    return {options.common.json ? text_of(rates_json(rates, options.seeds))
                                : rates_text(rates, options.seeds)};
  }
  if (!options.layer && attention::names_a_checkpoint(options.source))
    return certify_model(options, parameters, context);
  const study::NamedLayer named = layer_of(options);
  const Certificate certificate =
      hardness::certify(named.layer, options.tokens ? options.tokens : named.k, parameters, context.stop);
  return {options.common.json ? text_of(certificate_json(options.source, certificate))
                              : certificate_text(options.source, certificate, options.all)};
}

}  // namespace

Command certify_command() {
  return make_command(
      {.name = "certify",
       .summary = "which conditions of the upper bound a layer meets, and by what margin",
       .examples = {"hardhead certify nice:d=8,k=2,m=2",
                    "hardhead certify layer.safetensors --tokens 2 --constant theta_norm=2",
                    "hardhead certify model.safetensors --num-heads 2 --tokens 4 --figure margins.svg"}},
      FlagTable<CertifyOptions>()
          .positional({"SOURCE", "a spec, a layer file, or a checkpoint (all of its layers, or --layer)"},
                      &CertifyOptions::source)
          .flag(layer_flag, &CertifyOptions::layer, layer_number())
          .group(&CertifyOptions::model, model_flags())
          .flag(tokens_flag, &CertifyOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .on({"--all", "", "a row for each head and each pair of heads, and the formulas"},
              &CertifyOptions::all)
          .each(
              {"--at", "DELTA", "rotary embeddings: judge the layers of a checkpoint at this offset as well",
               "-1, -8, -64 and -512"},
              &CertifyOptions::offsets, integer_in<Index>(-(1 << 30), 1 << 30))
          .flag({"--csv", "FILE", "every condition of all layers of a checkpoint"}, &CertifyOptions::csv,
                nonempty_text("a file name"))
          .flag({"--figure", "FILE",
                 "layers of a checkpoint by heads, coloured by the smallest margin: .svg or .pdf"},
                &CertifyOptions::figure, nonempty_text("a file name"))
          .each(
              {"--constant", "NAME=VALUE", "constant of a condition's threshold, as named in the table", "1"},
              &CertifyOptions::constants, any_text())
          .flag(seeds_flag, &CertifyOptions::seeds, integer_in<std::int64_t>(1, most_seeds)),
      run);
}

}  // namespace hardhead::app
