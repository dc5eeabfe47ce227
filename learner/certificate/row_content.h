#pragma once
#include <cstdint>

#include "attention/forward/block.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// A 64-bit name of the equations that row `row` of example `example` gives: equal for rows with the same
/// query token and the same tokens in any order, and for X and -X, which have the same logits x_r^T Theta x_a
/// and so the same patterns. Boolean examples of few entries are drawn again and again, and each equation is
/// to count once.
///
/// A sum of random numbers, one for each place and entry (Zobrist hashing), made by the finaliser of
/// splitmix64 (G. Steele et al., "Fast splittable pseudorandom number generators", OOPSLA 2014). A token's
/// name is such a sum over its entries, and a row's one over the names of its tokens, in which that of the
/// query has a second place. Among n different rows two names agree with probability about n^2 / 2^65, 3e-8
/// for a million; the worse of the two rows would be lost. Never 0.
std::uint64_t row_content(const Block& block, Index row, Index example);

}  // namespace hardhead::learner
