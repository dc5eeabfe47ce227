#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace hardhead::fuzz {

/// What a fuzz target NAME_fuzz.cc defines: reads `bytes`, which are anyone's, and writes back what it has
/// read where that can be compared. May throw hardhead::Error; anything else that it throws, and all that
/// sanitizers see, is a bug.
void read(std::string_view bytes);

/// Stops the program, with a message, unless `holds`.
void require(bool holds, std::string_view what);

/// Whether all numbers in a text are below 20: of specs, so that what they describe is small.
bool has_small_numbers(std::string_view text);

/// An empty folder of this process, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }
  std::string path(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file of the folder, over the one that was there; returns its path.
  std::string write(std::string_view name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace hardhead::fuzz
