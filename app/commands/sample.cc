#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/flags.h"
#include "app/learning_options.h"
#include "app/output.h"
#include "app/text/checkpoint.h"
#include "attention/files/data_file.h"
#include "attention/files/embeddings.h"
#include "base/error.h"
#include "base/text/quoted.h"
#include "base/version.h"
#include "study/problem/source.h"
#include "study/report/json.h"

namespace hardhead::app {
namespace {

struct SampleOptions {
  CommonOptions common;
  std::string source;
  std::int64_t count = 0;
  bool anonymous = false;                 ///< without spec, seed and digests
  std::optional<attention::Index> layer;  ///< of a checkpoint
  LayerExamples examples;                 ///< of a layer file; tokens of a checkpoint, too
  attention::ModelOptions model;
  std::string output;
};

/// Examples of an attention layer of a checkpoint, on inputs of the model's own kind.
Answer sample_model(const SampleOptions& options, const RunContext& context) {
  if (options.examples.inputs)
    throw InputError(fmt::format("--inputs {}: inputs of a checkpoint's examples are its embeddings",
                                 *options.examples.inputs));
  if (!options.layer || !options.examples.tokens)
    throw InputError(
        fmt::format("'{}' is a checkpoint: --layer says which of its attention layers, --tokens how long its "
                    "random sequences of tokens are (import writes a layer for other inputs)",
                    options.source));
  check_writable(options.output);
  const attention::Model model(options.source, options.model);
  check_output(model.checkpoint(), options.output);
  const attention::EmbeddingSource source(model, *options.layer, *options.examples.tokens,
                                          options.common.seed);
  constexpr std::int64_t most = 2048;
  const double distance = attention::distance_from_isotropy(source, std::min(options.count, most));
  attention::Metadata metadata;
  if (!options.anonymous)
    metadata = {{"version", version()},
                {"architecture", model.architecture().name},
                {"model_layer", std::to_string(*options.layer)},
                {"tokens", "embeddings"},
                {"seed", std::to_string(options.common.seed)}};
  attention::write_data(options.output, source, options.count, metadata, context);
  if (options.common.json)
    return {text_of(report::report_json("file", {{"file", options.output},
                                                 {"source", options.source},
                                                 {"layer", *options.layer},
                                                 {"examples", options.count},
                                                 {"d", source.d()},
                                                 {"k", source.k()},
                                                 {"inputs", "embeddings"},
                                                 {"seed", options.common.seed},
                                                 {"distance_from_isotropy", distance}}))};
  return {fmt::format("wrote {}: {}, k = {}, d = {}, token embeddings of {}\n", on_one_line(options.output),
                      counted(options.count, "example"), source.k(), source.d(), options.source) +
          wrapped(fmt::format(
              "Phase 1 of the six and the upper bound assume E[x x^T] = I; here ||E[x x^T] - I|| is "
              "{} ||I||.",
              brief(distance)))};
}

Answer run(const SampleOptions& options, const RunContext& context) {
  if (attention::names_a_checkpoint(options.source)) return sample_model(options, context);
  check_no_model_flags(options.source, options.model, options.layer);
  const study::Source source(options.examples.of({options.source}).front());
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
  const std::string inputs = name_of(range.inputs());
  if (options.common.json)
    return {text_of(report::report_json("file", {{"file", options.output},
                                                 {"source", options.source},
                                                 {"examples", options.count},
                                                 {"d", range.d()},
                                                 {"k", range.k()},
                                                 {"inputs", inputs},
                                                 {"seed", options.common.seed},
                                                 {"digest", digest}}))};
  return {fmt::format("wrote {}: {}, k = {}, d = {}, {} inputs; digest {}\n", on_one_line(options.output),
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
          .positional({"SOURCE",
                       "a spec, a layer file, a data file to take the head of, or a checkpoint: --layer and "
                       "--tokens, on embeddings of random tokens"},
                      &SampleOptions::source)
          .flag(layer_flag, &SampleOptions::layer, layer_number())
          .group(&SampleOptions::model, model_flags())
          .group(&SampleOptions::examples, layer_examples_flags())
          .on({"--anonymous", "", "leave spec, seed and digests out of the file"}, &SampleOptions::anonymous)
          .required({"-n,--count", "N", "how many examples"}, &SampleOptions::count, example_count())
          .required(output_flag, &SampleOptions::output, nonempty_text("a file name")),
      run);
}

}  // namespace hardhead::app
