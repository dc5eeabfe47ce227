#pragma once
#include <cstdint>
#include <string>

#include "base/spec.h"

namespace hardhead::study {

/// A source of which run i takes its own member: an instance whose `seed` is the spec's own (or `seed` if it
/// gives none) plus i. Files, and families without a seed, stay as they are.
class Series {
 public:
  /// Throws InputError for a spec that no family has.
  Series(const std::string& source, std::uint64_t seed);

  const std::string& label() const { return source_; }  ///< the spec without its seed, or the file
  std::string member(std::int64_t run) const;

 private:
  std::string source_;
  Spec spec_;
  bool seeded_ = false;
  std::uint64_t first_ = 1;
};

}  // namespace hardhead::study
