#include "study/named_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>

#include "attention/layer_file.h"
#include "base/digest.h"
#include "base/error.h"
#include "hardness/family.h"
#include "study/label_rms.h"

namespace hardhead::study {
namespace {

using attention::Index;
using attention::Layer;
using attention::SafetensorsFile;

std::optional<Index> tokens_in_metadata(const SafetensorsFile& file) {
  const auto found = file.metadata().find("k");
  if (found == file.metadata().end()) return std::nullopt;
  const std::string& text = found->second;
  constexpr Index limit = 4096;
  Index k = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), k);
  if (status != std::errc{} || stop != text.data() + text.size() || k < 1 || k > limit)
    throw InputError(
        fmt::format("file '{}', metadata k = '{}': not an integer in 1 .. {}", file.path(), text, limit));
  return k;
}

/// The instance whose spec the file carries, if it is the file's layer.
std::optional<hardness::Instance> remake(const SafetensorsFile& file, const Layer& layer) {
  const auto spec = file.metadata().find("spec");
  if (spec == file.metadata().end()) return std::nullopt;
  try {
    hardness::Instance instance = hardness::make_instance(Spec::parse(spec->second));
    if (attention::content_digest(instance.layer) != attention::content_digest(layer)) return std::nullopt;
    return instance;
  } catch (const InputError&) {  // another program's spec, or one of a version with other families
    return std::nullopt;
  }
}

hardness::Instance instance_of_layer_file(const SafetensorsFile& file) {
  Layer layer = attention::read_layer(file);
  if (auto instance = remake(file, layer)) return *std::move(instance);
  const auto k = tokens_in_metadata(file);
  if (!k)
    throw InputError(
        fmt::format("file '{}': a layer says nothing of the number of tokens; to draw examples from it, its "
                    "metadata must have k (as files written by 'generate' do)",
                    file.path()));
  hardness::Instance instance;
  instance.k = *k;
  const auto inputs = file.metadata().find("inputs");
  if (inputs != file.metadata().end()) instance.inputs = attention::parse_inputs(inputs->second);
  instance.digest = attention::content_digest(layer);
  instance.teacher = std::make_shared<attention::LayerTeacher>(layer);
  instance.layer = std::move(layer);
  return instance;
}

}  // namespace

std::shared_ptr<const attention::SampleSource> examples_of(const NamedSource& source, Domain domain,
                                                           std::uint64_t seed) {
  if (source.data) return source.data;
  const hardness::Instance& instance = *source.instance;
  const auto exact = [&](Domain from, std::uint64_t its_seed) {
    return std::make_shared<attention::SimulatedSource>(instance.teacher, instance.layer.d, instance.k,
                                                        instance.inputs,
                                                        Stream(from, its_seed, instance.digest));
  };
  const auto noisy = [&](std::shared_ptr<const attention::LabelNoise> law) {
    return std::make_shared<attention::NoisySource>(exact(domain, seed), std::move(law),
                                                    Stream(domain, seed, "noise on " + instance.digest));
  };
  if (domain == Domain::samples && instance.wrong_labels) return noisy(instance.wrong_labels);
  if (domain != Domain::samples || instance.label_noise == 0) return exact(domain, seed);
  // Of examples that do not change with the seed: the noise is part of the instance.
  constexpr std::int64_t measured = 4096;
  const double sigma = instance.label_noise * label_rms(*exact(Domain::null_predictor, 0), measured);
  return noisy(std::make_shared<attention::GaussianNoise>(sigma));
}

FileKind kind_of(const SafetensorsFile& file) {
  if (file.has("x") && file.has("y")) return FileKind::data;
  if (file.has("theta") && file.has("w")) return FileKind::layer;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : file.tensors()) names.push_back(name);
  throw InputError(
      fmt::format("file '{}': neither a data set (tensors x, y) nor a layer (theta, w); it has: {}",
                  file.path(), names.empty() ? "no tensor" : fmt::format("{}", fmt::join(names, ", "))));
}

bool names_a_file(const std::string& source) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(source, ignored)) return true;
  return source.substr(0, source.find(':')).find_first_of("/.") != std::string::npos;
}

NamedSource open_source(const std::string& source) {
  if (!names_a_file(source)) return {hardness::make_instance(Spec::parse(source)), nullptr};
  const SafetensorsFile file(source);
  if (kind_of(file) == FileKind::data)
    return {std::nullopt, std::make_shared<const attention::FileSource>(source)};
  return {instance_of_layer_file(file), nullptr};
}

std::string source_digest(const NamedSource& source, const RunControl& control) {
  if (source.data) return attention::content_digest(*source.data, source.data->size(), control);
  const hardness::Instance& instance = *source.instance;
  if (!instance.spec.name.empty()) return instance.digest;
  // A layer file's digest is of its matrices: what examples it labels counts, too.
  return Digest()
      .add(instance.digest)
      .add(fmt::format("{} {}", instance.k, attention::to_string(instance.inputs)))
      .hex();
}

NamedLayer open_layer(const std::string& source) {
  if (!names_a_file(source)) {
    hardness::Instance instance = hardness::make_instance(Spec::parse(source));
    return {std::move(instance.layer), instance.k};
  }
  const SafetensorsFile file(source);
  if (kind_of(file) == FileKind::data)
    throw InputError(fmt::format(
        "file '{}': a data set (tensors x, y) holds no layer; name the layer's file or spec", source));
  return {attention::read_layer(file), tokens_in_metadata(file)};
}

}  // namespace hardhead::study
