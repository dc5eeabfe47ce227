#include "hardness/challenge/publish.h"

#include <fmt/format.h>

#include <optional>
#include <variant>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "hardness/challenge/challenge_file.h"
#include "hardness/challenge/make.h"
#include "lwe/files/instance_file.h"

namespace hardhead::challenge {
namespace {

/// The files, which are there when both are committed. A name that nothing can be written to is refused
/// before anything is drawn.
struct Files {
  AtomicFile published;
  std::optional<AtomicFile> kept;

  explicit Files(const PublishOptions& options) : published(options.file) {
    if (!options.keep.empty()) kept.emplace(options.keep);
  }
  void commit() {
    if (kept)
      AtomicFile::commit_in_order(*kept, published);
    else
      published.commit();
  }
};

Published publish_samples(const PublishOptions& options, const Spec& spec) {
  if (options.examples)
    throw InputError(
        fmt::format("{} examples: the spec says samples={}", *options.examples, *spec.value("samples")));
  check_ending(options.file, {".json"});
  if (!options.keep.empty()) check_ending(options.keep, {".json"});
  Files files(options);
  const MadeSamples out = make_samples(spec);
  lwe::write_json_challenge(files.published, out.challenge);
  if (files.kept) lwe::write_solution(*files.kept, {lwe::content_digest(out.challenge), out.secret});
  files.commit();
  return {options.file, out.spec.str(), out.challenge.samples.count(), options.keep};
}

}  // namespace

void check_ending(const std::string& file, std::initializer_list<const char*> endings) {
  for (const char* ending : endings)
    if (file.ends_with(ending)) return;
  throw InputError(fmt::format("'{}': a name that ends in {} is expected", file, fmt::join(endings, " or ")));
}

Published publish(const PublishOptions& options, const RunContext& context) {
  const Spec spec = Spec::parse(options.spec);
  if (spec.value("samples") != nullptr) return publish_samples(options, spec);
  const Terms terms = read_terms(spec);
  if (!options.examples)
    throw InputError(
        fmt::format("'{}': how many training examples the layer has is to be stated", options.spec));
  check_ending(options.file, {".safetensors"});
  if (!options.keep.empty()) check_ending(options.keep, {terms.behind_switch ? ".json" : ".safetensors"});
  Files files(options);
  const MadeLayerChallenge out = make_challenge(spec, *options.examples, context);
  write_challenge(files.published, out.challenge);
  if (const auto* secret = std::get_if<std::vector<lwe::Residue>>(&out.secret);
      files.kept && secret != nullptr)
    lwe::write_solution(*files.kept, {out.challenge.commitment, *secret});
  else if (files.kept)
    attention::write_layer(*files.kept, std::get<attention::Layer>(out.secret), {});
  files.commit();
  return {options.file, terms.spec.str(), *options.examples, options.keep};
}

}  // namespace hardhead::challenge
