#include "sq/concepts/table_class.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "base/run/parallel.h"

namespace hardhead::sq {

TableClass::TableClass(std::vector<std::vector<std::int8_t>> labels) : labels_(std::move(labels)) {
  if (labels_.empty()) throw InputError("family of tables: it is empty");
  const std::size_t points = labels_.front().size();
  if (!std::has_single_bit(points))
    throw InputError(fmt::format("family of tables: member 0 has {} points, not a power of two", points));
  n_ = std::countr_zero(points);
  check_bits("family of tables", n_);
  for (std::size_t f = 0; f < labels_.size(); ++f) {
    if (labels_[f].size() != points)
      throw InputError(
          fmt::format("family of tables: unequal domains: member {} has {} points, member 0 has {}", f,
                      labels_[f].size(), points));
    for (std::size_t z = 0; z < points; ++z)
      if (labels_[f][z] != 1 && labels_[f][z] != -1)
        throw InputError(
            fmt::format("family of tables: member {} at point {} is {}, not -1 or +1", f, z, labels_[f][z]));
  }
}

Concept TableClass::member(std::int64_t index) const {
  const auto& table = labels_[static_cast<std::size_t>(index)];
  return {fmt::format("table {}", index), all_bits(n_), [&table](Bits z) { return int{table[z]}; }};
}

ClassMeans TableClass::means(const Query& query) const {
  const GridQuery phi(query, n_);
  const std::size_t points = labels_.front().size();
  std::vector<std::int64_t> difference(points);  // phi(z,+1) - phi(z,-1)
  ClassMeans out{
      .null = 0, .members = std::vector<std::int64_t>(labels_.size()), .exponent = n_ + 1 + grid_bits};
  bool rounded = false;
  for (Bits z = 0; z < points; ++z) {
    const std::int64_t plus = phi.at(z, 1, rounded), minus = phi.at(z, -1, rounded);
    out.null += plus + minus;
    difference[z] = plus - minus;
  }
  parallel_for_each_index(size(), [&](std::int64_t f) {
    const auto& table = labels_[static_cast<std::size_t>(f)];
    std::int64_t sum = out.null;
    for (std::size_t z = 0; z < points; ++z) sum += table[z] * difference[z];
    out.members[static_cast<std::size_t>(f)] = sum;
  });
  if (rounded) out.charge = rounding_charge();
  return out;
}

std::int64_t TableClass::correlation(std::int64_t f, std::int64_t g) const {
  const auto &a = labels_[static_cast<std::size_t>(f)], &b = labels_[static_cast<std::size_t>(g)];
  std::int64_t sum = 0;
  for (std::size_t z = 0; z < a.size(); ++z) sum += static_cast<std::int64_t>(a[z]) * b[z];
  return sum;
}

}  // namespace hardhead::sq
