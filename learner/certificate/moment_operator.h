#pragma once
#include "attention/layer/layer.h"
#include "base/run/stop_token.h"
#include "learner/certificate/harvest.h"

namespace hardhead::learner {

/// The second moment M of equations.h, with a weight for what no equation sees (weigh_unseen), by what it
/// makes of vectors: M itself is never formed. Vectors are (vec(Theta), t), d^2 + 1 numbers. With z_a the
/// k - 1 differences of tokens in a row's independent equations, l_a their right sides and u the unit of t,
///
///     M (Theta, t) = (1 / (k rows)) sum over rows and a of (x_r^T Theta z_a - t u l_a) (x_r z_a^T, -u l_a).
///
/// For one vector these are two products of d x d with d x rows: 2 rows d^2 multiply-adds, for any k, where
/// forming M takes rows d^4 / 4. Results do not depend on the number of threads.
class MomentOperator {
 public:
  /// Throws Stopped, as do the products.
  MomentOperator(const Harvest& harvest, StopToken stop);

  /// d^2 + 1.
  Index size() const { return d_ * d_ + 1; }
  /// M v for every column v.
  Matrix product(const Matrix& vectors) const;
  /// K^-1 v for every column v, K being (X (x) Z) / trace(X) with the partial traces X and Z of M, and M's
  /// own mean in the last entry: M itself where x_r and z_a are independent and rows are many.
  Matrix precondition(const Matrix& vectors) const;
  /// u: it puts right sides at the scale of an average left side.
  double unit() const { return unit_; }
  /// The mean of M's diagonal.
  double scale() const { return scale_; }

 private:
  void add_rows(std::int64_t first, Index count, const Matrix& thetas, const Vector& units,
                Matrix& sums) const;
  Matrix summed(const Matrix& vectors) const;
  void take_traces();

  StopToken stop_;
  Index d_, equations_;                            // of a row: k - 1
  double all_;                                     // equations of all rows, k a row
  Matrix tokens_, differences_;                    // x_r: d x rows; z_a: d x (k - 1) rows
  Vector logs_;                                    // l_a
  double unit_ = 1, scale_ = 0, unseen_ = 0;       // unseen_: what weigh_unseen() weighs it by
  Matrix seen_tokens_, seen_differences_;          // P and Q; no matrices where they are 1
  Matrix token_axes_, difference_axes_, inverse_;  // K: eigenvectors, 1 / eigenvalues
};

/// Bytes that a MomentOperator takes at most, with what the product of so many vectors takes besides.
double moment_operator_bytes(Index d, Index k, std::int64_t rows, Index vectors);

}  // namespace hardhead::learner
