#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "lwe/problem/parameters.h"

namespace hardhead::lwe {

/// How BKW (A. Blum, A. Kalai, H. Wasserman, "Noise-tolerant learning, the parity problem, and the
/// statistical query model", 2003) cuts a problem: `rounds` blocks of at most `block` coordinates are
/// cancelled by subtracting samples that agree there, then the last `tail` coordinates are read off a Fourier
/// transform over Z_q^tail.
///
/// A sample's bias is |E exp(2 pi i e / q)|:
///
///     lwe gaussian  exp(-2 pi^2 sigma^2 / q^2)        lwe binary  cos(pi / q)
///     lwe binomial  cos(pi / q)^(2 eta)
///     lwr           sin(pi D/q) / (D sin(pi/q)), D = ceil(q/p)     lpn  1 - 2 rate
///
/// and 2^rounds of them multiply: N combinations show the secret where N bias^(2^(rounds+1)) exceeds 8 (ln
/// q^tail + 5). Each round keeps at most q^block / 2 samples in its table (q^block for q = 2), which are lost
/// to the next.
struct BkwPlan {
  std::int64_t rounds = 0, block = 0, tail = 0;  ///< as above
  double samples = 0;                            ///< needed in all
  double seconds = 0, memory_bytes = 0;          ///< predicted
};

/// The bias of a sample, as above.
double sample_bias(const ProblemParameters& parameters);

/// The cheapest plan for n coordinates within `samples`; empty if there is none with tables of at most 2^25
/// entries.
std::optional<BkwPlan> plan_bkw(const ProblemParameters& parameters, std::int64_t n, double samples);

/// BKW for q = 2^l, towards the secret mod 2. Let s mod 2^t be known, s = r + 2^t s', and let w = l - t. A
/// combination of samples whose coefficients are all 0 mod 2^(w-1), a = 2^(w-1) v mod 2^w, has
///
///     <a, s> - <a, r> = 2^(l-1) <v, s' mod 2>   (mod q),
///
/// so that the product of its labels' phases tells a parity of s' mod 2, and one Walsh transform over the 2^n
/// values of v tells which s' mod 2 agrees best. Then t grows by one (lifting), up to l.
///
/// Only w - 1 bits of each coefficient are cancelled, where BkwPlan cancels log2 q. Combinations are made in
/// `bits.size()` rounds. A round takes all pairs that agree in so many bits, the *key*, up to sign: M rows
/// have M^2 / 2^bits (1 - t/2) of them, t the share of keys that are their own negatives. (That rows are used
/// in many pairs is "LF2" of E. Levieil, P. Fouque, "An improved LPN algorithm", SCN 2006.)
///
/// Not all of these are new. x - y and x - z have the difference z - y, for each x of their key; the copies,
/// subtracted from each other, are rows of zeros, and zeros beget zeros: all of the 9 10^7 combinations of
/// lwr:n=28 would be zeros. So rows are made distinct before they are subtracted, and differences without
/// coefficients are dropped. Four rows x, y, z, u of one key make x - y - z + u twice, once as (x - y) - (z -
/// u) and once as (x - z) - (y - u). Two of the new rows come from one key with probability P = (8 - 7 t) /
/// (2 - t)^2 / 2^bits. If the next round is cut off at a share f of its differences, 1 - P f / 2 of them are
/// distinct; M counts these.
///
/// With the bias beta of a sample, N combinations of R = 2^rounds samples show s' mod 2 where N beta^(2 R)
/// exceeds c (n ln 2 + 5), c = 2.5 for the first bits and 8 for the others, which are cheap. If the last
/// round has g rows of a key, their pairs sum to half the square of the rows' sum, whose tail is heavier: N
/// beta^R has to exceed 2 g (n ln 2 + 5) as well. With p = 2 levels -s has nearly the labels of s: both are
/// tried.
struct Mod2Plan {
  std::vector<int> bits;                 ///< cancelled in each round
  std::int64_t rows = 0;                 ///< most rows of a round
  std::int64_t samples = 0;              ///< used
  double combinations = 0;               ///< expected after the last round
  double seconds = 0, memory_bytes = 0;  ///< predicted
};

/// The cheapest plan for known = t bits of the secret, within `samples` and 2^27 rows; empty if there is
/// none, or if a row with its phase has more than 128 bits (n w + l + 1).
std::optional<Mod2Plan> plan_bkw_mod2(const ProblemParameters& parameters, std::int64_t samples, int known);

}  // namespace hardhead::lwe
