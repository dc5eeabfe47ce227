#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "attention/forward/block.h"
#include "base/run/run_context.h"
#include "base/text/enum_names.h"
#include "learner/learner.h"
#include "learner/oracle/value_oracle.h"
#include "study/problem/problem.h"

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

/// How many tokens the X of this learner have: what was asked for, or the stricter of the two lengths that it
/// can do with.
QueryLength length_of(const ValueAccess& access, const learner::Learner& learner);

/// Opens an oracle on the instance behind a problem and runs a learner by values on it. Labels of hard
/// families are exact rationals rounded once, at the X asked; what the family makes public (its gadget, its
/// hints) is told.
///
/// Throws InputError for a data file, which answers no queries, and whatever learner::learn() refuses.
learner::Report ask(const learner::Learner& learner, const learner::Task& task, const ValueAccess& access,
                    const Problem& problem, const RunContext& context);

/// Throws what ask() throws before the first query, before the problem is opened: its null predictor can take
/// minutes. Nothing for a learner by examples.
void check_asking(const learner::Learner& learner, const ValueAccess& access, const Source& source);

/// What ask() is predicted to need of an instance of this shape, which is there already: upper bounds. Throws
/// InputError for a learner of which that is not known before.
learner::RunMemory value_memory(const learner::Learner& learner, const hardness::InstanceShape& instance,
                                const learner::Task& task);

/// Is every entry of every head of a layer right, as a rational?
bool exactly_right(const attention::ExactLayer& found, const attention::ExactLayer& truth);

}  // namespace hardhead::study
