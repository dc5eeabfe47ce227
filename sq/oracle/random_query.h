#pragma once
#include "base/numeric/random.h"
#include "sq/query/query.h"

namespace hardhead::sq {

/// Query `item` of a stream of queries of every sort, for checking oracles: on random subsets of n bits,
/// characters times the label, thresholds, and tables of reals that are not on the grid (range bit: rounded
/// to 0 and 1).
Query random_query(const Stream& stream, std::uint64_t item, Range range, int n);

}  // namespace hardhead::sq
