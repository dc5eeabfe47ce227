#include "study/problem/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <list>
#include <mutex>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "base/files/digest.h"
#include "base/text/number.h"
#include "hardness/families/family.h"
#include "hardness/gadget/switch_gadget.h"
#include "study/cost/hard_presets.h"
#include "study/problem/null_predictor.h"

namespace hardhead::study {
namespace {

using attention::Index;
using attention::Layer;
using attention::SafetensorsFile;

Index tokens_of(const std::string& place, const std::string& text) {
  constexpr Index limit = 4096;
  const auto k = integer_of(text);
  if (!k || *k < 1 || *k > limit)
    throw InputError(fmt::format("{} = '{}': not an integer in 1 .. {}", place, text, limit));
  return *k;
}

std::optional<Index> tokens_in_metadata(const SafetensorsFile& file) {
  const auto found = file.metadata().find("k");
  if (found == file.metadata().end()) return std::nullopt;
  return tokens_of(fmt::format("file '{}', metadata k", file.path()), found->second);
}

std::optional<attention::Inputs> inputs_in_metadata(const SafetensorsFile& file) {
  const auto found = file.metadata().find("inputs");
  return found == file.metadata().end() ? std::nullopt
                                        : std::optional(attention::parse_inputs(found->second));
}

/// The instance whose spec the file carries, if it is the file's layer with the inputs that are asked for.
std::optional<hardness::Instance> remake(const SafetensorsFile& file, const NamedFile& named,
                                         const Layer& layer) {
  const auto spec = file.metadata().find("spec");
  if (spec == file.metadata().end()) return std::nullopt;
  try {
    const Spec parsed = Spec::parse(spec->second);
    if (hardness::runs_a_program(parsed)) return std::nullopt;
    const hardness::InstanceShape shape = hardness::instance_shape(parsed);
    if (shape.d != layer.d || shape.m != layer.m()) return std::nullopt;
    if (named.k.value_or(shape.k) != shape.k) return std::nullopt;
    hardness::Instance instance = hardness::make_instance(parsed);
    if (attention::content_digest(instance.layer) != attention::content_digest(layer)) return std::nullopt;
    if (named.inputs.value_or(instance.inputs) != instance.inputs) return std::nullopt;
    return instance;
  } catch (const InputError&) {  // another program's spec, or one of a version with other families
    return std::nullopt;
  }
}

/// A hard layer whose spec got lost: its labels cannot be told exactly, and a forward pass would give away
/// what it hides (hardness.h, trap 2).
void refuse_inexact_labels(const SafetensorsFile& file, const Layer& layer) {
  const auto labels = file.metadata().find("labels");
  if (labels != file.metadata().end() && labels->second == "forward") return;
  if (!hardness::has_gadget_form(layer)) return;
  throw InputError(fmt::format(
      "file '{}': the layer has the form of a hard one, and its metadata does not have the spec that "
      "it is of. Labels by a forward pass would write equal levels as several doubles, and which one "
      "tells what is hidden. Save it with the metadata that 'generate' wrote, or with labels = "
      "forward if such labels are meant",
      file.path()));
}

hardness::Instance labelled_forward(Layer layer, Index tokens, attention::Inputs inputs) {
  hardness::Instance instance;
  instance.k = tokens;
  instance.inputs = inputs;
  instance.digest = attention::content_digest(layer);
  instance.teacher = std::make_shared<attention::LayerTeacher>(layer);
  instance.layer = std::move(layer);
  return instance;
}

hardness::Instance instance_of_layer_file(const SafetensorsFile& file, const NamedFile& named) {
  Layer layer = attention::read_layer(file);
  if (auto instance = remake(file, named, layer)) return *std::move(instance);
  const auto k = named.k ? named.k : tokens_in_metadata(file);
  refuse_inexact_labels(file, layer);
  if (!k)
    throw InputError(fmt::format(
        "file '{0}': a layer says nothing of the number of tokens; to draw examples from it, give "
        "it: --tokens K, or '{0}:k=K', or k in its metadata (as files written by 'generate' have)",
        file.path()));
  const auto inputs =
      named.inputs ? *named.inputs : inputs_in_metadata(file).value_or(attention::Inputs::boolean);
  return labelled_forward(std::move(layer), *k, inputs);
}

ResolvedSource open(const std::string& name) {
  if (!names_a_file(name)) {
    const Spec spec = source_spec(name);
    const hardness::Family& family = hardness::find_family(spec.name);
    if (family.examples)
      if (auto labelled = family.examples(spec))
        return {nullptr, std::move(labelled), family.canonical(spec).str()};
    return {std::make_shared<hardness::Instance>(hardness::make_instance(spec)), nullptr};
  }
  const NamedFile named = file_named(name);
  const SafetensorsFile file(named.path);
  if (kind_of(file) == FileKind::layer)
    return {std::make_shared<hardness::Instance>(instance_of_layer_file(file, named)), nullptr};
  if (named.k || named.inputs)
    throw InputError(
        fmt::format("'{}': tokens and inputs are said of layer files, and this is a data file, "
                    "which has its own",
                    named.path));
  return {nullptr, std::make_shared<const attention::FileSource>(named.path)};
}

SourceShape shape_of(const hardness::InstanceShape& instance) {
  const auto heads = instance.m > 0 ? std::optional(instance.m) : std::nullopt;
  return {.d = instance.d, .k = instance.k, .m = heads, .instance = instance};
}

SourceShape shape_of(const ResolvedSource& source) {
  if (source.instance) return shape_of(hardness::shape_of(*source.instance));
  return {.d = source.examples->d(),
          .k = source.examples->k(),
          .m = std::nullopt,
          .examples = source.examples->size()};
}

/// The layer's matrices, and the teacher's copy of them.
double bytes_of(const ResolvedSource& source) {
  if (!source.instance) return 0;  // a file's examples stay in the file
  const Layer& layer = source.instance->layer;
  return 2.0 * 2.0 * sizeof(double) * static_cast<double>(layer.m()) * static_cast<double>(layer.d) *
         static_cast<double>(layer.d);
}

std::string digest_of(const ResolvedSource& source, const RunContext& context) {
  if (source.examples) return attention::content_digest(*source.examples, source.examples->size(), context);
  const hardness::Instance& instance = *source.instance;
  if (!instance.spec.name.empty()) return instance.digest;
  // A layer file's digest is of its matrices. Its tokens and inputs decide its examples and count as well.
  return Digest().add(instance.digest).add(fmt::format("{} {}", instance.k, name_of(instance.inputs))).hex();
}

}  // namespace

std::string ResolvedSource::spec() const {
  return instance && !instance->spec.name.empty() ? instance->spec.str() : examples_spec;
}

struct Source::State {
  std::string name;
  std::optional<std::string> label;  // where it was given
  bool pinned = false;               // the caller's own value, which could not be made again

