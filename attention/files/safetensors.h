#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/files/mapped_file.h"

namespace hardhead::attention {

/// The safetensors container: 8 bytes of header length (little endian), a JSON header, tensors as raw
/// little-endian row-major bytes.
///
///     | length L, 8 bytes | JSON, L bytes: name -> dtype, shape, [begin, end) | tensors' bytes, no gaps |
///
/// The types of elements that are read, all of which a double holds exactly, and `other`. A file may have
/// tensors of any type, also of one that is newer than this program.
enum class DType { i8, f16, bf16, f32, f64, other };

/// "I8", "BF16", "F32", as the header spells them; "other".
const char* to_string(DType dtype);
/// Bytes of one element: 1, 2, 4 or 8; 0 of `other`.
std::int64_t size_of(DType dtype);
/// F16, BF16, F32 or F64.
bool is_real(DType dtype);

/// Element `index` of a tensor's bytes, which may be unaligned: as T or, where that is half as wide as a
/// float, as a float.
template <class T>
auto element_at(const std::byte* tensor, std::int64_t index) {
  T value;
  std::memcpy(&value, tensor + index * static_cast<std::int64_t>(sizeof value), sizeof value);
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else
    return static_cast<float>(value);
}

/// Calls f(T{}) with the type of elements that are read.
template <class F>
auto with_type(DType dtype, const F& f) {
  switch (dtype) {
    case DType::i8:
      return f(std::int8_t{});
    case DType::f16:
      return f(Eigen::half{});
    case DType::bf16:
      return f(Eigen::bfloat16{});
    case DType::f32:
      return f(float{});
    default:
      return f(double{});
  }
}

/// A file opened by memory map, checked in full before anything is handed out: the header's length against
/// the file's (and at most 100 MB, as the format says), JSON, no name twice, shapes whose product does not
/// overflow, offsets in range, as long as type and shape say where the type is known, without overlap and
/// without gaps to the end of the file. Throws InputError naming the file, the tensor and the offset; for
/// what is often found under such a name (a git-lfs pointer, an HTML page, GGUF, what torch.save writes) one
/// that says so. Time and memory are linear in the header.
///
/// Tensors' bytes may be unaligned and are valid while this object lives. What they hold (NaN, infinities)
/// is for their readers to check. A file that is shortened while it is open is a bus error for the reader
/// (base/files/mapped_file.h); check_unchanged() tells whether what was read is the file's.
class SafetensorsFile {
 public:
  /// A tensor as the header describes it; its bytes are in the memory map.
  struct Tensor {
    DType dtype;                       ///< type of its elements
    std::string type_name;             ///< as the header spells it; in quotes if the format has no such type
    std::vector<std::int64_t> shape;   ///< sizes, the slowest index first
    std::span<const std::byte> bytes;  ///< row-major, perhaps unaligned
  };

  /// Maps and checks the file. Throws InputError as above.
  explicit SafetensorsFile(const std::string& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::string& path() const { return path_; }                          ///< as it was given
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }  ///< by name
  /// The header's `__metadata__`; empty where it has none.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Is there a tensor of that name?
  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// Throws InputError naming the file and the tensors it has.
  const Tensor& tensor(const std::string& name) const;

  /// Throws InputError naming the file if it was written to since it was opened.
  void check_unchanged() const { file_->check_unchanged(); }

  /// Element `index` (row-major) of a tensor, as a double, exactly. Throws InputError for a type that is not
  /// read.
  static double element(const Tensor& tensor, std::int64_t index);

 private:
  void read_header();
  void read_metadata(const nlohmann::json& entry);
  void read_tensor(const std::string& name, const nlohmann::json& entry, std::span<const std::byte> data);
  void check_layout(std::size_t data_length) const;

  std::string path_;
  std::optional<MappedFile> file_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Writes a safetensors file, whole or not at all (base/files/atomic_file.h). Tensors lie in the order given,
/// and the header is padded with spaces so that the first of them starts at a multiple of 8 bytes.
class SafetensorsWriter {
 public:
  /// A tensor to be written.
  struct Entry {
    std::string name;                 ///< unique in the file
    DType dtype;                      ///< type its elements are written in
    std::vector<std::int64_t> shape;  ///< sizes, the slowest index first
  };

  /// Throws InputError naming the path if it cannot be written to, or the tensor if its size overflows.
  SafetensorsWriter(const std::string& path, const std::vector<Entry>& tensors,
                    const std::map<std::string, std::string>& metadata);
  /// The same into a file of the caller's, which outlives this.
  SafetensorsWriter(AtomicFile& file, const std::vector<Entry>& tensors,
                    const std::map<std::string, std::string>& metadata);

  /// Writes elements first, first + 1, ... (row-major) of tensor number `tensor`, converted to its type, I8,
  /// F32 or F64; for I8 the values must be integers in [-128, 127]. Pieces may come in any order. Throws
  /// InputError naming the path if the disk refuses.
  void write(std::size_t tensor, std::int64_t first, std::span<const double> values);

  /// Ends the file. Every element must have been written once. A file of the caller's is the caller's to
  /// commit.
  void commit();

 private:
  struct Place {
    DType dtype;
    std::int64_t offset;   ///< of element 0, from the start of the file
    std::int64_t missing;  ///< elements not written yet
  };

  void begin(const std::vector<Entry>& tensors, const std::map<std::string, std::string>& metadata);
  void put(std::int64_t offset, std::span<const std::byte> bytes);

  std::unique_ptr<AtomicFile> own_;  ///< null for a file of the caller's
  AtomicFile& file_;
  std::vector<Place> places_;
  std::int64_t position_ = 0;
};

}  // namespace hardhead::attention
