#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/checkpoint.h"
#include "attention/files/layer_file.h"
#include "attention/layer/canonical.h"
#include "attention/samples/jacobian_rank.h"
#include "base/error.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"
#include "base/version.h"
#include "study/problem/inspection.h"
#include "study/problem/source.h"
#include "study/report/json.h"
#include "study/sweep/sweep.h"

namespace hardhead::app {
namespace {

using attention::HeadPart;
using attention::JacobianRank;
using attention::ReducedLayer;

std::string text(const std::string& path, const study::Inspection& found) {
  std::string out;
  if (found.layer) {
    out += fmt::format("{}: a layer, d = {}, {}\n", path, found.layer->d,
                       counted(static_cast<std::int64_t>(found.layer->heads.size()), "head"));
    Rows rows = {{"head", "theta norm", "theta stable rank", "w norm", "w stable rank"}};
    for (std::size_t i = 0; i < found.layer->heads.size(); ++i) {
      const auto& head = found.layer->heads[i];
      rows.push_back({fmt::format("{}", i), brief(head.theta_norm), brief(head.theta_stable_rank),
                      brief(head.w_norm), brief(head.w_stable_rank)});
    }
    out += table(rows) + fmt::format("norm of the sum of all w: {}\n", brief(found.layer->w_sum_norm));
    if (found.layer->width)
      out += fmt::format("behind the heads a network of {}\n", counted(*found.layer->width, "unit"));
  }
  if (found.data)
    out += fmt::format("{}: a data set, {}, k = {}, d = {}, {} inputs, labels of root mean square {}\n", path,
                       counted(found.data->examples, "example"), found.data->k, found.data->d,
                       name_of(found.data->inputs), brief(found.data->label_rms));
  for (const auto& [key, value] : found.metadata)
    out += fmt::format("  {} = {}\n", on_one_line(key), on_one_line(value));
  out += fmt::format("content digest {}\n", found.content_digest);
  if (found.digest_right) out += *found.digest_right ? "digest right: " : "digest WRONG: ";
  return out + found.digest_note + "\n";
}

Json json(const std::string& path, const study::Inspection& found) {
  Json out = report::report_json("inspection", {{"file", path}});
  if (found.layer) {
    out["kind"] = "layer";
    out["d"] = found.layer->d;
    out["m"] = found.layer->heads.size();
    out["heads"] = Json::array();
    for (const auto& head : found.layer->heads)
      out["heads"].push_back({{"theta_norm", json_value(head.theta_norm)},
                              {"theta_stable_rank", json_value(head.theta_stable_rank)},
                              {"w_norm", json_value(head.w_norm)},
                              {"w_stable_rank", json_value(head.w_stable_rank)}});
    out["w_sum_norm"] = json_value(found.layer->w_sum_norm);
    if (found.layer->width) out["width"] = *found.layer->width;
  }
  if (found.data) {
    out["kind"] = "data";
    out["examples"] = found.data->examples;
    out["d"] = found.data->d;
    out["k"] = found.data->k;
    out["inputs"] = name_of(found.data->inputs);
    out["label_rms"] = json_value(found.data->label_rms);
  }
  out["metadata"] = found.metadata;
  out["content_digest"] = found.content_digest;
  out["digest_right"] = json_value(found.digest_right);
  out["digest_note"] = found.digest_note;
  return out;
}

struct InspectOptions {
  CommonOptions common;
  std::string source;
  bool canonical = false, jacobian = false;
  std::optional<attention::Index> tokens;
  attention::ModelOptions model;
  std::string output;
};

/// "0, 2 turned"
std::string text(const std::vector<HeadPart>& parts) {
  std::vector<std::string> out;
  for (const HeadPart& part : parts)
    out.push_back(fmt::format("{}{}", part.head, part.turned ? " turned" : ""));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string text(const ReducedLayer& form, std::optional<attention::Index> k) {
  std::string out = fmt::format("canonical form {}: {}\n\n",
                                k ? fmt::format("for k = {}", *k) : "for every k (--tokens says which)",
                                counted(form.layer.m(), "head"));
  Rows rows = {{"head", "made of", "theta norm", "w norm"}};
  for (std::size_t i = 0; i < form.layer.heads.size(); ++i) {
    const attention::Head& head = form.layer.heads[i];
    const bool constant = form.has_constant && i + 1 == form.layer.heads.size();
    rows.push_back({fmt::format("{}{}", i, constant ? " (constant)" : ""), text(form.parts[i]),
                    brief(head.theta.norm()), brief(head.w.norm())});
  }
  out += table(rows);
  for (const auto& parts : form.vanished) out += fmt::format("w sums to 0: {}\n", text(parts));
  if (k == 2) out += "A turned head counts as (-theta, -w), and 2 w of it is in the constant head.\n";
  return out;
}

Json json(const std::vector<HeadPart>& parts) {
  Json out = Json::array();
  for (const HeadPart& part : parts) out.push_back({{"head", part.head}, {"turned", part.turned}});
  return out;
}

Json json(const ReducedLayer& form) {
  Json out = {{"m", form.layer.m()},
              {"has_constant", form.has_constant},
              {"heads", Json::array()},
              {"vanished", Json::array()},
              {"content_digest", attention::content_digest(form.layer)}};
  for (std::size_t i = 0; i < form.layer.heads.size(); ++i)
    out["heads"].push_back({{"parts", json(form.parts[i])},
                            {"theta_norm", json_value(form.layer.heads[i].theta.norm())},
                            {"w_norm", json_value(form.layer.heads[i].w.norm())}});
  for (const auto& parts : form.vanished) out["vanished"].push_back(json(parts));
  return out;
}

std::string gap_of(const JacobianRank& of) {
  if (!of.largest_dropped) return "-";
  return *of.largest_dropped > 0 ? brief(of.smallest_kept / *of.largest_dropped) : "inf";
}

std::string text(const std::vector<JacobianRank>& ranks) {
  Rows rows = {{"jacobian by", "inputs", "rows", "columns", "rank", "predicted", "smallest kept",
                "largest dropped", "gap"}};
  for (const JacobianRank& of : ranks) {
    rows.push_back({name_of(of.coordinates), name_of(of.inputs), fmt::format("{}", of.rows),
                    fmt::format("{}", of.columns), fmt::format("{}", of.rank),
                    fmt::format("{}", of.predicted), brief(of.smallest_kept),
                    of.largest_dropped ? brief(*of.largest_dropped) : "-", gap_of(of)});
  }
  return table(rows) + "Singular values are relative to the largest.\n";
}

Json json(const std::vector<JacobianRank>& ranks) {
  Json out = Json::array();
  for (const JacobianRank& of : ranks)
    out.push_back({{"by", name_of(of.coordinates)},
                   {"inputs", name_of(of.inputs)},
                   {"rows", of.rows},
                   {"columns", of.columns},
                   {"rank", of.rank},
                   {"predicted", of.predicted},
                   {"smallest_kept", of.smallest_kept},
                   {"largest_dropped", json_value(of.largest_dropped)}});
  return out;
}

void save(const std::string& path, const ReducedLayer& form, const study::NamedLayer& named) {
  attention::Metadata metadata = {{"digest", attention::content_digest(form.layer)},
                                  {"canonical_form_of", attention::content_digest(named.layer)},
                                  {"version", version()}};
  if (named.k) metadata["k"] = std::to_string(*named.k);
  if (named.inputs) metadata["inputs"] = name_of(*named.inputs);
  attention::write_layer(path, form.layer, metadata);
}

/// What --canonical and --jacobian say of a layer.
Answer identify(const InspectOptions& options, const RunContext& context) {
  study::NamedLayer named = study::open_layer(options.source);
  if (options.tokens) named.k = options.tokens;
  const attention::LastFeature last =
      named.inputs ? attention::last_feature(*named.inputs) : attention::LastFeature::varies;
  const ReducedLayer reduced =
      attention::reduced_layer(named.layer, named.k, attention::canonical_tolerance, last);
  std::vector<JacobianRank> ranks;
  if (options.jacobian) {
    if (!named.k)
      throw InputError(fmt::format("'{}' does not say for how many tokens it is: --jacobian needs --tokens",
                                   options.source));
    ranks = attention::jacobian_ranks(named.layer, *named.k, options.common.seed, context.stop, last);
  }
  std::string out =
      fmt::format("{}: d = {}, {}\n", options.source, named.layer.d, counted(named.layer.m(), "head"));
  Json document = report::report_json("inspection", {{"source", options.source},
                                                     {"kind", "layer"},
                                                     {"d", named.layer.d},
                                                     {"m", named.layer.m()},
                                                     {"k", json_value(named.k)},
                                                     {"reduced", reduced.nothing_merged()}});
  if (options.canonical) {
    const ReducedLayer form =
        attention::canonical_form(named.layer, named.k, attention::canonical_tolerance, last);
    out += text(form, named.k);
    document["canonical"] = json(form);
    if (!options.output.empty()) {
      save(options.output, form, named);
      out += fmt::format("wrote {}\n", on_one_line(options.output));
      document["canonical"]["file"] = options.output;
    }
  }
  if (options.jacobian) {
    out += "\n" + text(ranks);
    if (!reduced.nothing_merged())
      out +=
          "Heads of this layer are one head, or vanish (--canonical): the rank may be below the predicted "
          "one.\n";
    document["jacobian"] = json(ranks);
  }
  return {options.common.json ? text_of(document) : out};
}

/// A TOML file is the plan of a sweep.
Answer inspect_study(const InspectOptions& options) {
  const std::size_t runs = study::read_sweep(options.source).size();
  if (options.common.json)
    return {text_of(
        report::report_json("inspection", {{"source", options.source}, {"kind", "sweep"}, {"runs", runs}}))};
  return {fmt::format("{}: the plan of a sweep, {}: hardhead sweep {} --out DIR\n", options.source,
                      counted(static_cast<std::int64_t>(runs), "run"), typed(options.source))};
}

Answer run(const InspectOptions& options, const RunContext& context) {
  if (!options.output.empty() && !options.canonical)
    throw InputError(fmt::format("-o {}: inspect writes a canonical form; add --canonical", options.output));
  if (options.tokens && !options.canonical && !options.jacobian)
    throw InputError(fmt::format("--tokens {} is for --canonical and --jacobian", *options.tokens));
  const bool is_study = options.source.ends_with(".toml"),
             is_model = !is_study && attention::names_a_checkpoint(options.source);
  if (!is_model) check_no_model_flags(options.source, options.model, {});
  if (options.canonical || options.jacobian) return identify(options, context);
  if (is_study) return inspect_study(options);
  if (is_model) {
    const attention::Model model(options.source, options.model);
    return {options.common.json ? text_of(checkpoint_json(model)) : checkpoint_text(model)};
  }
  const study::Inspection found = study::inspect_file(options.source, context);
  return {options.common.json ? text_of(json(options.source, found)) : text(options.source, found)};
}

}  // namespace

Command inspect_command() {
  return make_command(
      {.name = "inspect",
       .summary =
           "say what a file holds and whether its digest is right, or what a layer is determined up to",
       .examples = {"hardhead inspect layer.safetensors",
                    "hardhead inspect layer.safetensors --canonical -o canonical.safetensors",
                    "hardhead inspect low-rank:d=6,k=2,m=2,rank=2 --jacobian",
                    "hardhead inspect model.safetensors"}},
      FlagTable<InspectOptions>()
          .positional({"SOURCE",
                       "a layer, a data set or a checkpoint (safetensors); with --canonical or --jacobian "
                       "also a spec"},
                      &InspectOptions::source)
          .on({"--canonical", "",
               "the canonical form of a layer: which heads are one head, and which vanish"},
              &InspectOptions::canonical)
          .on({"--jacobian", "",
               "the numerical rank of the Jacobian of F in (Theta, W), and the predicted one, on each kind "
               "of inputs"},
              &InspectOptions::jacobian)
          .group(&InspectOptions::model, model_flags())
          .flag(tokens_flag, &InspectOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .flag(output_flag, &InspectOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
