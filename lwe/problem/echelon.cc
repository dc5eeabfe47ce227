#include "lwe/problem/echelon.h"

#include <algorithm>
#include <utility>

namespace hardhead::lwe {

Residue inverse_mod(Residue a, std::int64_t q) {
  std::int64_t r0 = q, r1 = a, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const std::int64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    t0 = std::exchange(t1, t0 - quotient * t1);
  }
  return r0 == 1 ? static_cast<Residue>(t0 < 0 ? t0 + q : t0) : 0;
}

std::vector<std::int64_t> reduce_rows(ModMatrix& matrix, std::int64_t pivot_columns, std::int64_t q,
                                      const StopToken& stop) {
  const auto modulus = static_cast<std::uint64_t>(q);
  std::vector<std::int64_t> pivots;
  for (std::int64_t c = 0; c < pivot_columns && static_cast<std::int64_t>(pivots.size()) < matrix.rows; ++c) {
    stop.check();
    const auto top = static_cast<std::int64_t>(pivots.size());
    std::int64_t found = top;
    Residue inverse = 0;
    while (found < matrix.rows && (inverse = inverse_mod(matrix.row(found)[c], q)) == 0) ++found;
    if (found == matrix.rows) continue;
    if (found != top)
      std::swap_ranges(matrix.row(found), matrix.row(found) + matrix.columns, matrix.row(top));
    Residue* pivot = matrix.row(top);
    for (std::int64_t j = 0; j < matrix.columns; ++j)
      pivot[j] = static_cast<Residue>(std::uint64_t{pivot[j]} * inverse % modulus);
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      Residue* row = matrix.row(i);
      if (i == top || row[c] == 0) continue;
      const std::uint64_t factor = modulus - row[c];
      for (std::int64_t j = 0; j < matrix.columns; ++j)
        row[j] = static_cast<Residue>((row[j] + factor * pivot[j]) % modulus);
    }
    pivots.push_back(c);
  }
  return pivots;
}

Candidate solve_mod(ModMatrix equations, std::int64_t q, const StopToken& stop) {
  const std::int64_t unknowns = equations.columns - 1;
  const auto pivots = reduce_rows(equations, unknowns, q, stop);
  if (static_cast<std::int64_t>(pivots.size()) < unknowns) return std::nullopt;
  for (std::int64_t i = unknowns; i < equations.rows; ++i)
    if (equations.row(i)[unknowns] != 0) return std::nullopt;
  std::vector<Residue> x;
  x.reserve(static_cast<std::size_t>(unknowns));
  for (std::int64_t i = 0; i < unknowns; ++i) x.push_back(equations.row(i)[unknowns]);
  return x;
}

}  // namespace hardhead::lwe
