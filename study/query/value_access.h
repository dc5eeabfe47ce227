#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "attention/forward/block.h"
#include "base/text/enum_names.h"
#include "queries/oracle/tolerance.h"

namespace hardhead::study {

/// How many tokens a query has.
enum class QueryLength {
  fixed,  ///< as many as the source's examples
  free,   ///< as many as the learner likes
};

/// What a learner by value queries may ask, and how it is answered.
struct ValueAccess {
  std::optional<QueryLength> length{};   ///< of every X; empty: the stricter one that the learner can do with
  queries::Tolerance tolerance{};        ///< of answers
  std::optional<std::int64_t> budget{};  ///< at most this many queries
  /// Hears of every query with its answer, where answers are doubles.
  std::function<void(const attention::Block&)> listener{};
};

/// What a learner by value queries asked, and what it found that is not a layer.
struct ValuesUsed {
  QueryLength length = QueryLength::fixed;  ///< of its X
  std::int64_t queries = 0;                 ///< asked in all
  std::int64_t tokens = 0;                  ///< of all queries
  bool out_of_queries = false;              ///< the budget was spent before the learner was done
  /// Of a learner in exact arithmetic: is every entry of every head right, as a rational?
  std::optional<bool> exactly_right{};
  /// Of a learner that reads what a family hides: a set of coordinates, or a secret.
  std::optional<std::vector<std::int64_t>> hidden{};
  std::optional<bool> hidden_right{};  ///< is all of `hidden` right?
};

}  // namespace hardhead::study

namespace hardhead {

template <>
inline constexpr auto enum_names<study::QueryLength> = std::to_array<EnumName<study::QueryLength>>(
    {{study::QueryLength::fixed, "fixed"}, {study::QueryLength::free, "free"}});

}  // namespace hardhead
