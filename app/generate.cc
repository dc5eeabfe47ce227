#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "attention/layer_file.h"
#include "hardness/family.h"
#include "study/json.h"

namespace hardhead::app {
namespace {

Answer run(const Settings& settings, const RunControl&) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse(settings.source));
  const std::string spec = instance.spec.str(), inputs = attention::to_string(instance.inputs);
  attention::write_layer(settings.output, instance.layer,
                         {{"spec", spec},
                          {"digest", instance.digest},
                          {"k", std::to_string(instance.k)},
                          {"inputs", inputs},
                          {"version", study::version()}});
  if (settings.json)
    return {ExitCode::answered, text_of(study::report_json({{"file", settings.output},
                                                            {"spec", spec},
                                                            {"digest", instance.digest},
                                                            {"d", instance.layer.d},
                                                            {"k", instance.k},
                                                            {"m", instance.layer.m()},
                                                            {"inputs", inputs}}))};
  return {ExitCode::answered,
          fmt::format("wrote {}: {}\n{}, d = {}, for k = {} tokens, {} inputs; digest {}\n", settings.output,
                      spec, counted(instance.layer.m(), "head"), instance.layer.d, instance.k, inputs,
                      instance.digest)};
}

}  // namespace

Command generate_command() {
  return {"generate",
          "write the layer of an instance to a file",
          {"SPEC", "an instance, as in nice:d=16,k=3,m=2,seed=7"},
          {},
          {"-o,--output"},
          {"hardhead generate nice:d=8,k=2,m=2,seed=7 -o layer.safetensors"},
          run};
}

}  // namespace hardhead::app
