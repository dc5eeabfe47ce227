#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <vector>

#include "attention/forward/memory.h"
#include "learner/objective/linearised.h"

namespace hardhead::learner {

/// Heads in factors, Theta_i = Q_i K_i^T of rank `form` and W_i = V_i O_i of rank `value`.
///
/// Their parameters on top of each other are the rows of one matrix of d columns: Q_i^T of all heads, then
/// K_i^T, V_i^T and O_i, `form` or `value` rows each.
struct Factors {
  attention::Index m = 0;      ///< heads
  attention::Index form = 0;   ///< rank of the Theta_i, 1 .. d
  attention::Index value = 0;  ///< rank of the W_i, 1 .. d

  attention::Index rows() const { return 2 * m * (form + value); }  ///< of the stacked parameters
  /// Dimension of the layers that have such factors, in their space: a d x d matrix of rank r has r (2 d -
  /// r).
  std::int64_t unknowns(attention::Index d) const {
    return m * (form * (2 * d - form) + value * (2 * d - value));
  }
  /// The layer with these stacked parameters.
  attention::Layer layer(const Stacked& parameters) const;
};

/// Least number of examples that can determine a layer of such heads: ceil(unknowns / (k d)). For ranks d it
/// is counting_bound (learner.h).
std::int64_t counting_bound(const Factors& factors, attention::Index d, attention::Index k);
/// Least number that can determine the Theta_i, ceil(r (2 d - r) / (k (k - 1))) with r = `form`, whatever m
/// is; for rank d pattern_bound (learner.h).
std::int64_t pattern_bound(const Factors& factors, attention::Index d, attention::Index k);

/// The stacked parameters with the given `inner` rows, all but the O_i, and the O_i by least squares. Throws
/// Stopped.
Stacked fit_outputs(const std::vector<attention::Block>& blocks, const Factors& factors,
                    const attention::Matrix& inner, const StopToken& stop = {});

/// The problem of fitting a layer in factors, linearised. With q, k, v = Q^T x, K^T x, V^T x and hidden
/// features h_i = sum_j p_ij v_j of a row,
///
///     dl_j = dq . k_j + q . dk_j,   dh = sum_j dp_j v_j + p_j dv_j,   dy = sum_i O_i^T dh_i + dO_i^T h_i,
///
/// and the adjoint in the same order: all products are between matrices of m r rows and d columns, r of
/// `form` and `value`, and tokens or residuals.
///
/// Steps do not care about the gauge, Q_i -> Q_i A, K_i -> K_i A^-T and V_i -> V_i A, O_i -> A^-1 O_i: J^T J
/// has it in its kernel, conjugate gradients from 0 stay orthogonal to it in the preconditioner's metric, and
/// that metric goes along with it.
class FactoredSquares final : public Linearised {
 public:
  /// As Linearisation::default_kept_bytes.
  static constexpr double default_kept_bytes = 512.0 * 1024 * 1024;

  /// `blocks` must outlive it. All that it computes polls `stop` (throws Stopped).
  FactoredSquares(const std::vector<attention::Block>& blocks, const Factors& factors,
                  const Stacked& parameters, double kept_bytes = default_kept_bytes,
                  const StopToken& stop = {});
  void move_to(const Stacked& parameters) override;

  double relative_error() const override { return loss_.relative_error(); }
  const Stacked& gradient() const override { return loss_.gradient; }
  Stacked normal_product(const Stacked& v) const override;

  /// Exact in the O_i (the Gram matrix of the hidden features). For the other factors of head i it is what
  /// the stand-in of Linearisation is for Theta_i and W_i, restricted to one factor: with C the mean of
  /// C_r W_i W_i^T C_r and G the second moment of the attended mean tokens, both estimated on the first few
  /// blocks,
  ///
  ///     <dQ, M dQ> = tr dQ K^T C K dQ^T,  <dK, M dK> = tr C dK Q^T Q dK^T,  <dV, M dV> = tr G dV O O^T dV^T.
  std::unique_ptr<const Preconditioner> preconditioner() const override;

  /// What it takes besides the blocks of this many examples, at most; as Linearisation::Bytes.
  struct Bytes {
    double itself = 0;          ///< one that lives
    double preconditioner = 0;  ///< one that lives
    double work = 0;            ///< of whatever is being computed of one of them
  };
  /// For fits of this many examples.
  static Bytes bytes(const attention::PassShape& shape, const Factors& factors, std::int64_t examples,
                     double kept_bytes = default_kept_bytes);

 private:
  // Of a block: queries, keys and values of all heads, patterns, hidden features.
  struct Attended {
    attention::RowMatrix qkv, p, hidden;
  };
  struct Scratch {
    Attended attended;
    attention::RowMatrix residual, change, hidden, logits, extra;
  };
  struct Metric;

  void linearise();
  void attend(const attention::Block& block, Attended& at) const;
  const Attended& attended(std::size_t block, Scratch& scratch) const;
  void add_adjoint(const attention::Block& block, const Attended& at, Scratch& scratch, Stacked& sum) const;
  void add_normal_product(std::size_t block, const Stacked& v, Stacked& sum) const;
  void add_curvatures(attention::Index head, std::size_t block, attention::Matrix& form,
                      attention::Matrix& value) const;

  // Rows of the stacked parameters.
  attention::Index query(attention::Index i) const { return i * factors_.form; }
  attention::Index key(attention::Index i) const { return (factors_.m + i) * factors_.form; }
  attention::Index value(attention::Index i) const {
    return 2 * factors_.m * factors_.form + i * factors_.value;
  }
  attention::Index outputs() const { return factors_.m * (2 * factors_.form + factors_.value); }

  const std::vector<attention::Block>& blocks_;
  Factors factors_;
  StopToken stop_;
  Stacked parameters_;
  Loss loss_;
  double unit_ = 1;             // sum ||Y||^2, but not 0
  std::vector<Attended> kept_;  // of the first blocks
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace hardhead::learner
