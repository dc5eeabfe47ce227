#pragma once
#include <map>
#include <string>

#include "attention/files/safetensors.h"
#include "attention/layer/layer.h"

namespace hardhead::attention {

/// The strings of a file's `__metadata__`, by name.
using Metadata = std::map<std::string, std::string>;

/// Reads a layer: tensors `theta` [m, d, d] and `w` [m, d, d], of a real type (F64, F32, BF16, F16), finite,
/// m >= 1, d >= 1; element [i, a, b] is entry (a, b) of head i. A network behind the heads has the tensors
/// `network_in` [h, d], `network_in_bias` [h], `network_out` [d, h], `network_out_bias` [d], and the metadata
/// `network` = `residual` or `plain`. Throws InputError naming file and tensor.
Layer read_layer(const SafetensorsFile& file);
/// The same from a path: opens and checks the file first.
Layer read_layer(const std::string& path);

/// Writes a layer as safetensors (f64) with the given metadata, whole or not at all.
void write_layer(const std::string& path, const Layer& layer, const Metadata& metadata);
/// The same into a file that the caller commits.
void write_layer(AtomicFile& file, const Layer& layer, const Metadata& metadata);

/// SHA-256 over d, m and the bytes of theta and w as f64 [m, d, d], and of a network: identifies a layer's
/// content whatever file it is in.
std::string content_digest(const Layer& layer);

}  // namespace hardhead::attention
