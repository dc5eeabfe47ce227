#pragma once
#include <cstdint>
#include <optional>

#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// The lattice of the primal attack: of m samples of length n mod q, (e, w s, sigma) is a short vector in
/// dimension d = n + m + 1 and volume sigma w^n q^m, w = max(1, sigma / secret).
struct ShortVectorProblem {
  double n = 0;             ///< entries of the secret
  double q = 2;             ///< modulus
  double noise = 1;         ///< sigma: standard deviation of the noise
  double secret = 1;        ///< standard deviation of an entry of the secret, centred
  double most_samples = 1;  ///< m is at most this

  /// That of a problem. A uniform secret is put into normal form: n of the samples are spent on making the
  /// secret one of n errors. Rounding counts as uniform noise on its window.
  static ShortVectorProblem of(const ProblemParameters& parameters, std::int64_t samples);
};

/// What blocks the primal attack needs, and what they cost, in the core-SVP model:
///
///     success     sigma sqrt(beta) <= delta^(2 beta - d - 1) vol^(1/d)
///     delta       ((pi beta)^(1/beta) beta / (2 pi e))^(1 / (2 (beta - 1)))
///     operations  2^(0.292 beta)
///
/// The condition and the model are of E. Alkim, L. Ducas, T. Poeppelmann, P. Schwabe, "Post-quantum key
/// exchange: a new hope", USENIX Security 2016; experiments on the condition in M. Albrecht, F. Goepfert, F.
/// Virdia, T. Wunderer, "Revisiting the expected cost of solving uSVP", ASIACRYPT 2017. delta is of Y. Chen's
/// thesis, 2013. The exponent is that of the sieve of A. Becker, L. Ducas, N. Gama, T. Laarhoven, SODA 2016.
/// One sieve is counted, none of its polynomial factors: a lower bound. Other attacks (dual, hybrid) can be
/// some bits cheaper.
struct CoreSvp {
  int block = 0;               ///< beta: the least that succeeds for some m
  std::int64_t dimension = 0;  ///< the least d at which it does
  double log2_operations = 0;  ///< 0.292 beta
  /// The probability that the error is short enough, at the d of the widest margin: its part in the last
  /// block has beta entries, and its square is sigma^2 times a chi-square variable.
  double success = 0;
};

/// The least block of 40 and more. Empty where none up to the whole dimension (or 65,536) does.
std::optional<CoreSvp> core_svp(const ShortVectorProblem& problem);

/// P(chi-square of k degrees <= k ratio), by Wilson and Hilferty's cube root (error below 0.01).
double chance_of_length(double k, double ratio);

}  // namespace hardhead::lwe
