#pragma once
#include <vector>

#include "attention/forward/memory.h"
#include "attention/samples/reduce_blocks.h"
#include "base/run/run_context.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// A linear map A from d x d matrices to d x d matrices. Several matrices lie on top of each other, (count d)
/// x d.
class MatrixMap {
 public:
  virtual ~MatrixMap() = default;
  /// A of each matrix.
  virtual Matrix image(const Matrix& matrices) const = 0;
  /// The adjoint of A on each matrix.
  virtual Matrix adjoint(const Matrix& matrices) const = 0;
};

/// d x d matrices on top of each other as columns of d^2 entries, and back.
Matrix as_columns(const Matrix& stacked);
Matrix as_stack(const Matrix& columns, Index d);  ///< see as_columns()

/// What examples say of the heads before anything is fitted. To first order in the Theta_i
///
///     F(X)_r = W_sum^T mean(X) + sum_i W_i^T C(X) Theta_i^T x_r,   C(X) = X^T X / k - mean(X) mean(X)^T,
///
/// so that with u_r what is left of the labels after the best linear function of x_r and mean(X), the linear
/// map from d x d matrices Theta to d x d matrices
///
///     A(Theta^T) = sum_r C(X) Theta^T x_r (K u_r)^T / rows
///
/// is close to c sum_i W_i K <Theta_i, Theta> where the features of tokens are independent, with c = (k - 1)
/// / k^2 for features of variance 1. Large Theta_i only make it smaller. K whitens what is left,
///
///     K = (S + (1e-6 tr S + 1e-8 tr Y) / d)^(-1/2),
///     S = sum_r u_r u_r^T / rows,   Y = sum_r y_r y_r^T / rows.
///
/// What finitely many examples add to the map is then of norm in proportion to d / sqrt(rows) in every
/// direction of the labels. Without K, heads whose W_i have few large singular values, as those of trained
/// layers, would have to stand out of the noise in these few directions.
///
/// In small dimensions the d^2 x d^2 matrix of A is made, in double precision. Elsewhere A goes over the
/// examples, which are kept in single precision; sums over blocks are in double.
class FirstOrder final : public MatrixMap {
 public:
  /// Of a range of examples, read once or twice. `count`: matrices that image() and adjoint() will be given
  /// at once; `products`: calls of both, about, of which progress is reported as that of "first_order"; none
  /// where it is 0. With `like` it has the linear function and the K of that one. The context must outlive
  /// it; throws Stopped, as products do.
  FirstOrder(const ExampleRange& examples, Index count, int products, const RunContext& context,
             const FirstOrder* like = nullptr);

  Matrix image(const Matrix& matrices) const override;    ///< of Theta^T
  Matrix adjoint(const Matrix& matrices) const override;  ///< see MatrixMap

  /// The coefficients of mean(X) in the best linear function of x_r and mean(X), times K: close to W_sum K.
  const Matrix& w_sum() const { return of_mean_; }

  /// Bytes that it takes at most with so many products of shape.m matrices.
  static double bytes(const PassShape& shape, std::int64_t examples, int products);

 private:
  // x and u of a block in single precision; columns a * columns + n are token a of example n.
  struct Kept {
    Index k = 0, columns = 0;
    FloatMatrix x, residual;
  };
  struct Scratch;

  void fit_linear_part(const ExampleRange& examples, bool keep, const FirstOrder* like);
  void make_matrix(const ExampleRange& examples);
  Matrix mapped(const Matrix& matrices, FloatMatrix Kept::* from, FloatMatrix Kept::* onto) const;
  static void mix(const Kept& block, Scratch& scratch);

  void report(double share_of_product) const;

  const RunContext& context_;
  int products_;
  mutable int products_done_ = 0;
  Matrix whitening_, of_token_, of_mean_;  // K; of the best linear function, times K
  double rows_ = 0;
  Matrix matrix_;  // of A, or else
  std::vector<Kept> kept_;
};

}  // namespace hardhead::learner
