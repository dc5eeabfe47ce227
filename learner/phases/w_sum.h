#pragma once
#include <cstdint>

#include "attention/samples/sample_source.h"
#include "base/run/run_context.h"

namespace hardhead::learner {

/// Phase 1: a crude estimate of W_sum = sum_i W_i.
///
/// For a single head frozen at Theta = 0 the attention is uniform, and the loss in W is a linear least
/// squares problem of the mean row of Y on the mean row of X. The error does not vanish with more examples:
/// it is 1/poly(stable rank) relative.
struct CrudeWSum {
  attention::Matrix estimate;  ///< d x d
  /// Share of sum ||mean row of Y||^2 that the estimate explains, at most 1; 0 if all mean rows vanish.
  double explained = 0;
  /// The share that pure chance would explain: d / examples.
  double explained_by_chance = 0;

  /// True if W_sum cannot be told from zero: mean rows of Y vanish, or no more of them is explained than
  /// twice what chance would.
  bool indistinguishable_from_zero() const { return explained <= 2 * explained_by_chance; }
};

/// Practical route: the minimiser.
CrudeWSum estimate_w_sum(const attention::SampleSource& source, std::int64_t examples,
                         const RunContext& context);

/// The paper's route: one gradient step of length 1 from W = 0, What = (1/N) sum_n (1/k) X_n^T J Y_n with J
/// all ones. The population Hessian is the identity for the distributions without a constant feature, so it
/// aims at the same matrix and adds the sampling noise of the Gram matrix. Of a last feature that is the
/// constant 1 the sum over k tokens is k, its square k^2 and not k: the Hessian's last entry is k, and the
/// step there is 1/k.
CrudeWSum gradient_step_w_sum(const attention::SampleSource& source, std::int64_t examples,
                              const RunContext& context);

/// Bytes that either takes at most, besides its result; what the source takes to read is not counted.
double w_sum_bytes(attention::Index d, attention::Index k, std::int64_t examples);

}  // namespace hardhead::learner
