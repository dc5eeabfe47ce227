#pragma once
#include <ext/stdio_filebuf.h>

#include <optional>
#include <ostream>
#include <string>

#include "base/files/scoped_path.h"

namespace hardhead {

/// A file that appears whole or not at all: written beside its target, flushed to disk and renamed by
/// commit(). Without commit() nothing is left; an existing target stays untouched until then.
///
/// What is written has no name until commit() (O_TMPFILE), so a process that is killed leaves nothing. On a
/// file system without such files it is `.hardhead-RANDOM.tmp` in the target's folder, which only a kill
/// leaves behind. That name is drawn from the system's entropy and is never one that is there already, a
/// symbolic link included.
class AtomicFile {
 public:
  /// Throws InputError naming the path if its folder cannot be written to, or if the path is a folder, a
  /// device or anything else that is not a regular file.
  explicit AtomicFile(std::string path);
  ~AtomicFile() = default;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }  ///< of the target
  /// Where the content goes.
  std::ostream& stream() { return out_; }

  /// Throws InputError naming the path if anything could not be written (a full disk, say).
  void commit();

  /// Commits a file and, just before it, one that it is worth nothing without, such as a challenge and its
  /// secret. The `first` that belongs to the file that is there is there as well, whatever ends the process:
  /// for as long as the new one stands beside the old file, the old one is `.hardhead-RANDOM.tmp` beside it
  /// (where the file system has hard links). Processes that do so at once with one `first` wait for each
  /// other. Throws InputError as commit() does, with both as they were, and if another process holds the
  /// folder of `first` for ten seconds.
  static void commit_in_order(AtomicFile& first, AtomicFile& file);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void open();             ///< what the content goes to
  void to_disk();          ///< everything written, and a name beside the target for it
  void replace();          ///< the target by it
  void keep_name() const;  ///< through a loss of power

  std::string path_;
  std::optional<ScopedPath> temporary_;                 ///< the name beside the target, where there is one
  std::optional<__gnu_cxx::stdio_filebuf<char>> file_;  ///< closed before that is removed
  std::ostream out_{nullptr};
};

/// Writes a text to a file, all of it or nothing. Throws InputError as AtomicFile does.
void write_text(const std::string& path, const std::string& text);

}  // namespace hardhead
