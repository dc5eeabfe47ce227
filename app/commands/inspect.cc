#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "base/text/quoted.h"
#include "report/json.h"
#include "study/problem/inspection.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

std::string text(const std::string& path, const study::Inspection& found) {
  std::string out;
  if (found.layer) {
    out += fmt::format("{}: a layer, d = {}, {}\n", path, found.layer->d,
                       counted(static_cast<std::int64_t>(found.layer->heads.size()), "head"));
    std::vector<std::vector<std::string>> rows = {
        {"head", "theta norm", "theta stable rank", "w norm", "w stable rank"}};
    for (std::size_t i = 0; i < found.layer->heads.size(); ++i) {
      const auto& head = found.layer->heads[i];
      rows.push_back({fmt::format("{}", i), brief(head.theta_norm), brief(head.theta_stable_rank),
                      brief(head.w_norm), brief(head.w_stable_rank)});
    }
    out += table(rows) + fmt::format("norm of the sum of all w: {}\n", brief(found.layer->w_sum_norm));
  }
  if (found.data)
    out += fmt::format("{}: a data set, {}, k = {}, d = {}, {} inputs, labels of root mean square {}\n", path,
                       counted(found.data->examples, "example"), found.data->k, found.data->d,
                       attention::to_string(found.data->inputs), brief(found.data->label_rms));
  for (const auto& [key, value] : found.metadata)
    out += fmt::format("  {} = {}\n", on_one_line(key), on_one_line(value));
  out += fmt::format("content digest {}\n", found.content_digest);
  if (found.digest_right) out += *found.digest_right ? "digest right: " : "digest WRONG: ";
  return out + found.digest_note + "\n";
}

nlohmann::ordered_json json(const std::string& path, const study::Inspection& found) {
  nlohmann::ordered_json out = report::report_json({{"file", path}});
  if (found.layer) {
    out["kind"] = "layer";
    out["d"] = found.layer->d;
    out["m"] = found.layer->heads.size();
    out["heads"] = nlohmann::ordered_json::array();
    for (const auto& head : found.layer->heads)
      out["heads"].push_back({{"theta_norm", report::number_or_null(head.theta_norm)},
                              {"theta_stable_rank", report::number_or_null(head.theta_stable_rank)},
                              {"w_norm", report::number_or_null(head.w_norm)},
                              {"w_stable_rank", report::number_or_null(head.w_stable_rank)}});
    out["w_sum_norm"] = report::number_or_null(found.layer->w_sum_norm);
  }
  if (found.data) {
    out["kind"] = "data";
    out["examples"] = found.data->examples;
    out["d"] = found.data->d;
    out["k"] = found.data->k;
    out["inputs"] = attention::to_string(found.data->inputs);
    out["label_rms"] = report::number_or_null(found.data->label_rms);
  }
  out["metadata"] = found.metadata;
  out["content_digest"] = found.content_digest;
  out["digest_right"] = nullptr;
  if (found.digest_right) out["digest_right"] = *found.digest_right;
  out["digest_note"] = found.digest_note;
  return out;
}

struct InspectOptions {
  CommonOptions common;
  std::string file;
};

Answer run(const InspectOptions& options, const RunContext& context) {
  const study::Inspection found = study::inspect_file(options.file, context);
  return {ExitCode::answered,
          options.common.json ? text_of(json(options.file, found)) : text(options.file, found)};
}

}  // namespace

Command inspect_command() {
  return make_command({.name = "inspect",
                       .summary = "say what a file holds and whether its digest is right",
                       .examples = {"hardhead inspect layer.safetensors"}},
                      FlagTable<InspectOptions>().positional({"FILE", "a layer or a data set (safetensors)"},
                                                             &InspectOptions::file),
                      run);
}

}  // namespace hardhead::app
