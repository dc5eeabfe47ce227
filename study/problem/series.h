#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/spec.h"
#include "study/problem/source.h"

namespace hardhead::study {

/// A source of which run i takes its own member: an instance whose `seed` is the spec's own, or else one
/// that is given, plus i. Files, families without a seed, and entries of a suite are fixed: all their members
/// are one source.
class SourceSeries {
 public:
  /// Throws InputError for a spec that no family has.
  SourceSeries(const std::string& name);
  SourceSeries(const char* name) : SourceSeries(std::string(name)) {}  ///< the same

  /// As it was named, or the spec of an entry.
  const std::string& name() const { return name_; }
  /// The spec without its seed, or the file.
  const std::string& label() const { return label_; }
  /// The suite of which it is an entry, "suite:NAME".
  const std::optional<std::string>& suite() const { return suite_; }
  /// The source of run `run`, 0, 1, ..: the spec with its seed, which is `seed` + run where the spec gives
  /// none, or the file. Nothing is opened yet. Throws InputError for a seed beyond the
  /// largest.
  Source member(std::int64_t run, std::uint64_t seed) const;

 private:
  friend std::vector<SourceSeries> series_of(const std::string& name);
  Source numbered(std::uint64_t seed) const;

  std::string name_, label_;
  std::optional<std::string> suite_;
  Spec spec_;
  std::optional<std::uint64_t> first_;  // the spec's own seed
  std::optional<Source> fixed_;         // all members
};

/// The series of what a user names: of the source, or for "suite:NAME" (suite.h) one of each entry. Throws
/// InputError for a spec that no family has and an unknown suite.
std::vector<SourceSeries> series_of(const std::string& name);
/// Those of all names.
std::vector<SourceSeries> series_of(const std::vector<std::string>& names);

}  // namespace hardhead::study
