#pragma once
#include <memory>
#include <optional>
#include <string>

#include "attention/data_file.h"
#include "hardness/instance.h"

namespace hardhead::study {

/// What a SOURCE names: an instance that labels as many examples as are asked for, or a file of examples.
/// Exactly one of the two is set.
struct NamedSource {
  /// From a spec, or from a layer file. A layer file whose metadata has the spec of an instance with this
  /// very layer stands for that instance (hard families label by exact values, not by a forward pass);
  /// any other becomes an instance without a spec (empty name) labelled by the layer's forward pass, with k
  /// and inputs from its metadata and the digest of its content.
  std::optional<hardness::Instance> instance;
  std::shared_ptr<const attention::FileSource> data;  ///< null for an instance
};

/// The examples it gives: an instance's are drawn from the stream of (domain, seed, instance digest), without
/// end; a data file's are its own, whatever the domain and seed. Examples of Domain::samples have the instance's
/// label noise, those of other domains exact labels.
std::shared_ptr<const attention::SampleSource> examples_of(const NamedSource& source, Domain domain,
                                                           std::uint64_t seed);

/// What a safetensors file holds.
enum class FileKind { layer, data };

/// By its tensors: theta and w, or x and y. Throws InputError naming the tensors it has otherwise.
FileKind kind_of(const attention::SafetensorsFile& file);

/// True if `source` is meant as a path: a file of that name exists, or the part before ':' has a '/' or '.'.
bool names_a_file(const std::string& source);

/// Throws InputError: whatever is wrong with the spec or the file, a file that is neither a layer (theta, w)
/// nor a data set (x, y), a layer file without k in its metadata.
NamedSource open_source(const std::string& source);

/// Of the instance, or of a data file's content, which is read to its end and can be stopped by `control`.
std::string source_digest(const NamedSource& source, const RunControl& control = {});

/// A layer with as much of its shape as is known.
struct NamedLayer {
  attention::Layer layer;             ///< in double
  std::optional<attention::Index> k;  ///< tokens, where the spec or the file says
};

/// The layer that a SOURCE names: an instance's, or a file's, which need not say for how many tokens. Throws
/// InputError as open_source() does, and for a data set, which holds none.
NamedLayer open_layer(const std::string& source);

}  // namespace hardhead::study
