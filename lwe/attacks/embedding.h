#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "lwe/attacks/attack.h"
#include "lwe/attacks/machine_speeds.h"

namespace hardhead::lwe {

/// Kannan's embedding (R. Kannan, "Minkowski's convex body theorem and integer programming", 1987): with h_i
/// = <a_i, s> = t_i - f_i, t_i the middle of what the label allows and f_i small, (f, M) is a short vector of
/// the lattice that the rows span (A is m x n, one sample a row)
///
///     uniform secret (d = m + 1)               small secret (d = m + n + 1)
///
///     [ qI  0 ]  m - n rows: q at the          [ A^T   w I  0 ]  n rows
///     [ R   0 ]  columns without a pivot;      [ q I   0    0 ]  m rows
///     [ t   M ]  n rows [I | C]                [ t     0    M ]
///
/// R = T A^T, reduced mod q, spans the rows of A^T; the short vector is (f, M), or (f, -w s, M).
class Embedding {
 public:
  /// Uses m samples: the first ones, or for a uniform secret such that n of them have an inverse mod q.
  /// Throws Error if the first m + 80 samples have no n of that kind.
  Embedding(const Challenge& challenge, std::int64_t m);

  /// d rows of d integers.
  const std::vector<std::vector<std::int64_t>>& basis() const { return basis_; }

  /// The secret that a lattice vector stands for, if it is (+-f, +-M) with f the residuals of a secret; not
  /// verified.
  Candidate secret_of(std::span<const std::int64_t> vector) const;

 private:
  void embed_uniform(const Challenge& challenge);
  void embed_small(const Challenge& challenge);

  ProblemParameters parameters_;
  std::int64_t m_, factor_, scale_ = 1;
  std::vector<std::int64_t> chosen_;        ///< the samples used, m of them
  std::vector<std::int64_t> target_;        ///< t
  std::vector<std::int64_t> pivots_;        ///< uniform: samples whose columns of R are the identity
  std::vector<std::vector<Residue>> undo_;  ///< uniform: T
  std::vector<std::vector<std::int64_t>> basis_;
};

/// The samples without which there is no embedding: n + 1, or one of a small secret.
std::int64_t least_samples(const ProblemParameters& parameters);

/// How hard an embedding has to be reduced: its dimension, and the BKZ block that should do (2: LLL).
struct EmbeddingPlan {
  std::int64_t m = 0, dimension = 0;  ///< samples used, d
  int block = 0;            ///< 0: none up to largest_block should do, and seconds are those of trying it
  double margin_bits = 0;   ///< log2 of the gap over delta(block)^d; below 0 for block 0
  double seconds = 0;       ///< predicted: LLL and all blocks up to it
  std::int64_t widest = 0;  ///< samples of the widest margin for largest_block; m at least
  /// The probability that the error is short enough for that margin (core_svp.h: chance_of_length, of d).
  double success = 0;
};

/// The cheapest block and number of samples for which the gap of the embedding,
///
///     sqrt(d / (2 pi e)) vol^(1/d) / |(f, M)|,
///     log2 vol = (m - n) log2 q + log2 M     (small secrets: m log2 q + n log2 w + log2 M),
///
/// exceeds 0.7 delta(block)^d, delta and seconds those of `model`. A heuristic (N. Gama, P. Nguyen,
/// "Predicting lattice reduction", EUROCRYPT 2008, who find 1.0219 for LLL and constants of 0.18 to 0.48).
EmbeddingPlan plan_embedding(const ProblemParameters& parameters, std::int64_t samples,
                             const ReductionModel& model = machine.ntl);

/// One embedding to reduce, and the blocks to go to.
struct EmbeddingAttempt {
  std::int64_t m = 0;  ///< samples
  int block = 0;       ///< the largest
};

/// What is tried, one after the other: the plan, and blocks up to 10 larger; then, since an error may be
/// longer than most, more samples up to `widest` and larger blocks, up to largest_block.
std::vector<EmbeddingAttempt> attempts(const EmbeddingPlan& plan);

}  // namespace hardhead::lwe
