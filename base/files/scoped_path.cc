#include "base/files/scoped_path.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace hardhead {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Never destroyed: the process may end while threads are still at work.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

void remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

ScopedPath::ScopedPath(std::string path, const std::function<void()>& make) : path_(std::move(path)) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);  // from before it is there: remove_unfinished() misses nothing
  const auto known = all.paths.insert(path_).first;
  try {
    make();
  } catch (...) {
    all.paths.erase(known);
    throw;
  }
}

ScopedPath::~ScopedPath() {
  if (path_.empty()) return;
  remove(path_);
  keep();
}

void ScopedPath::keep() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.paths.erase(path_);
  path_.clear();
}

void remove_unfinished() {
  Registry& all = registry();
  all.mutex.lock();  // for good
  for (const std::string& path : all.paths) remove(path);
}

}  // namespace hardhead
