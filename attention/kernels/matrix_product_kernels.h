#pragma once
#include <cstddef>

namespace hardhead::attention {

/// A matrix in memory: entry (i, j) lies at data[i * row_step + j * column_step], and one of the steps is 1.
template <class Scalar>
struct Strided {
  Scalar* data;             ///< entry (0, 0)
  std::size_t row_step;     ///< from an entry to the one below
  std::size_t column_step;  ///< from an entry to the one on its right
};

/// Scratch that a product takes.
inline constexpr std::size_t product_scratch_bytes = 280 * 1024;

/// out = a b, or out += a b.
template <class Scalar>
struct MatrixProduct {
  std::size_t rows, depth, columns;  ///< a is rows x depth, b is depth x columns
  Strided<const Scalar> a, b;        ///< the factors
  Scalar* out;                       ///< its first entry; its rows are contiguous
  std::size_t out_step;              ///< from a row of out to the next
  bool add;                          ///< whether to add to what out holds
  Scalar* scratch;                   ///< product_scratch_bytes, which begin with a line of the cache
};

/// An entry of out is one chain of fused products and sums, in the order of `depth`, which begins with 0 or
/// with what out holds: the same bits on each target, for a matrix of any size. out may not overlap a or b.
/// The target `baseline` has no product fused with a sum: there it runs the kernel of `avx2`, which the CPU
/// must have.
void multiply(const MatrixProduct<double>& product);
void multiply(const MatrixProduct<float>& product);

}  // namespace hardhead::attention
