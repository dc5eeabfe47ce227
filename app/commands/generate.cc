#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "attention/files/layer_file.h"
#include "base/text/quoted.h"
#include "base/version.h"
#include "hardness/families/family.h"
#include "study/cost/hard_presets.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct GenerateOptions {
  CommonOptions common;
  std::string spec, output;
};

Answer run(const GenerateOptions& options, const RunContext&) {
  const hardness::Instance instance = hardness::make_instance(study::source_spec(options.spec));
  const std::string spec = instance.spec.str(), inputs = name_of(instance.inputs);
  attention::write_layer(options.output, instance.layer,
                         {{"spec", spec},
                          {"digest", instance.digest},
                          {"k", std::to_string(instance.k)},
                          {"inputs", inputs},
                          {"version", version()}});
  if (options.common.json)
    return {text_of(report::report_json("file", {{"file", options.output},
                                                 {"spec", spec},
                                                 {"digest", instance.digest},
                                                 {"d", instance.layer.d},
                                                 {"k", instance.k},
                                                 {"m", instance.layer.m()},
                                                 {"inputs", inputs}}))};
  return {fmt::format("wrote {}: {}\n{}, d = {}, for k = {} tokens, {} inputs; digest {}\n",
                      on_one_line(options.output), spec, counted(instance.layer.m(), "head"),
                      instance.layer.d, instance.k, inputs, instance.digest)};
}

}  // namespace

Command generate_command() {
  return make_command(
      {.name = "generate",
       .summary = "write the layer of an instance to a file",
       .examples = {"hardhead generate nice:d=8,k=2,m=2,seed=7 -o layer.safetensors"}},
      FlagTable<GenerateOptions>()
          .positional({.name = "SPEC", .help = "an instance, as in nice:d=16,k=3,m=2,seed=7", .files = false},
                      &GenerateOptions::spec)
          .required(output_flag, &GenerateOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
