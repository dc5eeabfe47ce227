#pragma once
#include <span>
#include <string>
#include <vector>

#include "lwe/problem/samples.h"

namespace hardhead::lwe {

/// What a claimed secret says of samples, in exact integer arithmetic, without knowing how either was made.
struct Verification {
  bool in_secret_space = false;       ///< n entries below q, of the secret's kind
  bool fits = false;                  ///< and every sample (lpn: enough samples) is as the problem says
  std::int64_t largest_residual = 0;  ///< lwe: max |b - <a,s>|, centred; lwr, lpn: how many labels are wrong
  double residual_rms = 0;            ///< lwe only
  /// log2 of the expected number of wrong secrets that fit as well; see verify().
  double log2_impostors = 0;
  std::string message;  ///< one sentence

  /// Believe it: it fits, and a wrong secret would fit with probability below 2^-20 (by the union bound).
  bool verified() const { return fits && log2_impostors <= -20; }
};

/// Checks `secret` against every sample:
///
///     lwe gaussian   |e_i| <= T (the tail cut) and sum e_i^2 <= sigma^2 (m + 2 sqrt(m t) + 2 t), t = 64 ln 2
///     lwe binary     e_i in {0, 1}
///     lwr            b_i = floor(p h_i / q)
///     lpn            at most rate m + sqrt(t m / 2) wrong labels (Hoeffding: all but 2^-64)
///
/// log2_impostors is log2 |secrets| + m' log2 P(a uniform residual is no larger than the largest one seen),
/// where m' counts rows a_i that are not 0 once each, or for lpn Hoeffding's bound at the wrong labels seen,
/// and infinite with more than half of them. Both take the residuals of a wrong secret to be uniform. Where
/// the coefficients themselves leave secrets that no label tells apart, it is log2 of how many there are at
/// least: x + kernel for a uniform secret (kernel.h); for the others x with one entry changed, or with two
/// that have the same coefficients exchanged, and else |secrets| over the number of labellings q^n /
/// |kernel|, if there is a kernel. Never throws for a wrong secret: the message says what is wrong with it.
/// Throws InputError for parameters or samples that do not fit together.
Verification verify(const ProblemParameters& parameters, const Samples& samples,
                    std::span<const Residue> secret);

/// Throws InputError naming the sample and the value unless there are m n coefficients below q and every b is
/// below q (lwr: below p).
void check_samples(const ProblemParameters& parameters, const Samples& samples);

}  // namespace hardhead::lwe
