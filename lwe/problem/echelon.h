#pragma once
#include <cstdint>
#include <vector>

#include "base/run/stop_token.h"
#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// A matrix over Z_q, row-major, entries below q.
struct ModMatrix {
  std::int64_t rows = 0, columns = 0;  ///< its shape
  std::vector<Residue> entries;        ///< rows * columns of them

  /// A matrix of zeros.
  ModMatrix(std::int64_t rows_, std::int64_t columns_)
      : rows(rows_), columns(columns_), entries(static_cast<std::size_t>(rows_ * columns_), 0) {}
  /// Row i, `columns` entries.
  Residue* row(std::int64_t i) { return entries.data() + i * columns; }
  /// Row i, `columns` entries.
  const Residue* row(std::int64_t i) const { return entries.data() + i * columns; }
};

/// Gauss-Jordan elimination over Z_q by pivots that are units, taken from the first `pivot_columns` columns,
/// left to right; O(rows^2 columns). Returns the pivots' columns: row i has 1 in column pivots[i], where all
/// other rows have 0, and rows past the last pivot come last. For prime q those are 0 in the pivot columns;
/// for any other q they may keep entries that are no units. Throws Stopped.
std::vector<std::int64_t> reduce_rows(ModMatrix& matrix, std::int64_t pivot_columns, std::int64_t q,
                                      const StopToken& stop = {});

/// The x that solves every equation `sum_j A_ij x_j = A_i,unknowns` (right sides in the last column) if it is
/// the only one that elimination leaves; empty if the equations contradict each other or leave an unknown
/// free.
Candidate solve_mod(ModMatrix equations, std::int64_t q, const StopToken& stop = {});

/// x with a x = 1 mod q; 0 if a is no unit.
Residue inverse_mod(Residue a, std::int64_t q);

}  // namespace hardhead::lwe
