#pragma once
#include <span>

#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// log2 of how likely the labels make certain secrets near `secret`, all together, relative to it; -infinity
/// if they exclude all of these. The sum is exact, over s' != s, of
///
///     P(b | s') / P(b | s) = prod_i P(e = b_i - <a_i, s'>) / P(e = b_i - <a_i, s>),
///
/// where a rounded label has each of the ceil(q/p) residues of its window with the same probability. With a
/// uniform prior over the secrets there are, it is the probability of these secrets relative to that of
/// `secret`, for whatever rows there are. The neighbours are
///
///     up to 2^12 secrets          all of them
///     entries of up to 3 values   those with one entry changed, or two different entries exchanged
///     other entries               s + c x for all c and each unit vector x
///     all of these                -s
///     all of these                s + c x for all c and each x of 8 dual bases (fewer where n is over 300):
///                                 <a_i, x> is 1 for one row of a random basis and 0 for its other rows
///
/// The last is Prange's search for words of low weight ("The use of information sets in decoding cyclic
/// codes", IRE Trans. Inform. Theory 8, 1962): a direction that few rows see is among them unless each basis
/// has several of these rows. It is a search, and rows made to mislead may hide a direction from it.
///
/// Labels are read until a neighbour is 2^64 |secrets| times less likely than `secret`: whatever the true
/// secret is, it is then passed over with probability 2^-64 at most (Wald's sequential test). `secret` fits
/// the samples; if it is one of a uniform law, no x != 0 has <a_i, x> = 0 for all i.
double log2_neighbours(const ProblemParameters& parameters, const Samples& samples,
                       std::span<const Residue> secret);

/// Whether the neighbours are all other secrets.
bool neighbours_are_all(const ProblemParameters& parameters);

/// log2 of how many x in Z_q^n have <a_i, x> = 0 mod q for every sample: secrets that differ by such an x
/// have the same residuals, and no label tells them apart. 0 if there is x = 0 alone.
///
/// The rows are brought into a triangular form one by one (J. Howell, "Spans in the module (Z_m)^s", Linear
/// and Multilinear Algebra 19, 1986): a pivot, which divides q, leaves its unknown as many values, and a
/// column without a pivot leaves it q. O(n^2) operations a row, and rows past those that leave x = 0 alone
/// are not looked at. The samples fit q, any modulus.
double log2_kernel(const Samples& samples, std::int64_t q);

}  // namespace hardhead::lwe
