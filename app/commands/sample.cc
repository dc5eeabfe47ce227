#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/output.h"
#include "attention/files/data_file.h"
#include "base/version.h"
#include "report/json.h"
#include "study/problem/source.h"
#include "study/sweep/json.h"

namespace hardhead::app {
namespace {

struct SampleOptions {
  CommonOptions common;
  std::string source;
  std::int64_t count = 0;
  bool anonymous = false;  ///< without spec, seed and digests
  std::string output;
};

Answer run(const SampleOptions& options, const RunContext& context) {
  const study::Source source(options.source);
  const auto resolved = source.resolve();
  const auto examples = study::examples_of(source, Domain::samples, options.common.seed);
  const attention::SourceRange range(*examples, 0, options.count);
  check_writable(options.output);

  attention::Metadata metadata;
  const std::string digest = attention::content_digest(range, options.count, context);
  if (!options.anonymous) {
    metadata["digest"] = digest;
    metadata["version"] = version();
    if (resolved->instance) {
      metadata["instance_digest"] = resolved->instance->digest;
      metadata["seed"] = std::to_string(options.common.seed);
      if (!resolved->spec().empty()) metadata["spec"] = resolved->spec();
    }
  }
  attention::write_data(options.output, range, options.count, metadata, context);
  const std::string inputs = attention::to_string(range.inputs());
  if (options.common.json)
    return {ExitCode::answered, text_of(report::report_json({{"file", options.output},
                                                             {"source", options.source},
                                                             {"examples", options.count},
                                                             {"d", range.d()},
                                                             {"k", range.k()},
                                                             {"inputs", inputs},
                                                             {"seed", options.common.seed},
                                                             {"digest", digest}}))};
  return {ExitCode::answered,
          fmt::format("wrote {}: {}, k = {}, d = {}, {} inputs; digest {}\n", options.output,
                      counted(options.count, "example"), range.k(), range.d(), inputs, digest)};
}

}  // namespace

Command sample_command() {
  return make_command(
      {.name = "sample",
       .summary = "write labelled examples to a file",
       .examples = {"hardhead sample layer.safetensors -n 3000 -o data.safetensors",
                    "hardhead sample parity:d=6,m=2 -n 1000 --anonymous -o parity.safetensors"}},
      FlagTable<SampleOptions>()
          .positional({"SOURCE", "a spec, a layer file, or a data file to take the head of"},
                      &SampleOptions::source)
          .on({"--anonymous", "", "leave spec, seed and digests out of the file"}, &SampleOptions::anonymous)
          .required({"-n,--count", "N", "how many examples, at least 1"}, &SampleOptions::count,
                    example_count())
          .required(output_flag(), &SampleOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
