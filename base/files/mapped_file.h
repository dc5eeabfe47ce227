#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hardhead {

/// Memory that a file lies behind, for as long as this object lives. Where the file has become shorter,
/// reading is a bus error: mapped_file_at() says of which file, and mend_bus_error() lets the reader go on,
/// for check() to refuse what was read.
class WatchedMemory {
 public:
  /// `name` is what messages call the file. At most 1024 objects at a time are known.
  WatchedMemory(const std::string& name, const void* memory, std::size_t size);
  ~WatchedMemory();
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

  /// Whether a part of it was mended, so that something that was read may be none of the file's.
  bool mended() const;
  /// Throws InputError naming the file if it was mended.
  void check() const;

 private:
  std::string name_;
  int slot_;  ///< -1 for none
};

/// The bytes of a regular file, by a memory map. They are valid while this object lives, as long as nobody
/// writes to the file: check_unchanged() tells.
class MappedFile {
 public:
  /// Throws InputError, whose text does not name the file: it cannot be opened, is no regular file, or has
  /// fewer than `least_bytes` bytes (at least 1). Waits until a later change of the file can be seen by its
  /// time, a few milliseconds where it has just been written.
  MappedFile(const std::string& path, std::size_t least_bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// All of them.
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }
  /// Throws InputError naming the file if it became shorter, longer, or was written to since it was opened.
  /// A file of another content that was put in its place is another file, and this one is as it was.
  void check_unchanged() const;

 private:
  std::string path_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  int file_ = -1;
  std::int64_t seconds_ = 0, nanoseconds_ = 0;  ///< of its last change
  std::optional<WatchedMemory> watched_;
};

/// The path of the file behind this address, its first 255 bytes; null for none. A signal handler may call
/// it.
const char* mapped_file_at(const void* address);

/// For a handler of SIGBUS: puts zeros where the file behind this address has ended, and remembers it. False
/// for an address that no file is known behind.
bool mend_bus_error(const void* address);

}  // namespace hardhead
