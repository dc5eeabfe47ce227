#include "app/text/checkpoint_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/output.h"
#include "report/json.h"

namespace hardhead::app {
namespace {

struct FileSummary {
  std::string path;
  std::size_t tensors = 0;
  std::size_t bytes = 0;
  std::set<std::string> dtypes;
};

std::vector<FileSummary> files_of(const attention::Model& model) {
  std::vector<FileSummary> out;
  for (const auto& [name, file] : model.checkpoint().files()) {
    out.push_back({file.path(), file.tensors().size(), 0, {}});
    for (const auto& [tensor_name, tensor] : file.tensors()) {
      out.back().bytes += tensor.bytes.size();
      out.back().dtypes.insert(attention::to_string(tensor.dtype));
    }
  }
  return out;
}

std::optional<attention::Index> heads_of(const attention::Model& model) {
  return model.config() ? model.config()->heads : std::nullopt;
}

}  // namespace

std::string checkpoint_text(const attention::Model& model) {
  const auto& layers = model.layers();
  const auto heads = heads_of(model);
  std::string out =
      fmt::format("{}: a checkpoint, {} ({}), {} numbered {} .. {}{}\n", model.checkpoint().path(),
                  model.architecture().name, model.architecture().models,
                  counted(static_cast<std::int64_t>(layers.size()), "attention layer"), layers.front(),
                  layers.back(), heads ? fmt::format(", {} each", counted(*heads, "head")) : "");
  std::vector<std::vector<std::string>> rows = {{"file", "tensors", "bytes", "types"}};
  for (const FileSummary& file : files_of(model))
    rows.push_back({file.path, fmt::format("{}", file.tensors), fmt::format("{}", file.bytes),
                    fmt::format("{}", fmt::join(file.dtypes, " "))});
  out += table(rows);
  if (!heads)
    out += "No config.json beside it says the number of heads: import and certify need --num-heads.\n";
  return out;
}

nlohmann::ordered_json checkpoint_json(const attention::Model& model) {
  auto out = report::report_json({{"file", model.checkpoint().path()},
                                  {"kind", "checkpoint"},
                                  {"architecture", model.architecture().name},
                                  {"layers", model.layers()},
                                  {"heads", report::or_null(heads_of(model))},
                                  {"files", nlohmann::ordered_json::array()}});
  for (const FileSummary& file : files_of(model))
    out["files"].push_back(
        {{"file", file.path}, {"tensors", file.tensors}, {"bytes", file.bytes}, {"types", file.dtypes}});
  return out;
}

}  // namespace hardhead::app
