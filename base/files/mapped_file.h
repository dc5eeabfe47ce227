#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace hardhead {

/// The bytes of a regular file, by a memory map. They are valid while this object lives, as long as nobody
/// cuts the file short: reading what is cut off is a bus error, and mapped_file_at() says of which file.
class MappedFile {
 public:
  /// Throws InputError, whose text does not name the file: it cannot be opened, is no regular file, or has
  /// fewer than `least_bytes` bytes (at least 1).
  MappedFile(const std::string& path, std::size_t least_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// All of them.
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  int slot_ = -1;  ///< where mapped_file_at() finds it; -1 for none
};

/// The path of the mapped file that has this address, its first 255 bytes; null for none. At most 64 files at
/// a time are known. A signal handler may call it.
const char* mapped_file_at(const void* address);

}  // namespace hardhead
