#pragma once
#include <memory>
#include <string>

#include "base/files/scoped_path.h"

namespace hardhead {

/// An empty folder of this process that nobody else can read, removed with all that is in it. The process
/// holds it by a lock while it lives; what a process that was killed has left is removed by the next one that
/// makes such a folder there, whatever machine or container it was in.
class TemporaryFolder {
 public:
  /// In `parent`, its name starting with `name`. Throws InputError naming the parent if it cannot be made
  /// there.
  TemporaryFolder(const std::string& parent, const std::string& name);
  /// In the system's folder for temporary files ($TMPDIR or /tmp).
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in it.
  std::string file(const std::string& name) const { return folder_->path() + "/" + name; }
  /// A text, as of a message, without the folder's path, which differs from run to run.
  std::string without_path(std::string text) const;

 private:
  std::unique_ptr<ScopedPath> folder_;
  int lock_ = -1;
};

}  // namespace hardhead
