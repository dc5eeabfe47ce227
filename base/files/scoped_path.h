#pragma once
#include <functional>
#include <string>

namespace hardhead {

/// A file or folder that is not to outlive its owner: the destructor removes it with all that is in it, and
/// so does remove_unfinished(), for a process that has to end without destructors.
class ScopedPath {
 public:
  /// `make` creates what is at `path`, or throws.
  ScopedPath(std::string path, const std::function<void()>& make);
  ~ScopedPath();
  ScopedPath(const ScopedPath&) = delete;
  ScopedPath& operator=(const ScopedPath&) = delete;

  const std::string& path() const { return path_; }  ///< of the file or folder
  /// It is finished, or elsewhere by now: nothing is removed any more.
  void keep();

 private:
  std::string path_;
};

/// Removes all that is unfinished. Nothing can be begun after that: the caller ends the process.
void remove_unfinished();

}  // namespace hardhead
