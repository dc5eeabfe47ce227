#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "attention/data_file.h"
#include "study/json.h"
#include "study/named_source.h"

namespace hardhead::app {
namespace {

Answer run(const Settings& settings, const RunControl& control) {
  const study::NamedSource named = study::open_source(settings.source);
  const auto examples = study::examples_of(named, Domain::samples, settings.seed);
  const attention::SourceRange range(*examples, 0, settings.count);
  check_writable(settings.output);

  attention::Metadata metadata;
  const std::string digest = attention::content_digest(range, settings.count, control);
  if (!settings.anonymous) {
    metadata["digest"] = digest;
    metadata["version"] = study::version();
    if (named.instance) {
      metadata["instance_digest"] = named.instance->digest;
      metadata["seed"] = std::to_string(settings.seed);
      if (!named.instance->spec.name.empty()) metadata["spec"] = named.instance->spec.str();
    }
  }
  attention::write_data(settings.output, range, settings.count, metadata, control);
  const std::string inputs = attention::to_string(range.inputs());
  if (settings.json)
    return {ExitCode::answered, text_of(study::report_json({{"file", settings.output},
                                                            {"source", settings.source},
                                                            {"examples", settings.count},
                                                            {"d", range.d()},
                                                            {"k", range.k()},
                                                            {"inputs", inputs},
                                                            {"seed", settings.seed},
                                                            {"digest", digest}}))};
  return {ExitCode::answered,
          fmt::format("wrote {}: {}, k = {}, d = {}, {} inputs; digest {}\n", settings.output,
                      counted(settings.count, "example"), range.k(), range.d(), inputs, digest)};
}

}  // namespace

Command sample_command() {
  return {"sample",
          "write labelled examples to a file",
          {"SOURCE", "a spec, a layer file, or a data file to take the head of"},
          {"--anonymous"},
          {"-n,--count", "-o,--output"},
          {"hardhead sample layer.safetensors -n 3000 -o data.safetensors",
           "hardhead sample parity:d=6,m=2 -n 1000 --anonymous -o parity.safetensors"},
          run};
}

}  // namespace hardhead::app
