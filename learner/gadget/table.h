#pragma once
#include "learner/algorithm.h"

/// What the learner `table` and the prediction of its cost share.
namespace hardhead::learner::look_up {

/// Most bits of a table: 2^24 entries of 16 bytes.
inline constexpr attention::Index most_bits = 24;
/// Of reading an example and looking it up: `learn parity:d=20,m=9 --method table --threads 1`.
inline constexpr double seconds_an_example = 4e-7;

/// The examples with which an entry is missing with probability 1/200, if half of them have the switch on:
/// 2 ln 200 2^bits.
std::int64_t examples(attention::Index bits);

}  // namespace hardhead::learner::look_up
