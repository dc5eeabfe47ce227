#include "attention/files/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/paths.h"
#include "base/files/read_file.h"
#include "base/text/json.h"
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

/// A tensor's name in full, unless it is long or cannot be printed.
std::string name_in_quotes(const std::string& name) {
  constexpr std::size_t longest = 240;
  return name.size() <= longest && on_one_line(name) == name ? '"' + name + '"' : hardhead::quoted(name);
}

/// What a folder has instead of the files that are read, as the end of a sentence; empty for nothing of the
/// kind.
std::string other_files(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string ending = at->path().extension().string();
    if (ending == ".safetensors" || ending == ".bin" || ending == ".gguf" || ending == ".pt" ||
        ending == ".pth")
      found.push_back(hardhead::quoted(at->path().filename().string()));
  }
  std::ranges::sort(found);
  constexpr std::size_t shown = 3;
  if (found.size() > shown) found.resize(shown);
  return found.empty() ? "" : fmt::format("; it has {}", fmt::join(found, ", "));
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
    const fs::path single = fs::path(path) / "model.safetensors",
                   index = fs::path(path) / "model.safetensors.index.json";
    std::error_code ignored;
    const bool has_single = fs::exists(single, ignored);
    if (!has_single && !fs::exists(index, ignored))
      throw InputError(fmt::format("'{}': is a folder that has neither {} nor {}{}", path,
                                   single.filename().string(), index.filename().string(), other_files(path)));
    first = (has_single ? single : index).string();
  } else {
    folder_ = fs::path(path).parent_path().string();
  }
  if (is_index(first))
    open_index(first);
  else
    open(fs::path(first).filename().string());
  for (const auto& [name, file] : files_) add_tensors_of(file);
  for (const auto& [name, file] : unread_tensors_) tensors_.try_emplace(name, nullptr);
}

void Checkpoint::open_index(const std::string& index) {
  const auto fail_at = [&](const std::string& what) {
    throw InputError(fmt::format("'{}': {}", index, what));
  };
  const std::string text = read_file(index, max_index_bytes);
  const auto document =
      at_place(fmt::format("'{}'", index), [&] { return parse_json<nlohmann::json>(text, max_index_depth); });
  if (!document.is_object() || !document.contains("weight_map") || !document["weight_map"].is_object())
    fail_at("there is no object 'weight_map'");
  for (const auto& [name, value] : document["weight_map"].items()) {
    if (!value.is_string())
      fail_at(fmt::format("weight_map, {}: the name of a file is expected", name_in_quotes(name)));
    const auto file = value.get<std::string>();
    if (!is_plain_name(file))
      fail_at(fmt::format("tensor {} is said to be in {}, but files of the index's own folder are read only",
                          name_in_quotes(name), hardhead::quoted(file)));
    if (!files_.contains(file) && !unread_files_.contains(file)) {
      try {
        open(file);
      } catch (const InputError& error) {
        unread_files_[file] = error.what();
      }
    }
    if (unread_files_.contains(file)) {
      unread_tensors_[name] = file;
    } else if (!files_.at(file).has(name)) {
      fail_at(fmt::format("tensor {} is said to be in '{}', which does not have it", name_in_quotes(name),
                          files_.at(file).path()));
    }
  }
  if (files_.empty())
    fail_at(unread_files_.empty() ? "weight_map names no tensor" : unread_files_.begin()->second);
}

void Checkpoint::open(const std::string& file) {
  files_.try_emplace(file, (fs::path(folder_) / file).string());
}

void Checkpoint::add_tensors_of(const SafetensorsFile& file) {
  for (const auto& [name, tensor] : file.tensors()) {
    const auto [at, added] = tensors_.try_emplace(name, &file);
    if (!added)
      throw InputError(fmt::format("tensor {} is in '{}' and in '{}'", name_in_quotes(name),
                                   at->second->path(), file.path()));
  }
}

const SafetensorsFile::Tensor& Checkpoint::tensor(const std::string& name) const {
  if (const auto at = unread_tensors_.find(name); at != unread_tensors_.end() && tensors_.at(name) == nullptr)
    throw InputError(
        fmt::format("tensor {} is needed: {}", name_in_quotes(name), unread_files_.at(at->second)));
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    throw InputError(fmt::format("'{}': there is no tensor {}", path_, name_in_quotes(name)));
  return at->second->tensor(name);
}

void Checkpoint::fail(const std::string& name, const std::string& what) const {
  const SafetensorsFile* file = tensors_.at(name);
  throw InputError(
      fmt::format("'{}': tensor {} {}", file ? file->path() : path_, name_in_quotes(name), what));
}

const SafetensorsFile::Tensor& Checkpoint::real_tensor(const std::string& name, std::size_t extents) const {
  const SafetensorsFile::Tensor& tensor = this->tensor(name);
  if (!is_real(tensor.dtype))
    fail(name, fmt::format("has dtype {}, but weights are read as F64, F32, BF16 and F16 only, not quantised",
                           tensor.type_name));
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
  tensors_.at(name)->check_unchanged();
  return out;
}

Matrix Checkpoint::matrix(const std::string& name, std::size_t extents) const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const SafetensorsFile::Tensor& tensor = real_tensor(name, extents);
  const std::vector<double> numbers = finite_elements(name, tensor);
  const Index columns = tensor.shape.back();
  return Eigen::Map<const RowMajor>(numbers.data(), static_cast<Index>(numbers.size()) / columns, columns);
}

Vector Checkpoint::vector(const std::string& name, std::size_t extents) const {
  const std::vector<double> numbers = finite_elements(name, real_tensor(name, extents));
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

bool Checkpoint::has_file(const std::string& path) const {
  const auto is_it = [&](const auto& file) {
    return same_file((fs::path(folder_) / file.first).string(), path);
  };
  const std::string beside = (fs::path(folder_) / fs::path(path).filename()).string();
  return std::ranges::any_of(files_, is_it) || std::ranges::any_of(unread_files_, is_it) ||
         ((path.ends_with("config.json") || path.ends_with(index_ending)) && same_file(beside, path));
}

bool names_a_checkpoint(const std::string& path) {
  if (is_folder(path) || is_index(path)) return true;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const SafetensorsFile file(path);
  return !(file.has("theta") && file.has("w")) && !(file.has("x") && file.has("y"));
}

}  // namespace hardhead::attention
