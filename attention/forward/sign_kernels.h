#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead::attention {

/// What signs.h computes, in plain pointers, since it is compiled with settings of its own, for which other
/// headers must not be compiled. Layouts as in Signs and SignTables. Every entry of a result is one sequence
/// of roundings that no target changes: results have the same bits on each of them.

/// Rows whose partial sums lie side by side in a table.
inline constexpr std::size_t sign_panel = 8;
/// The length of a table: sixteen patterns.
inline constexpr std::size_t sign_table = 16 * sign_panel;

/// A matrix whose rows lie `stride` apart.
struct StridedRows {
  const double* data = nullptr;                   ///< the first entry
  std::size_t stride = 0, rows = 0, columns = 0;  ///< from a row to the next, sizes
};

/// The patterns of x, (features) x (columns), as in Signs. False where an entry is neither -1 nor +1.
bool sign_patterns(const StridedRows& x, std::uint8_t* patterns);

/// The tables of `matrix`, as in SignTables; rows past the last have sums 0.
void sign_tables(const StridedRows& matrix, double* tables);

/// out(row, c) = sum_g tables[row / 8][g][pattern(g, c)][row % 8].
struct SignProducts {
  const double* tables = nullptr;                 ///< from the panel of the first row on
  const std::uint8_t* patterns = nullptr;         ///< (groups) x (columns)
  std::size_t rows = 0, groups = 0, columns = 0;  ///< sizes
  double* out = nullptr;                          ///< rows `stride` apart
  std::size_t stride = 0;                         ///< of out
};
/// The same.
void sign_products(const SignProducts& products);

/// sum(row, f) += sum_c left(row, c) x(f, c).
struct SignOuter {
  StridedRows left;                        ///< (rows) x (tokens)
  const std::uint8_t* patterns = nullptr;  ///< those of x^T: (groups of four tokens) x (features)
  std::size_t features = 0;                ///< columns of sum
  double* sum = nullptr;                   ///< columns `stride` apart
  std::size_t stride = 0;                  ///< of sum
};
/// The same.
void add_sign_outer(const SignOuter& outer);

}  // namespace hardhead::attention
