#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "attention/layer/layer.h"
#include "base/numeric/rational.h"
#include "base/run/run_context.h"

namespace hardhead::experiments {

/// Gradient descent on a student layer that sees the target only through the oracle STAT(tau): each
/// coordinate p of each gradient is one query.
///
///     phi_p(X, Y) = (d/dp |F(X) - Y|^2 / 2) / B_p,    step p <- p - rate (momentum average of) B_p v_p,
///
/// B_p a bound on the coordinate over all X in {-1,+1}^{k x d} and all labels that the class allows, from
/// |x| = 1 and |z| <= 1 (attention/attention.h): for Theta_i[.,a] the largest sum_r |H_i[a, r]|, for column b
/// of W_i the largest sum_r |F - Y|[b, r]. Means are sums of integers over all 2^(kd) inputs
/// (sq/query/query.h).
///
/// The target is a member of the family `parity`, whose class is all C(d-1, m) members, or any other Boolean
/// instance with k = 2, which is a class of one whose null distribution has labels 0.
struct DescentOptions {
  std::string target = "parity:d=8,m=4,variant=minimal";  ///< spec of the instance
  std::int64_t heads = 4;                                 ///< of the student, 1 .. 64
  Rational tau = Rational(1, 20);                         ///< tolerance, in (0, 1]
  bool adversarial = false;  ///< sq::AdversarialChoice over the class, else the exact means of the target
  std::int64_t steps = 500;  ///< of descent
  double rate = 0.05, momentum = 0.9;  ///< of each step
  std::uint64_t seed = 1;              ///< of the student's start
};

/// The state after `step` steps.
struct DescentPoint {
  std::int64_t step = 0;  ///< 0: the start
  double loss = 0;       ///< relative squared error on the target; adversary: the least over the members left
  double advantage = 0;  ///< 1 - loss / null error
  std::int64_t members_left = 1;  ///< members for which all answers so far are legal
  std::int64_t gave_in = 0;       ///< answers so far for which the null mean was legal for no member left
};

/// A descent, step by step, and a summary of its queries.
struct Descent {
  std::vector<DescentPoint> points;          ///< each step, from 0
  std::int64_t queries = 0, violations = 0;  ///< asked, and answers that broke the promise
  std::int64_t first_gave_in = -1;           ///< the step at which the adversary first gave in; -1 for never
  double null_error = 1;                     ///< of the target's null predictor
};

/// Throws InputError unless the target is an instance with k = 2, Boolean inputs and d <= 8, options are in
/// range, 0 < tau <= 1. Stopped by `context`.
Descent descend(const DescentOptions& options, const RunContext& context = {});

/// Phase 1 of the learner (learner/phases/w_sum.h, the paper's route) by queries: from Theta = 0 and W = 0
/// with one head the gradient in W is -k E[xbar ybar^T], xbar and ybar the mean rows, whose target is -W_sum.
/// d^2 queries.
struct QueriedWSum {
  attention::Matrix estimate;                  ///< d x d
  std::int64_t queries = 0, violations = 0;    ///< as in Descent
  std::int64_t members_left = 1, gave_in = 0;  ///< as in DescentPoint
};

/// Reads target, tau and adversarial of the options; throws as descend().
QueriedWSum query_w_sum(const DescentOptions& options);

}  // namespace hardhead::experiments
