#pragma once
#include "attention/layer/network_rows.h"
#include "learner/objective/cholesky.h"
#include "learner/objective/linearised.h"

namespace hardhead::learner {

/// Sums over all rows of the examples, for a network of h units behind m heads: with u its input, e = 1 where
/// a unit is active and 0 elsewhere, and the heads' mean tokens sum_j p_ij x_j on top of each other.
struct NetworkMoments {
  NetworkMoments(attention::Index d, attention::Index m, attention::Index h);  ///< of no rows
  NetworkMoments& operator+=(const NetworkMoments& other);                     ///< the rows of both

  attention::Matrix units;   ///< of (relu(z), 1), times itself transposed: (h+1) x (h+1)
  attention::Matrix active;  ///< of (e, 1): (h+1) x (h+1)
  attention::Matrix inputs;  ///< of (u, 1): (d+1) x (d+1)
  attention::Matrix means;   ///< of the mean tokens: m d x m d
};

/// The preconditioner of a fit of heads and the network behind them (network_squares.h): what J^T J is, block
/// by block, if activity and inputs were independent (K-FAC: J. Martens, R. Grosse, 2015). On stacked V, over
/// n rows and in units of sum ||Y||^2,
///
///     [B b]^T    E[(relu(z), 1) (relu(z), 1)^T] V                    exact
///     [A a]      (B^T B o E[e e^T]) V E[(u, 1) (u, 1)^T]
///     (W_i^T)_i  E[G^T G] V E[means means^T]                         G = B diag(e) A, and I of a residual
///
/// and a number for each Theta_i.
class NetworkMetric final : public Linearised::Preconditioner {
 public:
  /// `theta` has the number of each Theta_i; `unit` is sum ||Y||^2.
  NetworkMetric(const attention::Network& network, const NetworkMoments& moments, double unit,
                attention::Vector theta);

  Stacked apply(const Stacked& v) const override;
  Stacked solve(const Stacked& v) const override;

  /// Bytes of the moments, and of one that lives.
  static double moments_bytes(const attention::PassShape& pass, const attention::NetworkShape& shape);
  static double bytes(const attention::PassShape& pass, const attention::NetworkShape& shape) {
    return 2 * moments_bytes(pass, shape);
  }

 private:
  /// V to left V right, for positive definite factors.
  class Kronecker {
   public:
    Kronecker(attention::Matrix left, attention::Matrix right);
    attention::Matrix apply(const attention::Matrix& v) const;
    attention::Matrix solve(const attention::Matrix& v) const;

   private:
    attention::Matrix left_, right_;
    Cholesky left_factor_, right_factor_;
  };
  using Map = attention::Matrix (Kronecker::*)(const attention::Matrix&) const;
  Stacked mapped(const Stacked& v, Map map, const attention::Vector& of_theta) const;

  attention::Index d_;
  attention::NetworkShape shape_;
  attention::Vector theta_;
  Kronecker out_, in_, w_;
};

}  // namespace hardhead::learner
