#include "hardness/challenge/make.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attention/files/layer_file.h"
#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "hardness/challenge/challenge_file.h"
#include "hardness/challenge/commitment.h"
#include "lwe/files/instance_file.h"

namespace hardhead::challenge {
namespace {

using attention::Block;
using lwe::Residue;

constexpr std::int64_t examples_at_once = 4096;

/// A stream that nobody can draw again.
Stream secret_stream(Domain domain) {
  return Stream(domain, 0, fresh_entropy());
}

/// Appends the labels of a block's rows: exact, or with errors of `noise`.
void append_labels(const SamplesBehindSwitch& terms, const std::vector<Residue>& secret, Block& block,
                   const Stream* noise, std::vector<Residue>& g) {
  const lwe::ErrorLaw law(terms.problem);
  const lwe::Samples rows = rows_behind_switch(terms, block);
  for (std::int64_t i = 0; i < rows.count(); ++i) {
    const std::int64_t error = noise == nullptr ? 0 : law.value(noise->bits(g.size(), 0)[0]);
    g.push_back(lwe::label(terms.problem, rows.row(i).data(), secret, error));
  }
}

Secret label_behind_switch(LayerChallenge& challenge, const RunContext& context) {
  const Terms& terms = challenge.terms;
  std::vector<Residue> secret =
      lwe::draw_secret(terms.behind_switch->problem, secret_stream(Domain::instance));
  const Stream noise = secret_stream(Domain::samples);
  const Stream inputs(Domain::samples, challenge.training_seed);
  for (std::int64_t first = 0; first < challenge.examples; first += examples_at_once) {
    context.stop.check();
    Block block(terms.d, terms.k, std::min(examples_at_once, challenge.examples - first));
    attention::draw_tokens(terms.inputs, inputs, static_cast<std::uint64_t>(first), block);
    append_labels(*terms.behind_switch, secret, block, &noise, challenge.g);
  }
  challenge.test_seed = fresh_seed();
  Block tests = test_inputs(challenge);
  std::vector<Residue> g;
  append_labels(*terms.behind_switch, secret, tests, nullptr, g);
  challenge.commitment = commitment(challenge.salt, std::vector<std::int64_t>(g.begin(), g.end()));
  return secret;
}

std::vector<double> labels_of(const attention::SampleSource& source, std::int64_t count,
                              const RunContext& context) {
  const std::int64_t entries = source.k() * source.d();
  std::vector<double> out(static_cast<std::size_t>(count * entries));
  for (std::int64_t first = 0; first < count; first += examples_at_once) {
    context.stop.check();
    Block block(source.d(), source.k(), std::min(examples_at_once, count - first));
    source.read(first, block);
    attention::write_as_array(block.y, block.k, out.data() + first * entries);
  }
  return out;
}

Secret label_by_layer(LayerChallenge& challenge, const RunContext& context) {
  const Terms& terms = challenge.terms;
  attention::Layer layer = hardness::nice_layer(*terms.nice, secret_stream(Domain::instance));
  const auto teacher = std::make_shared<attention::LayerTeacher>(layer);
  const auto examples = [&](Domain domain, std::uint64_t seed) {
    return attention::SimulatedSource(teacher, terms.d, terms.k, terms.inputs, Stream(domain, seed));
  };
  challenge.y = labels_of(examples(Domain::samples, challenge.training_seed), challenge.examples, context);
  std::vector<double> tests;
  do {
    challenge.test_seed = fresh_seed();
    tests = labels_of(examples(Domain::test, challenge.test_seed), challenge.test_examples, context);
  } while (!rounds_safely(tests));
  challenge.commitment = commitment(challenge.salt, rounded_codes(tests));
  return layer;
}

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

MadeLayerChallenge make_challenge(const Spec& spec, std::int64_t examples, const RunContext& context) {
  if (examples < 1 || examples > most_examples)
    throw InputError(fmt::format("{} examples: 1 .. {} are expected", examples, most_examples));
  MadeLayerChallenge out;
  LayerChallenge& challenge = out.challenge;
  challenge.terms = read_terms(spec);
  challenge.examples = examples;
  challenge.training_seed = fresh_seed();
  challenge.test_examples = test_examples_of(challenge.terms);
  challenge.salt = fresh_entropy();
  out.secret = challenge.terms.behind_switch ? label_behind_switch(challenge, context)
                                             : label_by_layer(challenge, context);
  return out;
}

MadeSamples make_samples(const Spec& spec) {
  refuse_seed(spec);
  const lwe::Recipe recipe = lwe::Recipe::parse(spec);
  MadeSamples out;
  out.spec = without_seed(recipe.spec);
  out.secret = lwe::draw_secret(recipe.parameters, secret_stream(Domain::instance));
  const lwe::Sampler sampler(recipe.parameters, out.secret, secret_stream(Domain::samples),
                             secret_stream(Domain::samples));
  out.challenge = {recipe.parameters, sampler.draw(0, recipe.samples)};
  return out;
}

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
