#pragma once
#include <fstream>
#include <optional>
#include <string>

#include "base/files/scoped_path.h"

namespace hardhead {

/// A file that appears whole or not at all: written under a temporary name in the target's folder, flushed
/// to disk and renamed by commit(). Without commit() the destructor removes it; an existing target stays
/// untouched until then. What a process that was killed while it wrote the same file has left is removed.
class AtomicFile {
 public:
  /// Throws InputError naming the path if its folder cannot be written to, or if the path is a folder, a
  /// device or anything else that is not a regular file.
  explicit AtomicFile(std::string path);
  ~AtomicFile() = default;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The temporary file: where the content goes.
  std::ostream& stream() { return out_; }

  /// Throws InputError naming the path if anything could not be written (a full disk, say).
  void commit();

 private:
  std::string path_;
  std::optional<ScopedPath> temporary_;
  std::ofstream out_;  // closed before the temporary file is removed
};

}  // namespace hardhead