  std::mutex mutex;                           // of what follows, up to `kept`
  std::weak_ptr<const ResolvedSource> value;  // for as long as anyone uses it
  std::optional<SourceShape> shape;
  std::optional<std::string> digest;

  std::shared_ptr<const ResolvedSource> kept;  // guarded by Recent, but of a pinned state

  /// With the mutex held.
  std::shared_ptr<const ResolvedSource> resolve(const std::shared_ptr<State>& self);
};

/// The states that keep their values, the most recently used first.
class Source::Recent {
 public:
  static Recent& of_process() {
    static Recent recent;
    return recent;
  }

  void use(const std::shared_ptr<State>& state, const std::shared_ptr<const ResolvedSource>& value) {
    std::vector<std::shared_ptr<const ResolvedSource>> let_go;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) {
      const auto other = entry.state.lock();
      return other == nullptr || other == state;
    });
    entries_.push_front({state, bytes_of(*value)});
    state->kept = value;
    double older = 0;
    int count = 1;
    for (auto at = std::next(entries_.begin()); at != entries_.end();) {
      older += at->bytes;
      if (older <= Source::kept_bytes && ++count <= most_entries) {
        ++at;
        continue;
      }
      if (const auto other = at->state.lock()) let_go.push_back(std::move(other->kept));
      at = entries_.erase(at);
    }
  }

 private:
  static constexpr int most_entries = 256;
  struct Entry {
    std::weak_ptr<State> state;
    double bytes;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

std::shared_ptr<const ResolvedSource> Source::State::resolve(const std::shared_ptr<State>& self) {
  if (pinned) return kept;
  std::shared_ptr<const ResolvedSource> out = value.lock();
  if (out == nullptr) {
    out = std::make_shared<ResolvedSource>(open(name));
    if (digest && out->instance && *digest != digest_of(*out, {}))
      throw InputError(fmt::format("'{}' is another layer than the one that was made of it before", name));
    value = out;
    shape = shape_of(*out);
  }
  Recent::of_process().use(self, out);
  return out;
}

Source::Source(std::string name) : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
}
Source::Source(const char* name) : Source(std::string(name)) {}
Source::Source(std::string name, std::string label) : Source(std::move(name)) {
  state_->label = std::move(label);
}
Source::Source(std::string name, bool is_label, ResolvedSource value) : Source(std::move(name)) {
  if (is_label) state_->label = state_->name;
  state_->pinned = true;
  state_->kept = std::make_shared<ResolvedSource>(std::move(value));
  state_->shape = shape_of(*state_->kept);
}

Source Source::of(std::shared_ptr<const hardness::Instance> instance) {
  std::string name = instance->spec.str();
  return of(std::move(name), std::move(instance));
}

Source Source::of(std::string name, std::shared_ptr<const hardness::Instance> instance) {
  const bool has_label = instance->spec.name.empty();
  return {std::move(name), has_label, {std::move(instance), nullptr}};
}

Source Source::of(std::string name, std::shared_ptr<const attention::SampleSource> examples) {
  return {std::move(name), true, {nullptr, std::move(examples)}};
}

const std::string& Source::name() const {
  return state_->name;
}

std::string Source::label() const {
  return state_->label ? *state_->label : SourceSeries(state_->name).label();
}

