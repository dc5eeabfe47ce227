#include "attention/files/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
#include "base/text/json_object.h"
#include "base/text/quoted.h"

namespace hardhead::attention {
namespace {

namespace fs = std::filesystem;

constexpr const char* index_ending = ".index.json";
constexpr std::uintmax_t max_index_bytes = 16 << 20;  // some 10^5 tensors
constexpr int max_index_depth = 4;

bool is_index(const std::string& path) {
  return path.ends_with(index_ending);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Whether it names a file of the folder itself: no way up, down or elsewhere.
bool is_plain_name(const std::string& file) {
  return !file.empty() && file != "." && file != ".." && file.find('/') == std::string::npos &&
         file.find('\0') == std::string::npos;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& path) : path_(path) {
  std::string first = path;
  if (is_folder(path)) {
    folder_ = path;
    const fs::path index = fs::path(path) / "model.safetensors.index.json",
                   single = fs::path(path) / "model.safetensors";
    std::error_code ignored;
    const bool has_index = fs::exists(index, ignored);
    if (!has_index && !fs::exists(single, ignored))
      throw InputError(fmt::format("'{}': is a folder that has neither {} nor {}", path,
                                   index.filename().string(), single.filename().string()));
    first = (has_index ? index : single).string();
  } else {
    folder_ = fs::path(path).parent_path().string();
  }
  if (is_index(first))
    open_index(first);
  else
    open(fs::path(first).filename().string());
}

void Checkpoint::open_index(const std::string& index) {
  const auto fail_at = [&](const std::string& what) {
    throw InputError(fmt::format("'{}': {}", index, what));
  };
  const std::string text = read_file(index, max_index_bytes);
  nlohmann::ordered_json document;
  try {
    document = parse_json<nlohmann::ordered_json>(text, max_index_depth);
  } catch (const InputError& error) {
    fail_at(error.what());
  }
  const JsonObject map = JsonObject(document, fmt::format("'{}'", index)).object("weight_map");
  for (const auto& [name, file] : document["weight_map"].items()) {
    if (!file.is_string()) map.fail(name, "the name of a file is expected");
    const auto text_of_file = file.get<std::string>();
    if (!is_plain_name(text_of_file))
      fail_at(fmt::format("tensor {} is said to be in {}, but files of the index's own folder are read only",
                          hardhead::quoted(name), hardhead::quoted(text_of_file)));
    if (!files_.contains(text_of_file)) open(text_of_file);
    if (!files_.at(text_of_file).has(name))
      fail_at(fmt::format("tensor {} is said to be in '{}', which does not have it", hardhead::quoted(name),
                          files_.at(text_of_file).path()));
  }
  if (files_.empty()) fail_at("weight_map names no tensor");
}

void Checkpoint::open(const std::string& file) {
  const SafetensorsFile& opened = files_.try_emplace(file, (fs::path(folder_) / file).string()).first->second;
  for (const auto& [name, tensor] : opened.tensors()) {
    const auto [at, added] = tensors_.try_emplace(name, &opened);
    if (!added)
      throw InputError(fmt::format("tensor {} is in '{}' and in '{}'", hardhead::quoted(name),
                                   at->second->path(), opened.path()));
  }
}

void Checkpoint::fail(const std::string& name, const std::string& what) const {
  throw InputError(
      fmt::format("'{}': tensor {} {}", tensors_.at(name)->path(), hardhead::quoted(name), what));
}

const SafetensorsFile::Tensor& Checkpoint::real_tensor(const std::string& name, std::size_t extents) const {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    throw InputError(fmt::format("'{}': there is no tensor {}", path_, hardhead::quoted(name)));
  const SafetensorsFile::Tensor& tensor = at->second->tensor(name);
  if (!is_real(tensor.dtype))
    fail(name, fmt::format("has dtype {}, but weights are read as F64, F32, BF16 and F16 only, not quantised",
                           to_string(tensor.dtype)));
  if (tensor.shape.size() != extents || std::ranges::find(tensor.shape, 0) != tensor.shape.end())
    fail(name, fmt::format("has shape [{}], but one of {} {} above 0 is expected",
                           fmt::join(tensor.shape, ", "), extents, extents == 1 ? "extent" : "extents"));
  return tensor;
}

std::vector<double> Checkpoint::finite_elements(const std::string& name,
                                                const SafetensorsFile::Tensor& tensor) const {
  const auto count = static_cast<std::int64_t>(tensor.bytes.size()) / size_of(tensor.dtype);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    const double value = SafetensorsFile::element(tensor, n);
    if (!std::isfinite(value))
      fail(name, fmt::format("has {} as element {}, but weights are finite", value, n));
    out[static_cast<std::size_t>(n)] = value;
  }
  return out;
}

Matrix Checkpoint::matrix(const std::string& name) const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const SafetensorsFile::Tensor& tensor = real_tensor(name, 2);
  const std::vector<double> numbers = finite_elements(name, tensor);
  return Eigen::Map<const RowMajor>(numbers.data(), tensor.shape[0], tensor.shape[1]);
}

Vector Checkpoint::vector(const std::string& name) const {
  const std::vector<double> numbers = finite_elements(name, real_tensor(name, 1));
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

bool names_a_checkpoint(const std::string& path) {
  if (is_folder(path) || is_index(path)) return true;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const SafetensorsFile file(path);
  return !(file.has("theta") && file.has("w")) && !(file.has("x") && file.has("y"));
}

}  // namespace hardhead::attention
