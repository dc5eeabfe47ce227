#pragma once
#include <cstdint>
#include <optional>

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

/// The cheapest plan for n coordinates within `samples`; empty if there is none with tables of at most 2^25
/// entries.
std::optional<BkwPlan> plan_bkw(const ProblemParameters& parameters, std::int64_t n, double samples);

}  // namespace hardhead::lwe
