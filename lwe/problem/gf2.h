#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// A linear equation over GF(2): `sum_j coefficients_j x_j = rhs`. Coefficient j is bit j mod 64 of word
/// j / 64; there are ceil(unknowns / 64) words, and bits past the last unknown are 0.
struct Gf2Equation {
  std::vector<std::uint64_t> coefficients;  ///< 64 a word
  bool rhs = false;                         ///< right side

  /// 0 = 0, in so many unknowns.
  static Gf2Equation zero(std::size_t unknowns) {
    return {std::vector<std::uint64_t>((unknowns + 63) / 64, 0), false};
  }
  /// Of coefficients that are 0 and 1.
  static Gf2Equation of(std::span<const Residue> row, bool rhs);
  /// Makes coefficient j 1.
  void set(std::size_t j) { coefficients[j / 64] |= std::uint64_t{1} << (j % 64); }
};

/// A solution of a system over GF(2) and how far the system determines it.
struct Gf2Solution {
  std::vector<std::uint8_t> x;  ///< one 0 or 1 for each unknown; free unknowns are 0
  std::int64_t rank = 0;        ///< of the coefficients; the solutions are x plus a space of dimension
                                ///< unknowns - rank
  /// Is there no other solution?
  bool unique() const { return rank == static_cast<std::int64_t>(x.size()); }
};

/// Most unknowns solve_gf2 accepts.
inline constexpr std::int64_t gf2_max_unknowns = std::int64_t{1} << 20;
/// Most bits of a system (equations times unknowns; 512 MiB).
inline constexpr std::int64_t gf2_max_bits = std::int64_t{1} << 32;

/// Solves a system over GF(2) by elimination (NTL mat_GF2): a proved method, exact, O(equations * unknowns^2
/// / 64) word operations. Empty if the equations contradict each other. No equations are a system too: x = 0,
/// rank 0.
///
/// Throws InputError naming the equation and the value for unknowns outside 1 .. gf2_max_unknowns, a system
/// of more than gf2_max_bits bits, a row with the wrong number of words, or a bit set past the last unknown.
std::optional<Gf2Solution> solve_gf2(std::span<const Gf2Equation> equations, std::int64_t unknowns);
/// The solution, if there are as many equations as unknowns and there is one alone. Throws as solve_gf2().
Candidate only_gf2_solution(std::span<const Gf2Equation> equations, std::int64_t unknowns);

}  // namespace hardhead::lwe
