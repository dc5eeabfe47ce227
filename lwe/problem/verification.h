#pragma once
#include <optional>
#include <span>
#include <string>

#include "lwe/problem/challenge.h"
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

  /// What log2_impostors is at most, for a secret to be believed.
  static constexpr double log2_doubt = -20;
  /// Believe it: it fits, and another secret explains the labels as well with probability at most 2^-20.
  bool verified() const { return fits && log2_impostors <= log2_doubt; }
};

/// Checks `secret` against every sample:
///
///     lwe gaussian   |e_i| <= T (the tail cut) and sum e_i^2 <= sigma^2 (m + 2 sqrt(m t) + 2 t), t = 64 ln 2
///     lwe binomial   |e_i| <= eta and the same sum with sigma^2 = eta / 2, of which e is sub-Gaussian
///                    (D. Hsu, S. Kakade, T. Zhang, "A tail inequality for quadratic forms of subgaussian
///                    random vectors", 2012)
///     lwe binary     e_i in {0, 1}
///     lwr            b_i = rounded(h_i) (parameters.h)
///     lpn            at most rate m + sqrt(t m / 2) wrong labels (Hoeffding: all but 2^-64)
///
/// log2_impostors is the largest of three numbers.
///
///  1. Of chance: log2 |secrets| + m' log2 P(a uniform residual is no larger than the largest one seen). lwe
///     gaussian and binomial: or, if that is less, Chernoff's bound of the chance that the squares of m'
///     uniform residuals have a mean of r^2, the one seen, at most: m' log2((1 + sqrt(2 pi) r) sqrt(e) / q).
///     lpn: by Hoeffding's bound, log2 |secrets| - (sum c_a)^2 / (2 ln 2 sum c_a^2), where c_a is how many
///     labels of row a are right minus how many are wrong; infinite with more wrong ones than right ones. So
///     many secrets fit labels that have nothing to do with any, or uniform rows of another secret. With up
///     to 2^12 secrets, where 3. needs no uniform rows, m' is m, and the c_a are 1 and -1; else m' and a
///     count each row that is not 0 once.
///  2. Of the rows' kernel, if there is one (neighbours.h): how many secrets no label tells apart, exactly
///     for a uniform secret; for the others |secrets| over the number of labellings q^n / |kernel|.
///  3. Of the noise: how likely the labels make secrets near this one, relative to it (neighbours.h). With up
///     to 2^12 secrets these are all of them.
///
/// So of up to 2^12 secrets a verified one has been compared exactly with all, whatever the rows; of more
/// with its neighbours, and with the others as if rows were uniform outside of these directions: no proof for
/// rows that were made to mislead. Never throws for a wrong secret: the message says what is wrong with it.
/// Throws InputError for parameters or samples that do not fit together.
Verification verify(const ProblemParameters& parameters, const Samples& samples,
                    std::span<const Residue> secret);

/// The same for a challenge, as the first of its readings() under which the secret verifies; else as the
/// first.
Verification verify(const Challenge& challenge, std::span<const Residue> secret);

/// As many samples of uniform rows let verify() believe the right secret: the least m, within 5%, for
/// which 1. is -20 at most with errors as they are in the median, or with ones that are larger by as many
/// standard deviations. Empty where no m does, because the noise leaves no residue out.
std::optional<double> samples_to_verify(const ProblemParameters& parameters, double deviations = 0);

/// Throws InputError naming the sample and the value unless there are m n coefficients below q and every b is
/// below q (lwr: below p).
void check_samples(const ProblemParameters& parameters, const Samples& samples);

}  // namespace hardhead::lwe
