#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "attention/forward/block.h"
#include "base/text/enum_names.h"
#include "learner/oracle/tolerance.h"

namespace hardhead::study {

/// How many tokens a query has.
enum class QueryLength {
  fixed,  ///< as many as the source's examples
  free,   ///< as many as the learner likes
};

constexpr auto enum_names(QueryLength) {
  return std::to_array<EnumName<QueryLength>>({{QueryLength::fixed, "fixed"}, {QueryLength::free, "free"}});
}

/// What a learner by value queries may ask, and how it is answered.
struct ValueAccess {
  std::optional<QueryLength> length{};   ///< of every X; empty: the stricter one that the learner can do with
  learner::Tolerance tolerance{};        ///< of answers
  std::optional<std::int64_t> budget{};  ///< at most this many queries
  /// Hears of every query with its answer, where answers are doubles.
  std::function<void(const attention::Block&)> listener{};
};

}  // namespace hardhead::study
