#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <vector>

#include "attention/forward/memory.h"
#include "learner/factors/factors.h"
#include "learner/factors/single_factored_products.h"
#include "learner/objective/linearised.h"
#include "learner/objective/theta_curvature.h"

namespace hardhead::learner {

/// Whether the O_i are those that are given, or by least squares, all other factors as they are.
enum class Outputs { given, fitted };

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
class FactoredSquares final : public LinearisedOnBlocks {
 public:
  /// What it may keep of its examples: first a copy in single precision of what heads make of them, for rough
  /// products (single_factored_products.h), if all of it fits into twice as much; then the same in double, of
  /// as many blocks as fit. Layers with many features need more than others; two of these live at a time in
  /// Gauss-Newton.
  static constexpr double default_kept_bytes = 2048.0 * 1024 * 1024;

  /// Throws Stopped, as all that it computes.
  FactoredSquares(const std::vector<Block>& blocks, const Factors& factors, const Stacked& parameters,
                  double kept_bytes = default_kept_bytes, const StopToken& stop = {},
                  Outputs outputs = Outputs::given);
  void move_to(const Stacked& parameters) override;
  /// The O_i by least squares.
  Stacked move_to_best(const Stacked& parameters) override;

  const Stacked& parameters() const { return parameters_; }  ///< the point
  Stacked normal_product(const Stacked& v) const override;
  Stacked rough_normal_product(const Stacked& v) const override;
  bool is_rough() const override { return !single_.empty(); }

  /// Exact in the O_i (the Gram matrix of the hidden features). For the other factors of head i it is what
  /// the stand-in of Linearisation is for Theta_i and W_i, restricted to one factor: with C the mean of
  /// C_r W_i W_i^T C_r, and G the second moment of the attended mean tokens,
  ///
  ///     <dQ, M dQ> = tr dQ K^T C K dQ^T,  <dK, M dK> = tr C dK Q^T Q dK^T,  <dV, M dV> = tr G dV O O^T dV^T.
  ///
  /// To the metric of Q and K together the stand-in's N t t^T is added, t restricted to these factors.
  std::unique_ptr<const Preconditioner> preconditioner() const override;

  /// What it takes for fits of this many examples.
  static Bytes bytes(const PassShape& shape, const Factors& factors, std::int64_t examples,
                     double kept_bytes = default_kept_bytes);

 private:
  // Of a block: queries, keys and values of all heads, patterns, hidden features.
  struct Attended {
    RowMatrix qkv, p, hidden;
  };
  struct Scratch {
    Attended attended;
    RowMatrix residual, change, hidden, logits, extra;
  };
  struct Metric;

  void linearise(bool is_attended);
  void fit_outputs();
  const Attended& attend_again(std::size_t block, Scratch& scratch);
  void set_residual(const Block& block, const Attended& at, Scratch& scratch) const;
  void attend(const Block& block, Attended& at) const;
  const Attended& attended(std::size_t block, Scratch& scratch) const;
  void add_adjoint(const Block& block, const Attended& at, Scratch& scratch, Stacked& sum) const;
  void add_normal_product(std::size_t block, const Stacked& v, Stacked& sum) const;
  void add_second_moment(Index head, const Block& block, const Attended& at, Matrix& sum) const;
  std::vector<Matrix> moments() const;
  std::vector<ThetaCurvature> curvatures() const;

  Factors factors_;
  Stacked parameters_;
  SingleFactoredProducts single_;
  std::vector<Attended> kept_;  // of the first blocks
  mutable tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace hardhead::learner
