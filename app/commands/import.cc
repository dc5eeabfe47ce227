#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/output.h"
#include "app/text/checkpoint.h"
#include "attention/files/layer_file.h"
#include "attention/samples/inputs.h"
#include "base/error.h"
#include "base/text/quoted.h"
#include "base/text/record_json.h"
#include "base/version.h"
#include "learner/cost.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

using attention::Inputs;

struct ImportOptions {
  CommonOptions common;
  std::string checkpoint, output;
  attention::Index layer = 0;
  attention::ModelOptions model;
  std::optional<attention::Index> tokens;
  std::string inputs = "gaussian";
  std::optional<double> memory_limit_bytes;
};

void check_memory(const ImportOptions& options, const attention::Model& model) {
  if (!options.memory_limit_bytes) return;
  const double bytes = learner::process_bytes + model.layer_file_bytes(options.layer);
  if (bytes > *options.memory_limit_bytes)
    throw BudgetError(fmt::format(
        "layer {} of '{}' is predicted to need {:.3g} bytes of memory, more than the memory limit of "
        "{:.3g} bytes",
        options.layer, options.checkpoint, bytes, *options.memory_limit_bytes));
}

/// The distribution of examples of the imported layer: with the constant feature where it has one.
Inputs inputs_of(const ImportOptions& options, const attention::ModelLayer& layer) {
  return attention::parse_inputs(options.inputs + (layer.has_constant_feature ? "+1" : ""));
}

Answer run(const ImportOptions& options, const RunContext&) {
  check_writable(options.output);
  const attention::Model model(options.checkpoint, options.model);
  check_output(model.checkpoint(), options.output);
  check_memory(options, model);
  const attention::ModelLayer made = model.layer(options.layer);
  const std::string digest = attention::content_digest(made.layer),
                    inputs = name_of(inputs_of(options, made));
  attention::Metadata metadata = {{"digest", digest},
                                  {"architecture", model.architecture().name},
                                  {"model_layer", std::to_string(options.layer)},
                                  {"inputs", inputs},
                                  {"version", version()}};
  if (options.tokens) metadata["k"] = std::to_string(*options.tokens);
  attention::write_layer(options.output, made.layer, metadata);
  if (options.common.json)
    return {text_of(report::report_json("file", {{"file", options.output},
                                                 {"checkpoint", options.checkpoint},
                                                 {"architecture", model.architecture().name},
                                                 {"layer", options.layer},
                                                 {"digest", digest},
                                                 {"d", made.layer.d},
                                                 {"m", made.layer.m()},
                                                 {"k", json_value(options.tokens)},
                                                 {"inputs", inputs},
                                                 {"constant_feature", made.has_constant_feature},
                                                 {"key_value_heads", made.key_value_heads},
                                                 {"head_size", made.head_size},
                                                 {"notes", made.notes}}))};
  std::string out = fmt::format("wrote {}: attention layer {} of {} ({})\n", on_one_line(options.output),
                                options.layer, options.checkpoint, model.architecture().name);
  out += fmt::format("{} of size {}, {}, d = {}, {} inputs; digest {}\n", counted(made.heads, "head"),
                     made.head_size, counted(made.key_value_heads, "key-value head"), made.layer.d, inputs,
                     digest);
  for (const std::string& note : made.notes) out += wrapped(note);
  return {out};
}

}  // namespace

Command import_command() {
  return make_command(
      {.name = "import",
       .summary = "write an attention layer of a trained model's checkpoint to a layer file",
       .examples =
           {"hardhead import model.safetensors --layer 0 --num-heads 2 -o imported.safetensors",
            "hardhead import model.safetensors --layer 1 --num-heads 2 --tokens 4 --inputs boolean -o "
            "imported.safetensors"}},
      FlagTable<ImportOptions>()
          .positional(
              {"CHECKPOINT",
               "a safetensors file, an index of several (model.safetensors.index.json) or their folder"},
              &ImportOptions::checkpoint)
          .required(layer_flag, &ImportOptions::layer, layer_number())
          .group(&ImportOptions::model, model_flags())
          .flag(inputs_flag(), &ImportOptions::inputs, one_of_names({"boolean", "gaussian", "sphere"}))
          .flag(tokens_flag, &ImportOptions::tokens, integer_in<std::int64_t>(1, most_heads))
          .flag({"--memory-limit", "BYTES", "refuse what is predicted to need more", "none"},
                &ImportOptions::memory_limit_bytes, byte_count())
          .required(output_flag, &ImportOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
