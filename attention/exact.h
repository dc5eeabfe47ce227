#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "attention/layer.h"
#include "base/rational.h"

namespace hardhead::attention {

/// A layer whose outputs on Boolean inputs are rational and known exactly.
///
///     Theta_i = (ln B / 2) N_i,   N_i integer, W_i rational.
///
/// Entries of x_j - x_r are 0 or +-2, so the logit differences x_r^T Theta_i (x_j - x_r) are integer
/// multiples of ln B (single logits are not: subtract the diagonal one first) and exp of them is a power of
/// B. Softmax and outputs are then rational. Matrices are sparse: entries not listed are 0.
struct ExactLayer {
  struct ThetaEntry {
    Index row, column;
    std::int64_t half_units;  ///< N_i[row, column]
  };
  struct WEntry {
    Index row, column;
    Rational value;
  };
  struct Head {
    std::vector<ThetaEntry> theta;
    std::vector<WEntry> w;
  };

  Index d = 0;
  std::int64_t base = 2;  ///< B >= 2
  std::vector<Head> heads;

  Index m() const { return static_cast<Index>(heads.size()); }

  /// The layer in double: every entry correctly rounded (Theta from the correctly rounded (ln B / 2) N, by
  /// MPFR; W from its rational).
  Layer rounded() const;

  /// Sum of all W_i as a dense d x d array, row-major.
  std::vector<Rational> w_sum() const;
};

/// F(X) exactly, for X in {-1,+1}^{k x d} row-major. Returns k x d row-major. Throws InputError if an entry
/// of x is not +-1 or the size is not a multiple of d.
std::vector<Rational> evaluate(const ExactLayer& layer, std::span<const int> x);

}  // namespace hardhead::attention
