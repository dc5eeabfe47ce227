#pragma once
#include <cstddef>

namespace hardhead::attention {

/// What token_products.h computes, in plain pointers, since it is compiled with settings of its own, for
/// which other headers must not be compiled. A lane is an example. Every entry of a result is one sequence of
/// roundings that neither a target nor an example's place changes: products and sums are rounded one by one.

/// out(i, j) = sum_t left(i, t) right(j, t) for i < rows, j < columns, t < terms, for each of `count`
/// examples that lie side by side: that of example n is left[i left_row + t left_term + n], and so on.
struct ExampleProducts {
  std::size_t rows = 0, columns = 0, terms = 0, count = 0;  ///< sizes
  const double* left = nullptr;                             ///< left factors
  std::size_t left_row = 0, left_term = 0;                  ///< from one to the next
  const double* right = nullptr;                            ///< right factors
  std::size_t right_column = 0, right_term = 0;             ///< from one to the next
  double* out = nullptr;                                    ///< results
  std::size_t out_row = 0, out_column = 0;                  ///< from one to the next
  bool add = false;                                         ///< to what `out` has
};
/// Writes out, or adds to it.
void example_products(const ExampleProducts& products);

/// Logits, and what becomes of them, a column at a time: entry j of column c is data[j stride + c].
struct Logits {
  double* data = nullptr;                            ///< the first entry
  std::size_t stride = 0, entries = 0, columns = 0;  ///< from an entry to the next, sizes
};
/// Each column becomes its softmax.
void softmax_columns(const Logits& logits);

/// v <- p o (v - <p, v>) for each column v; entry j of column c of p is p[j stride + c].
void softmax_jacobian_columns(const double* p, std::size_t stride, const Logits& v);

}  // namespace hardhead::attention
