#pragma once
#include <vector>

#include "attention/forward/single_block.h"

namespace hardhead::attention {

/// The forward pass of tokens of signs in single precision, with a bound on its error: labels for screening.
///
///     l_ij = x_r^T Theta_i (x_j - x_k),   p_i = softmax(l_i),   y_r = sum_i W_i^T x_k + sum_ij p_ij W_i^T
///     (x_j - x_k)
///
/// Products with Theta and W go by tables of partial sums in registers (SingleTables), a lane an example.
///
/// Bound on the Euclidean norm of the error of a row of labels, with u = 2^-24, G = d/4 groups, d/8 tiles,
/// S_i the sum of |entries| of Theta_i, R_i the norm of the sums of |entries| of the rows of W_i^T:
///
///     sum_i (2 S_i u (G + 8 + d/8 + 2) + 2 (k + 6) u) sqrt(d) |W_i|_2  +  u (4 G + 4 + 3 m (k - 1)) sum_i
///     R_i
///
/// First term: entries of x_r^T Theta_i err by G u times the sum of |entries| of a column (SingleTables);
/// they are multiplied by numbers of at most 2 and added in tiles of eight; so logits, which are at most 2
/// S_i, err by 2 S_i u (G + 8 + d/8), and the largest that is subtracted adds a rounding of at most 4 S_i u.
/// If the logits of all tokens but the last err by at most e, the pattern errs by at most e in the sum of
/// |entries|, since sum_j p_j |e_j - <p, e>| is at most half the range of the e_j. Exponentials (Highway's,
/// within one unit in the last place), their sum and its inverse add relative errors of (k + 6) u, which
/// count twice, because the weight of the last token is one less the others. A change of a pattern whose sum
/// is 0 changes the label by at most its sum of |entries| times max_j |W_i^T x_j|. Second term: the sums
/// from the tables of W_i, of which the second half are of numbers up to twice as large, those of their sum,
/// products, and sums of m (k - 1) + 1 terms. All of it times 1.01 for products of roundings and for the
/// errors of the label in double, which are 2^29 times smaller.
class SingleForward {
 public:
  /// Which numbers of tokens it is made for.
  static constexpr bool takes(Index k) { return k >= 2 && k <= 4; }

  /// Makes the tables.
  explicit SingleForward(const Layer& layer);

  /// Writes the labels and their error from the signs. Needs takes(block.k).
  void apply(SingleBlock& block, Floats& scratch) const;

 private:
  double error(Index k) const;

  Index d_;
  std::vector<SingleTables> theta_t_, w_t_;
  std::vector<double> largest_value_;  // sqrt(d) |W_i|_2
  SingleTables w_sum_t_;
};

/// Bytes that it keeps.
double single_forward_bytes(Index d, Index m);
/// Bytes of its scratch.
double single_forward_scratch_bytes(Index d, Index k);

}  // namespace hardhead::attention
