#include "attention/files/layer_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/digest.h"

namespace hardhead::attention {
namespace {

using Shape = std::vector<std::int64_t>;

/// One matrix of every head, [m, d, d] row-major.
std::vector<double> concatenated(const Layer& layer, Matrix Head::* matrix) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(layer.m() * layer.d * layer.d));
  for (const Head& head : layer.heads)
    for (Index a = 0; a < layer.d; ++a)
      for (Index b = 0; b < layer.d; ++b) values.push_back((head.*matrix)(a, b));
  return values;
}

void unstack(const SafetensorsFile::Tensor& tensor, Matrix Head::* matrix, Layer& layer) {
  std::int64_t index = 0;
  for (Head& head : layer.heads) {
    (head.*matrix).resize(layer.d, layer.d);
    for (Index a = 0; a < layer.d; ++a)
      for (Index b = 0; b < layer.d; ++b) (head.*matrix)(a, b) = SafetensorsFile::element(tensor, index++);
  }
}

}  // namespace

Layer read_layer(const SafetensorsFile& file) {
  const auto fail = [&](const char* name, const std::string& what) {
    throw InputError(fmt::format("'{}': tensor \"{}\" {}", file.path(), name, what));
  };
  const SafetensorsFile::Tensor& theta = file.tensor("theta");
  const SafetensorsFile::Tensor& w = file.tensor("w");
  const auto check = [&](const char* name, const SafetensorsFile::Tensor& tensor) {
    if (!is_real(tensor.dtype))
      fail(name, fmt::format("has dtype {}, but a layer's is F64, F32, BF16 or F16", tensor.type_name));
    const Shape& s = tensor.shape;
    if (s.size() != 3 || s[0] < 1 || s[1] < 1 || s[1] != s[2])
      fail(name, fmt::format("has shape [{}], but a layer's is [m, d, d]", fmt::join(s, ", ")));
  };
  check("theta", theta);
  check("w", w);
  if (theta.shape != w.shape)
    fail("w", fmt::format("has shape [{}], but \"theta\" has [{}]", fmt::join(w.shape, ", "),
                          fmt::join(theta.shape, ", ")));

  Layer layer{theta.shape[1], std::vector<Head>(static_cast<std::size_t>(theta.shape[0]))};
  unstack(theta, &Head::theta, layer);
  unstack(w, &Head::w, layer);
  file.check_unchanged();
  try {
    layer.validate();
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", file.path(), error.what()));
  }
  return layer;
}

Layer read_layer(const std::string& path) {
  return read_layer(SafetensorsFile(path));
}

void write_layer(const std::string& path, const Layer& layer, const Metadata& metadata) {
  AtomicFile file(path);
  write_layer(file, layer, metadata);
  file.commit();
}

void write_layer(AtomicFile& file, const Layer& layer, const Metadata& metadata) {
  layer.validate();
  const Shape shape{layer.m(), layer.d, layer.d};
  SafetensorsWriter writer(file, {{"theta", DType::f64, shape}, {"w", DType::f64, shape}}, metadata);
  writer.write(0, 0, concatenated(layer, &Head::theta));
  writer.write(1, 0, concatenated(layer, &Head::w));
  writer.commit();
}

std::string content_digest(const Layer& layer) {
  return Digest()
      .add(fmt::format("layer d={} m={}", layer.d, layer.m()))
      .add(concatenated(layer, &Head::theta))
      .add(concatenated(layer, &Head::w))
      .hex();
}

}  // namespace hardhead::attention
