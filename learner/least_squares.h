#pragma once
#include <vector>

#include "attention/forward.h"

namespace hardhead::learner {

/// Parameters, steps and gradients of a layer as one (2 m d) x d matrix: Theta_i^T on top of each other, then
/// the W_i. So stacked, the Jacobian acts by one matrix product for all heads.
using Stacked = attention::Matrix;

Stacked stack(const attention::Layer& layer);
attention::Layer unstack(const Stacked& stacked);

/// The nonlinear least squares problem of fitting a layer to examples, linearised at one layer:
/// residuals F(X) - Y over all rows, J their Jacobian, everything per number (mean over rows), matrix-free.
/// With
///
///     dq = dTheta^T x_r,  dl_j = dq . x_j,  dp = p o (dl - <p, dl>),  dz = sum_j dp_j x_j,
///     dy = sum_i W_i^T dz_i + dW_i^T z_i,
///
/// J^T J v costs six stacked products of m d x d by d x (k count) for each block. Attention patterns and mean
/// tokens are kept: m k (k + d) doubles an example.
class Linearisation {
 public:
  Linearisation(const std::vector<attention::Block>& blocks, const attention::Layer& layer);

  /// sum ||F(X) - Y||^2 / sum ||Y||^2.
  double relative_error() const { return error_ / total_; }
  /// J^T (F(X) - Y) / sum ||Y||^2.
  const Stacked& gradient() const { return gradient_; }
  /// J^T J v / sum ||Y||^2.
  Stacked normal_product(const Stacked& v) const;

  /// A symmetric positive definite stand-in for J^T J that is cheap to invert: exact in the W_i (the Gram
  /// matrix of the mean tokens), and for each Theta_i the Kronecker product of the tokens' second moment
  /// (the identity for all three input distributions) with the mean of C_r W_i W_i^T C_r, where C_r is the
  /// covariance of the tokens under head i's attention; estimated on the first few hundred examples.
  class Preconditioner {
   public:
    Stacked apply(const Stacked& v) const;  ///< M v
    Stacked solve(const Stacked& v) const;  ///< M^-1 v

   private:
    friend class Linearisation;
    std::vector<attention::Matrix> theta_;  // d x d for each head
    attention::Matrix w_;                   // m d x m d
    std::vector<Eigen::LLT<attention::Matrix>> theta_factor_;
    Eigen::LLT<attention::Matrix> w_factor_;
  };
  Preconditioner preconditioner() const;

 private:
  const std::vector<attention::Block>& blocks_;
  attention::Index d_, m_;
  attention::RowMatrix w_, w_t_;  // (m d) x d and its transpose
  std::vector<attention::Forward::Workspace> attended_;
  Stacked gradient_;
  double error_ = 0, total_ = 0;
};

}  // namespace hardhead::learner
