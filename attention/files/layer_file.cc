#include "attention/files/layer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/files/digest.h"

namespace hardhead::attention {
namespace {

using Shape = std::vector<std::int64_t>;

std::vector<double> row_by_row(const Matrix& matrix) {
  const auto entries = matrix.reshaped<Eigen::RowMajor>();
  return {entries.begin(), entries.end()};
}

/// One matrix of every head, [m, d, d] row-major.
std::vector<double> concatenated(const Layer& layer, Matrix Head::* matrix) {
  std::vector<double> values;
  for (const Head& head : layer.heads)
    std::ranges::copy(row_by_row(head.*matrix), std::back_inserter(values));
  return values;
}

/// The matrix whose entries are elements first, first + 1, .. row by row.
Matrix matrix_at(const SafetensorsFile::Tensor& tensor, std::int64_t first, Index rows, Index columns) {
  Matrix out(rows, columns);
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < columns; ++b) out(a, b) = SafetensorsFile::element(tensor, first++);
  return out;
}

/// The matrices of a network in the order of the file.
std::vector<std::pair<std::string, Matrix>> matrices_of(const Network& network) {
  return {{"network_in", network.in},
          {"network_in_bias", network.in_bias},
          {"network_out", network.out},
          {"network_out_bias", network.out_bias}};
}

Matrix read_matrix(const SafetensorsFile& file, const std::string& name, std::size_t order) {
  const SafetensorsFile::Tensor& tensor = file.tensor(name);
  const Shape& s = tensor.shape;
  if (!is_real(tensor.dtype) || s.size() != order || s[0] < 1 || s.back() < 1)
    throw InputError(
        fmt::format("'{}': tensor \"{}\" has dtype {} and shape [{}], but a network's is F64, F32, "
                    "BF16 or F16 of {} sizes",
                    file.path(), name, tensor.type_name, fmt::join(s, ", "), order));
  return matrix_at(tensor, 0, s[0], order == 2 ? s[1] : 1);
}

/// Whether u is added, as the metadata says.
bool read_residual(const SafetensorsFile& file) {
  const auto found = file.metadata().find("network");
  const std::string said = found == file.metadata().end() ? "" : found->second;
  if (said != "residual" && said != "plain")
    throw InputError(
        fmt::format("'{}': metadata network = '{}', but a layer with a network behind it has "
                    "'residual' or 'plain'",
                    file.path(), said));
  return said == "residual";
}

std::optional<Network> read_network(const SafetensorsFile& file) {
  if (!file.has("network_in")) return std::nullopt;
  return Network{read_matrix(file, "network_in", 2), read_matrix(file, "network_in_bias", 1),
                 read_matrix(file, "network_out", 2), read_matrix(file, "network_out_bias", 1),
                 read_residual(file)};
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

  const Index m = theta.shape[0], d = theta.shape[1];
  Layer layer{d, {}, read_network(file)};
  for (Index i = 0; i < m; ++i)
    layer.heads.push_back({matrix_at(theta, i * d * d, d, d), matrix_at(w, i * d * d, d, d)});
  file.check_unchanged();
  at_place(fmt::format("'{}'", file.path()), [&] { layer.validate(); });
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
  std::vector<SafetensorsWriter::Entry> entries = {{"theta", DType::f64, shape}, {"w", DType::f64, shape}};
  std::vector<std::vector<double>> values = {concatenated(layer, &Head::theta),
                                             concatenated(layer, &Head::w)};
  Metadata said = metadata;
  if (layer.network) {
    said["network"] = layer.network->residual ? "residual" : "plain";
    for (const auto& [name, matrix] : matrices_of(*layer.network)) {
      const bool bias = name.ends_with("bias");
      entries.push_back(
          {name, DType::f64, bias ? Shape{matrix.rows()} : Shape{matrix.rows(), matrix.cols()}});
      values.push_back(row_by_row(matrix));
    }
  }
  SafetensorsWriter writer(file, entries, said);
  for (std::size_t i = 0; i < values.size(); ++i) writer.write(i, 0, values[i]);
  writer.commit();
}

std::string content_digest(const Layer& layer) {
  Digest digest;
  digest.add(fmt::format("layer d={} m={}", layer.d, layer.m()))
      .add(concatenated(layer, &Head::theta))
      .add(concatenated(layer, &Head::w));
  if (layer.network) {
    digest.add(fmt::format("network h={} residual={}", layer.network->width(), layer.network->residual));
    for (const auto& [name, matrix] : matrices_of(*layer.network)) digest.add(row_by_row(matrix));
  }
  return digest.hex();
}

}  // namespace hardhead::attention
