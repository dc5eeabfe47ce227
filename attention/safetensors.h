#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hardhead::attention {

/// The safetensors container: 8 bytes of header length (little endian), a JSON header, tensors as raw
/// little-endian row-major bytes.
enum class DType { i8, f32, f64 };

/// A file opened by memory map, checked in full before anything is handed out: the header's length against
/// the file's (and at most 100 MB), JSON, known types, shapes whose product does not overflow, offsets in
/// range, as long as the shape says, without overlap and without gaps to the end of the file. Throws
/// InputError naming the file, the tensor and the offset.
class SafetensorsFile {
 public:
  struct Tensor {
    DType dtype;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
  };

  explicit SafetensorsFile(const std::string& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// Throws InputError naming the file and the tensors it has.
  const Tensor& tensor(const std::string& name) const;

  /// Element `index` (row-major) of a tensor, as a double.
  static double element(const Tensor& tensor, std::int64_t index);

 private:
  std::string path_;
  void* map_ = nullptr;
  std::size_t length_ = 0;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace hardhead::attention
