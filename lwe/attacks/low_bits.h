#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/run/stop_token.h"
#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// What one example says of h = <a, s> mod q, q = 2^l: it is one of `candidates`.
struct ResidueEquation {
  std::vector<Residue> a;           ///< n entries
  std::vector<Residue> candidates;  ///< residues mod q, one of which is h
};

/// Linearisation of low-order bits. With s = s_0 + 2 s_1 + 4 s_2 + .. bit by bit, and a likewise,
///
///     bit 0 of h = <s_0, a_0>,
///     bit 1 of h = <s_1, a_0> + <s_0, a_1> + sum_{i<j} (s_0i s_0j)(a_0i a_0j)    over GF(2),
///     bit k of h = (bit k of what s mod 2^k makes) + <s_k, a_0>.
///
/// Start: every example whose candidates agree in bit 0 is a linear equation for s_0; failing that, every one
/// whose candidates agree in bit 0 + bit 1 is one in s_0 + s_1 (on a_0), s_0 (on a_1) and the n (n-1)/2
/// products: 2n + n(n-1)/2 unknowns. Then bit by bit: candidates that contradict the bits known so far are
/// dropped, and each example whose others agree in bit k is a linear equation for s_k.
///
/// Empty where the equations do not determine s; `message` says which bit they left open and how many there
/// were. Throws Stopped. q must be a power of two and every a of one length.
Candidate linearise_low_bits(std::span<const ResidueEquation> equations, std::int64_t q,
                             const StopToken& stop, std::string& message);

}  // namespace hardhead::lwe
