#pragma once
#include "attention/forward/block.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// The closed-form certificate of every row of a block, by least squares. With images v_a = W_sum^T x_a, row
/// r has the pattern
///
///     p = argmin over {sum p = 1} || rho ||_2,   rho = y_r - sum_a p_a v_a,
///
/// k - 1 unknowns against d numbers, from the Cholesky factor L of the Gram matrix of the differences v_a -
/// v_k, a < k, which is the same for all rows of an example. An example is well posed if the smallest pivot
/// L_aa is above a tenth of the largest; else its differences are nearly dependent and tell no pattern (so do
/// all where W_sum = 0).
///
/// Matrices of (k count) columns are laid out as in Block. What belongs to an example that is not well posed
/// may be NaN.
struct RowFits {
  RowMatrix image;       ///< d x (k count): v_a
  RowMatrix pattern;     ///< k x (k count): p_a of row r of example n in row a, column r count + n
  RowMatrix rho;         ///< d x (k count)
  RowMatrix residual;    ///< 1 x (k count): ||rho||_2
  RowMatrix pivot;       ///< 1 x count: the smallest pivot, 0 where the example is not well posed
  RowMatrix difference;  ///< d x ((k - 1) count): v_a - v_k
  RowMatrix factor;      ///< (k - 1) k / 2 x count: L_ab, b <= a, in row a (a + 1) / 2 + b

  /// Takes out of each column n of `vectors` (d x count) its projection on the differences of example n, and
  /// writes its coordinates, (k - 1) x count.
  void project_out(Eigen::Ref<RowMatrix> vectors, Eigen::Ref<RowMatrix> coordinates) const;
};

/// Fits of all rows. Needs k >= 2. `w_t` is W_sum^T. The residual is the norm of the vector rho itself, of
/// error about 1e-16 (|y_r| + |v|): rows where all heads agree exactly show as such.
RowFits fit_rows(const RowMatrix& w_t, const Block& block);
/// The same into memory that is there from the block before: allocating it costs as much as filling it.
void fit_rows(const RowMatrix& w_t, const Block& block, RowFits& fits);
/// Bytes of RowFits of a block of block_size examples.
double row_fits_bytes(Index d, Index k);

}  // namespace hardhead::learner
