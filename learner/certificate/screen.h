#pragma once
#include <array>

#include "attention/forward/single_block.h"
#include "learner/attention_names.h"

namespace hardhead::learner {

/// The Euclidean certificate of rows (certify.h) in single precision with a bound on its error: it rules out
/// rows that are not among the best, so that only the others are scored in double. It can do so by the first
/// features of the labels alone, since a residual only grows with further ones.
///
/// Notation: u = 2^-24; n = k - 1; t = y_r - v_k and D = (v_1 - v_k, .., v_n - v_k) are those of double
/// precision, T and E the same as floats, all of them cut to the features that are labelled; c the
/// coefficients found in floats, whatever their error, and rho = T - E c. Four facts carry the bound.
///
/// 1. From T and E to t and D. With ||v|| off by at most eta (SingleTables), y_r by at most epsilon,
///
///        ||T - t|| <= tau = epsilon + eta + u ||T||,    ||E - D||_F <= delta = 2 sqrt(n) eta + u ||E||_F.
///
/// 2. How far c is from a minimiser is told by g = E^T rho, after the fact:
///
///        dist(T, span E) >= ||rho|| - ||g|| / sqrt(lambda),    |c - c(T, E)| <= ||g|| / lambda,
///
///    where lambda is at most the least eigenvalue of E^T E: with L the Cholesky factor found and tr the
///    trace, sigma_min(L)^2 >= det(L)^2 ((n - 1) / ||L||_F^2)^(n - 1), less 2 gamma tr for the rounding of
///    E^T E and of the factorisation; gamma = (d + 8) u covers sums of d products (N. Higham, "Accuracy and
///    Stability of Numerical Algorithms", 2002, sections 3.1 and 10.1). As computed, rho is off by at most
///    2 n u (||T|| + |c|_1 ||E||_F), which enters both.
///
/// 3. A minimiser moves with the data. For a row that is eligible, the coefficients c* in double are part
///    of a pattern, so that |c*|_1 <= 1, and
///
///        dist(t, span D) >= dist(T, span E) - tau - delta;
///
///    for any row, with q = delta / sqrt(lambda) < 1,
///
///        |c(T, E) - c*| <= ((tau + delta |c(T, E)|) / sqrt(lambda) + delta (||T|| + tau) / lambda) / (1 -
///        q).
///
/// 4. Where some features only are labelled, the minimiser of all of them is another one. For a row that is
///    eligible and whose score meets the bound, the residual of all features is at most
///
///        bound pivot min_a p_a <= bound pivot / k,
///
///    and no part of it is larger; so, since c* cannot be far from c(T, E) where E c* is not,
///
///        |c(T, E) - c*| <= (bound pivot / k + tau + delta) / sqrt(lambda).
///
/// Pivots, which are those of all features: a Schur complement is monotone, and an error of at most e in E^T
/// E changes that matrix by a factor in 1 +- e / lambda, an error delta in E by a factor in (1 +- q)^2; so
/// each pivot is right within a factor of 1 +- omega, omega = 2 gamma tr / lambda + q, up to higher orders,
/// which the code's constants cover. Where omega is not small, or where numbers leave the range in which
/// floats round relatively, nothing is ruled out.
class Screen {
 public:
  /// Which numbers of tokens it is made for.
  static constexpr bool takes(Index k) { return k >= 2 && k <= 4; }

  /// For this W_sum^T and this least p_a of an eligible row (HarvestOptions::attention_floor).
  Screen(const RowMatrix& w_t, double attention_floor);

  /// Of each example of a block, whether it has no eligible row with a score of at most the bound, for sure.
  using RuledOut = std::array<bool, attention::block_size>;
  /// Judges the examples of a block by those features of their labels that it holds. Keeps what it allocates
  /// in `scratch`.
  void judge(const SingleBlock& block, double bound, attention::Floats& scratch, RuledOut& ruled_out) const;

 private:
  SingleTables w_t_;
  double floor_;
};

/// Bytes that screening takes in each thread.
double screen_bytes(Index d, Index k);

}  // namespace hardhead::learner
