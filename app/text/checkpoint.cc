#include "app/text/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/flags.h"
#include "app/output.h"
#include "base/error.h"
#include "base/text/record_json.h"
#include "study/report/json.h"

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
      out.back().dtypes.insert(tensor.type_name);
    }
  }
  return out;
}

std::optional<attention::Index> heads_of(const attention::Model& model) {
  return model.config() ? model.config()->heads : std::nullopt;
}

}  // namespace

const FlagTable<attention::ModelOptions>& model_flags() {
  using attention::ModelOptions;
  static const FlagTable<ModelOptions> flags = [] {
    std::vector<std::string> names;
    for (const attention::Architecture& row : attention::architectures()) names.push_back(row.name);
    constexpr attention::Index most_offset = 1 << 30;
    return FlagTable<ModelOptions>()
        .flag({"--arch", "NAME", "architecture of a checkpoint", "as its tensors' names show it"},
              &ModelOptions::architecture, one_of_names(names))
        .flag({"--prefix", "TEXT",
               "of a checkpoint's several parts, the one whose tensors have this in front of their names",
               "the one that there is"},
              &ModelOptions::prefix, nonempty_text("a prefix, such as encoder"))
        .flag({"--num-heads", "H", "attention heads of each layer of a checkpoint",
               "what its config.json says"},
              &ModelOptions::heads, integer_in<attention::Index>(1, most_heads))
        .flag({"--offset", "DELTA", "rotary embeddings: Theta of tokens at positions r and r + DELTA"},
              &ModelOptions::offset, integer_in<attention::Index>(-most_offset, most_offset));
  }();
  return flags;
}

Reader<attention::Index> layer_number() {
  return integer_in<attention::Index>(0, 1 << 20);
}

void check_no_model_flags(const std::string& source, const attention::ModelOptions& options,
                          std::optional<attention::Index> layer) {
  const char* said = nullptr;
  if (layer) said = "--layer";
  if (!options.architecture.empty()) said = "--arch";
  if (!options.prefix.empty()) said = "--prefix";
  if (options.heads) said = "--num-heads";
  if (options.offset != 0) said = "--offset";
  if (said != nullptr) throw InputError(fmt::format("{} is of checkpoints, and '{}' is none", said, source));
}

void check_output(const attention::Checkpoint& checkpoint, const std::string& path) {
  if (checkpoint.has_file(path))
    throw InputError(fmt::format("--output {}: a file of the checkpoint, which the command reads", path));
}

std::string checkpoint_text(const attention::Model& model) {
  const auto& layers = model.layers();
  const auto heads = heads_of(model);
  std::string out =
      fmt::format("{}: a checkpoint, {} ({}), {} numbered {} .. {}{}\n", model.checkpoint().path(),
                  model.architecture().name, model.architecture().models,
                  counted(static_cast<std::int64_t>(layers.size()), "attention layer"), layers.front(),
                  layers.back(), heads ? fmt::format(", {} each", counted(*heads, "head")) : "");
  Rows rows = {{"file", "tensors", "bytes", "types"}};
  for (const FileSummary& file : files_of(model))
    rows.push_back({file.path, fmt::format("{}", file.tensors), fmt::format("{}", file.bytes),
                    fmt::format("{}", fmt::join(file.dtypes, " "))});
  out += table(rows);
  for (const auto& [name, what] : model.checkpoint().unread_files())
    out += fmt::format("Not read: {}\n", what);
  if (!heads)
    out += "No config.json beside it says the number of heads: import and certify need --num-heads.\n";
  return out;
}

Json checkpoint_json(const attention::Model& model) {
  auto out = report::report_json("checkpoint", {{"file", model.checkpoint().path()},
                                                {"kind", "checkpoint"},
                                                {"architecture", model.architecture().name},
                                                {"layers", model.layers()},
                                                {"heads", json_value(heads_of(model))},
                                                {"files", Json::array()}});
  for (const FileSummary& file : files_of(model))
    out["files"].push_back(
        {{"file", file.path}, {"tensors", file.tensors}, {"bytes", file.bytes}, {"types", file.dtypes}});
  return out;
}

}  // namespace hardhead::app
