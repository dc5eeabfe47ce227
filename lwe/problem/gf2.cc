#include "lwe/problem/gf2.h"

#include <NTL/mat_GF2.h>
#include <fmt/format.h>

#include "base/error.h"

namespace hardhead::lwe {
namespace {

// NTL ends the process on misuse: nothing reaches it unchecked.
void check(std::span<const Gf2Equation> equations, std::int64_t unknowns) {
  if (unknowns < 1 || unknowns > gf2_max_unknowns)
    throw InputError(
        fmt::format("solve_gf2: {} unknowns; there must be 1 .. {}", unknowns, gf2_max_unknowns));
  if (static_cast<std::int64_t>(equations.size()) > gf2_max_bits / unknowns)
    throw InputError(fmt::format("solve_gf2: {} equations in {} unknowns are more than {} bits",
                                 equations.size(), unknowns, gf2_max_bits));
  const auto words = static_cast<std::size_t>((unknowns + 63) / 64);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const auto& row = equations[i].coefficients;
    if (row.size() != words)
      throw InputError(fmt::format("solve_gf2: equation {} has {} words of coefficients; {} unknowns take {}",
                                   i, row.size(), unknowns, words));
    if (unknowns % 64 != 0 && (row.back() >> (unknowns % 64)) != 0)
      throw InputError(fmt::format("solve_gf2: equation {} has a bit set past unknown {}", i, unknowns - 1));
  }
}

bool coefficient(const Gf2Equation& equation, std::int64_t j) {
  return (equation.coefficients[static_cast<std::size_t>(j / 64)] >> (j % 64) & 1) != 0;
}

}  // namespace

Gf2Equation Gf2Equation::of(std::span<const Residue> row, bool rhs) {
  Gf2Equation out = zero(row.size());
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] != 0) out.set(j);
  out.rhs = rhs;
  return out;
}

std::optional<Gf2Solution> solve_gf2(std::span<const Gf2Equation> equations, std::int64_t unknowns) {
  check(equations, unknowns);
  NTL::mat_GF2 system;  // right-hand sides in the last column
  system.SetDims(static_cast<long>(equations.size()), unknowns + 1);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    NTL::vec_GF2& row = system[static_cast<long>(i)];
    for (std::int64_t j = 0; j < unknowns; ++j)
      if (coefficient(equations[i], j)) row.put(j, 1);
    row.put(unknowns, equations[i].rhs ? 1 : 0);
  }

  Gf2Solution out;
  out.rank = NTL::gauss(system, unknowns);
  out.x.assign(static_cast<std::size_t>(unknowns), 0);
  const auto entry = [&](long i, long j) { return NTL::rep(system[i].get(j)) == 1; };
  for (long i = out.rank; i < system.NumRows(); ++i)
    if (entry(i, unknowns)) return std::nullopt;

  for (long i = out.rank; i-- > 0;) {
    long pivot = 0;
    while (!entry(i, pivot)) ++pivot;
    bool value = entry(i, unknowns);
    for (long j = pivot + 1; j < unknowns; ++j)
      if (out.x[static_cast<std::size_t>(j)] != 0 && entry(i, j)) value = !value;
    out.x[static_cast<std::size_t>(pivot)] = value ? 1 : 0;
  }
  return out;
}

Candidate only_gf2_solution(std::span<const Gf2Equation> equations, std::int64_t unknowns) {
  if (std::ssize(equations) < unknowns) return std::nullopt;
  const auto solution = solve_gf2(equations, unknowns);
  if (!solution || !solution->unique()) return std::nullopt;
  return std::vector<Residue>(solution->x.begin(), solution->x.end());
}

}  // namespace hardhead::lwe