bool Source::opens_by_name() const {
  return !state_->pinned;
}

std::string Source::canonical_name() const {
  if (state_->pinned) return digest();
  if (names_a_file(state_->name)) return state_->name;
  const Spec spec = source_spec(state_->name);
  return hardness::find_family(spec.name).canonical(spec).str();
}

std::shared_ptr<const ResolvedSource> Source::resolve() const {
  const std::lock_guard lock(state_->mutex);
  return state_->resolve(state_);
}

SourceShape Source::shape() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->shape && !names_a_file(state_->name))
    state_->shape = shape_of(hardness::instance_shape(source_spec(state_->name)));
  if (!state_->shape) state_->resolve(state_);
  return *state_->shape;
}

std::string Source::digest(const RunContext& context) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->digest) state_->digest = digest_of(*state_->resolve(state_), context);
  return *state_->digest;
}

std::shared_ptr<const attention::SampleSource> exact_examples_of(const hardness::Instance& instance,
                                                                 Domain domain, std::uint64_t seed) {
  return std::make_shared<attention::SimulatedSource>(instance.teacher, instance.layer.d, instance.k,
                                                      instance.inputs, Stream(domain, seed, instance.digest));
}

std::shared_ptr<const attention::SampleSource> examples_of(const hardness::Instance& instance, Domain domain,
                                                           std::uint64_t seed) {
  const auto noisy = [&](std::shared_ptr<const attention::LabelNoise> law) {
    return std::make_shared<attention::NoisySource>(exact_examples_of(instance, domain, seed), std::move(law),
                                                    Stream(domain, seed, "noise on " + instance.digest));
  };
  if (domain == Domain::samples && instance.wrong_labels) return noisy(instance.wrong_labels);
  if (domain != Domain::samples || instance.label_noise == 0)
    return exact_examples_of(instance, domain, seed);
  // Of examples that do not change with the seed: the noise is part of the instance.
  constexpr std::int64_t measured = 4096;
  const double sigma =
      instance.label_noise * label_rms(*exact_examples_of(instance, Domain::null_predictor, 0), measured);
  return noisy(std::make_shared<attention::GaussianNoise>(sigma));
}

std::shared_ptr<const attention::SampleSource> examples_of(const Source& source, Domain domain,
                                                           std::uint64_t seed) {
  const auto resolved = source.resolve();
  return resolved->examples ? resolved->examples : examples_of(*resolved->instance, domain, seed);
}

hardness::Instance instance_of(Layer layer, Index tokens, attention::Inputs inputs, const std::string& what) {
  hardness::refuse_gadget_form(layer, what);
  return labelled_forward(std::move(layer), tokens, inputs);
}

FileKind kind_of(const SafetensorsFile& file) {
  if (file.has("x") && file.has("y")) return FileKind::data;
  if (file.has("theta") && file.has("w")) return FileKind::layer;
  constexpr std::size_t most_names = 8;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors())
    if (names.size() < most_names) names.push_back(name);
  if (file.tensors().size() > most_names) names.push_back("..");
  throw InputError(fmt::format(
      "file '{}': neither a data set (tensors x, y) nor a layer (theta, w), which 'hardhead import' makes of "
      "a checkpoint's; it has: {}",
      file.path(), names.empty() ? "no tensor" : fmt::format("{}", fmt::join(names, ", "))));
}

bool names_a_file(const std::string& source) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(source, ignored)) return true;
  return source.substr(0, source.find(':')).find_first_of("/.") != std::string::npos;
}

NamedFile file_named(const std::string& source) {
  std::error_code ignored;
  const std::size_t colon = source.rfind(':');
  if (colon == std::string::npos || std::filesystem::is_regular_file(source, ignored) ||
      !std::filesystem::is_regular_file(source.substr(0, colon), ignored))
    return {source, std::nullopt};
  NamedFile out{source.substr(0, colon), std::nullopt};
  for (const auto& [key, value] : Spec::parse("file" + source.substr(colon)).values)
    if (key == "k")
      out.k = tokens_of(fmt::format("'{}': k", source), value);
    else if (key == "inputs")
      out.inputs = attention::parse_inputs(value);
    else
      throw InputError(
          fmt::format("'{}': of a layer file's examples k and inputs can be said, not '{}'", source, key));
  return out;
}

NamedLayer open_layer(const Source& source) {
  if (!names_a_file(source.name())) {
    const auto instance = source.resolve()->instance;
    if (instance == nullptr) throw InputError(fmt::format("'{}' has labels and no layer", source.name()));
    return {instance->layer, instance->k, instance->inputs};
  }
  const NamedFile named = file_named(source.name());
  const SafetensorsFile file(named.path);
  if (kind_of(file) == FileKind::data)
    throw InputError(fmt::format(
        "file '{}': a data set (tensors x, y) holds no layer; name the layer's file or spec", source.name()));
  return {attention::read_layer(file), named.k ? named.k : tokens_in_metadata(file),
          named.inputs ? named.inputs : inputs_in_metadata(file)};
}

}  // namespace hardhead::study
