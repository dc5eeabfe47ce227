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

/// What follows the last of all patterns, which kernels read but do not use: signs of no token.
inline constexpr std::size_t sign_slack = 16;

/// A matrix whose rows lie `stride` apart.
struct StridedRows {
  const double* data = nullptr;                   ///< the first entry
  std::size_t stride = 0, rows = 0, columns = 0;  ///< from a row to the next, sizes
};

/// The patterns of x, (features) x (columns), as in Signs. False where an entry is neither -1 nor +1.
bool sign_patterns(const StridedRows& x, std::uint8_t* patterns);

/// The patterns of eight groups as one number: byte g % 8 of words[g / 8 columns + c] is patterns[g columns +
/// c]. Writes (groups / 8, rounded up) columns + sign_slack numbers.
void sign_words(const std::uint8_t* patterns, std::size_t groups, std::size_t columns, std::uint64_t* words);

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
/// Writes out.
void sign_products(const SignProducts& products);

/// Tokens of signs: those of example n are columns a count + n, a < k.
struct SignTokens {
  const std::uint8_t* patterns = nullptr;  ///< (groups) x (k count), and sign_slack numbers
  const std::uint64_t* words = nullptr;    ///< as sign_words() makes them
  std::size_t rows = 0, groups = 0;        ///< features of a token, and of its images; groups of four
  std::size_t k = 0, count = 0;            ///< tokens, examples
};

/// out(j, r count + n) = <image of token r, token j> of example n, where the tables are those of the map.
struct SignLogits {
  SignTokens at;                   ///< the tokens
  const double* tables = nullptr;  ///< of a square matrix
  double* out = nullptr;           ///< k x (k count)
  std::size_t out_stride = 0;      ///< from a row to the next
};
/// Writes out.
void sign_logits(const SignLogits& products);

/// y(f, r count + n) = sum over heads i and tokens j of p(i k + j, r count + n) (image of token j by the
/// tables of head i)(f), a product after the other.
struct SignMixtures {
  SignTokens at;                          ///< the tokens
  const double* const* tables = nullptr;  ///< for each head those of a square matrix
  std::size_t heads = 0;                  ///< of them
  const double* p = nullptr;              ///< weights, (heads k) x (k count)
  std::size_t p_stride = 0;               ///< from a row to the next
  double* y = nullptr;                    ///< (features) x (k count)
  std::size_t y_stride = 0;               ///< from a row to the next
  double* scratch = nullptr;              ///< 8 k count numbers
};
/// Writes y.
void sign_mixtures(const SignMixtures& products);

/// sum(row, f) += sum_c left(row, c) x(f, c).
struct SignOuter {
  StridedRows left;                        ///< (rows) x (tokens)
  const std::uint8_t* patterns = nullptr;  ///< those of x^T: (groups of four tokens) x (features)
  std::size_t features = 0;                ///< columns of sum
  double* sum = nullptr;                   ///< columns `stride` apart
  std::size_t stride = 0;                  ///< of sum
};
/// Adds to sum.
void add_sign_outer(const SignOuter& outer);

}  // namespace hardhead::attention
