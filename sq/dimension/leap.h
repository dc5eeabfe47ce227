#pragma once
#include <cstdint>
#include <span>

#include "sq/concepts/concept.h"

/// Leaps of a function f of m bits, hidden among many: how many further bits a learner has to guess at once.
///
/// N. Joshi, T. Misiakiewicz, N. Srebro, "On the complexity of learning sparse functions with statistical and
/// gradient queries" (arXiv 2407.05622). For a kind of query with test functions Psi of the label, a set S of
/// bits is *detectable* if E[T(f(z)) chi_S(z)] != 0 for some T in Psi. (On uniform bits a function of one bit
/// of mean 0 is a multiple of the bit, so their products are characters.) The *leap* is the least k for which
/// detectable sets S_1, S_2, .. with |S_i \ (S_1 u .. u S_{i-1})| <= k cover all bits that f depends on. Up
/// to constants in m, adaptive queries of the kind that find the bits among d number about d^leap.
///
///     CSQ   T(y) = y              correlations; gradients of the squared loss, which are affine in y
///     SQ    all T                 any statistical query; gradients of the absolute loss, T(y) = sign(u - y)
///                                 for predictions u, which span all functions of finitely many labels
///
/// DLQ(loss), their class of queries by gradients of a loss, has the leap of CSQ for the squared and that of
/// SQ for the absolute loss. SQ <= CSQ; they are equal where f has two values.
namespace hardhead::sq {

/// The two leaps.
struct Leaps {
  int csq = 0;  ///< of correlations: squared loss
  int sq = 0;   ///< of all statistical queries: absolute loss
};

/// Exactly, by integer transforms. `values` has f at all 2^m points, index z as a word whose bit j is set
/// where z_j = -1. 0 for a constant. Throws InputError unless there are 2^m values, m <= max_leap_bits.
Leaps leaps(std::span<const std::int64_t> values);

/// The largest m for leaps().
inline constexpr std::size_t max_leap_bits = 16;

/// The leap for a list of detectable sets that together hold all bits to be found: the least k for which sets
/// with at most k new bits each, one after the other, reach all of them.
int leap_of(std::span<const Bits> detectable);

}  // namespace hardhead::sq
