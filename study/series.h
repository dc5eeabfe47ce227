#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/spec.h"

namespace hardhead::study {

/// A source of which run i takes its own member: an instance whose `seed` is the spec's own (or `seed` if it
/// gives none) plus i. Files, families without a seed, and entries of a suite stay as they are.
class Series {
 public:
  /// Throws InputError for a spec that no family has.
  Series(const std::string& source, std::uint64_t seed);

  const std::string& label() const { return source_; }  ///< the spec without its seed, or the file
  /// The source of run `run`, 0, 1, ..: the spec with its seed, or the file.
  std::string member(std::int64_t run) const;

 private:
  friend std::vector<Series> series_of(const std::string& source, std::uint64_t seed);

  std::string source_;
  Spec spec_;
  bool seeded_ = false, fixed_ = false;
  std::uint64_t first_ = 1;
};

/// The series of what a user names: of the source, or for "suite:NAME" (suite.h) one of each entry. Throws InputError
/// for a spec that no family has and an unknown suite.
std::vector<Series> series_of(const std::string& source, std::uint64_t seed);

}  // namespace hardhead::study
