#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/certificate.h"
#include "app/text/checkpoint.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/statistics/median.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"
#include "experiments/niceness_rates.h"
#include "hardness/niceness/niceness.h"
#include "study/problem/source.h"
#include "study/report/json.h"
#include "study/sweep/compare.h"

namespace hardhead::app {
namespace {

using hardness::Certificate;
using hardness::Condition;
using Json = nlohmann::ordered_json;

struct CertifyOptions {
  CommonOptions common;
  std::string source;
  std::optional<attention::Index> tokens;
  std::optional<attention::Index> layer;
  attention::ModelOptions model;
  std::vector<std::string> constants;  ///< NAME=VALUE
  std::int64_t seeds = 1;
  bool all = false;
  std::vector<attention::Index> offsets;  ///< besides that of `model`
  std::string csv, figure;                ///< empty for none
};

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
                    fmt::format("{} {}", c.at_least ? ">=" : "<=", shown(c.threshold)),
                    shown(statistics::median(rate.values)), shown(least), shown(largest),
                    fmt::format("c = {}", shown(statistics::median(rate.flips)))});
  }
  return fmt::format("{}: {} layers, each judged by its worst head or pair; medians over layers\n\n{}",
                     rates.source, seeds, table(rows));
}

Json rates_json(const experiments::NicenessRates& rates, std::int64_t seeds) {
  Json out = report::report_json(report::Document::niceness_rates,
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
std::vector<attention::Index> offsets_of(const CertifyOptions& options, const attention::Model& model) {
  std::vector<attention::Index> out = {options.model.offset};
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
  const std::vector<attention::Index> offsets = offsets_of(options, model);
  std::deque<attention::Model> at_offset;  // a model is not moved
  for (const attention::Index offset : offsets) {
    attention::ModelOptions how = options.model;
    how.offset = offset;
    at_offset.emplace_back(options.source, how);
  }
  const auto all = static_cast<double>(model.layers().size() * offsets.size());
  std::vector<LayerCertificate> out;
  for (const attention::Index n : model.layers())
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
  if (!options.csv.empty()) {
    AtomicFile file(options.csv);
    file.stream() << report::csv(conditions_table(layers));
    file.commit();
  }
  if (!options.figure.empty()) report::draw(margins_map(options.source, layers), options.figure);
  if (options.common.json) {
    Json document =
        report::report_json(report::Document::certificates, {{"source", options.source},
                                                             {"architecture", model.architecture().name},
                                                             {"k", json_value(options.tokens)},
                                                             {"layers", Json::array()}});
    for (const LayerCertificate& one : layers) {
      Json& row = document["layers"].emplace_back(certificate_json(options.source, one.certificate));
      row["layer"] = one.layer;
      row["offset"] = one.offset;
    }
    return {ExitCode::answered, text_of(document)};
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
  for (const auto& [flag, file] : {std::pair{"--csv", options.csv}, {"--figure", options.figure}})
    if (!file.empty())
      throw InputError(fmt::format("{} {}: it has all layers of a checkpoint, and '{}' is one layer", flag,
                                   file, options.source));
  const study::NamedLayer named = layer_of(options);
  const Certificate certificate =
      hardness::certify(named.layer, options.tokens ? options.tokens : named.k, parameters, context.stop);
  return {ExitCode::answered, options.common.json
                                  ? text_of(certificate_json(options.source, certificate))
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
          .flag(layer_flag(), &CertifyOptions::layer, layer_number())
          .group(&CertifyOptions::model, model_flags())
          .flag(tokens_flag(), &CertifyOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .on({"--all", "", "a row for each head and each pair of heads, and the formulas"},
              &CertifyOptions::all)
          .each(
              {"--at", "DELTA", "rotary embeddings: judge the layers of a checkpoint at this offset as well",
               "-1, -8, -64 and -512"},
              &CertifyOptions::offsets, integer_in<attention::Index>(-(1 << 30), 1 << 30))
          .flag({"--csv", "FILE", "every condition of all layers of a checkpoint"}, &CertifyOptions::csv,
                nonempty_text("a file name"))
          .flag({"--figure", "FILE",
                 "layers of a checkpoint by heads, coloured by the smallest margin: .svg or .pdf"},
                &CertifyOptions::figure, nonempty_text("a file name"))
          .each(
              {"--constant", "NAME=VALUE", "constant of a condition's threshold, as named in the table", "1"},
              &CertifyOptions::constants, any_text())
          .flag(seeds_flag(), &CertifyOptions::seeds, integer_in<std::int64_t>(1, most_seeds)),
      run);
}

}  // namespace hardhead::app
