#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/spec.h"
#include "study/problem/source.h"

namespace hardhead::study {

/// A source of which run i takes its own member: an instance whose `seed` is the spec's own (or `seed` if it
/// gives none) plus i. Files, families without a seed, and entries of a suite are fixed: all their members
/// are one source.
class SourceSeries {
 public:
  /// Throws InputError for a spec that no family has.
  SourceSeries(const std::string& name, std::uint64_t seed);

  /// The spec without its seed, or the file.
  const std::string& label() const { return label_; }
  /// The source of run `run`, 0, 1, ..: the spec with its seed, or the file. Nothing is opened yet. Throws
  /// InputError for a seed beyond the largest.
  Source member(std::int64_t run) const;

 private:
  friend std::vector<SourceSeries> series_of(const std::string& name, std::uint64_t seed);
  Source numbered(std::uint64_t seed) const;

  std::string label_;
  Spec spec_;
  std::uint64_t first_ = 1;
  std::optional<Source> fixed_;  // all members
};

/// The series of what a user names: of the source, or for "suite:NAME" (suite.h) one of each entry. Throws
/// InputError for a spec that no family has and an unknown suite.
std::vector<SourceSeries> series_of(const std::string& name, std::uint64_t seed);

}  // namespace hardhead::study
