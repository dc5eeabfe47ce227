#pragma once
#include <cstdint>
#include <vector>

#include "sq/concepts/concept.h"

namespace hardhead::sq {

/// Any family of Boolean functions, given as tables: member f is labels[f][z], -1 or +1, z = 0 .. 2^n - 1.
class TableClass final : public ConceptClass {
 public:
  /// Throws InputError for an empty family, tables of unequal domains (naming the member), a domain that is
  /// not 2^n points with 1 <= n <= max_bits, and an entry that is not -1 or +1 (naming member, point and
  /// value).
  explicit TableClass(std::vector<std::vector<std::int8_t>> labels);

  int bits() const override { return n_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  /// Reads the class's table, which must outlive it.
  Concept member(std::int64_t index) const override;
  ClassMeans means(const Query& query) const override;
  std::int64_t correlation(std::int64_t f, std::int64_t g) const override;

 private:
  int n_ = 0;
  std::vector<std::vector<std::int8_t>> labels_;
};

/// The family {labels(i, z)} of `count` members on n bits as tables.
template <class Labels>
TableClass tabulate(std::int64_t count, int n, const Labels& labels) {
  check_bits("tables", n);
  std::vector<std::vector<std::int8_t>> tables(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tables.size(); ++i)
    for (Bits z = 0; z <= all_bits(n); ++z) tables[i].push_back(static_cast<std::int8_t>(labels(i, z)));
  return TableClass(std::move(tables));
}

}  // namespace hardhead::sq
