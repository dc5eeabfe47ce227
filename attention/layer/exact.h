#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "attention/layer/layer.h"
#include "base/numeric/rational.h"

namespace hardhead::attention {

/// A layer whose outputs on Boolean inputs are rational and known exactly.
///
///     Theta_i = (ln B / 2) N_i,   N_i integer, W_i rational.
///
/// Entries of x_j - x_r are 0 or +-2, so the logit differences x_r^T Theta_i (x_j - x_r) are integer
/// multiples of ln B (single logits are not: subtract the diagonal one first) and exp of them is a power of
/// B. Softmax and outputs are then rational. Matrices are sparse: entries not listed are 0.
struct ExactLayer {
  /// An entry of Theta_i that is not 0: (ln B / 2) half_units.
  struct ThetaEntry {
    Index row, column;        ///< in [0, d)
    std::int64_t half_units;  ///< N_i[row, column]
  };
  /// An entry of W_i that is not 0.
  struct WEntry {
    Index row, column;  ///< in [0, d)
    Rational value;     ///< W_i[row, column]
  };
  /// The listed entries of a head's two matrices.
  struct Head {
    std::vector<ThetaEntry> theta;  ///< of Theta_i
    std::vector<WEntry> w;          ///< of W_i
  };

  Index d = 0;              ///< features
  std::int64_t base = 2;    ///< B >= 2
  std::vector<Head> heads;  ///< m of them

  Index m() const { return static_cast<Index>(heads.size()); }  ///< heads

  /// Throws InputError naming head, entry and constraint unless d >= 1, B >= 2, every index is in [0, d), no
  /// entry is listed twice in a matrix, and every power of B that can occur has at most 2^28 bits:
  /// sum |N_i[a,b]| * log2 B <= 2^28 for every head.
  void validate() const;

  /// The layer in double: every entry correctly rounded (Theta from the correctly rounded (ln B / 2) N, by
  /// MPFR; W from its rational). Throws as validate().
  Layer rounded() const;

  /// Sum of all W_i as a dense d x d array, row-major. Throws as validate().
  std::vector<Rational> w_sum() const;
};

/// F(X) exactly, for X in {-1,+1}^{k x d} row-major. Returns k x d row-major. Throws InputError if the layer
/// is not valid, an entry of x is not +-1 or the size is not a positive multiple of d.
///
/// Row r of head i: e_j = sum_ab x[r,a] N[a,b] (x[j,b] - x[r,b]) / 2, softmax p_j = B^e_j / sum_l B^e_l.
std::vector<Rational> evaluate(const ExactLayer& layer, std::span<const int> x);

}  // namespace hardhead::attention
