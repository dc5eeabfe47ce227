#pragma once
#include <optional>
#include <vector>

#include "attention/layer/exact.h"
#include "attention/layer/layer.h"
#include "base/numeric/rational.h"

namespace hardhead::hardness {

/// The sum of compact_heads.h as an attention layer behind the switch (switch_gadget.h).
struct CompactLayer {
  attention::Layer layer;                      ///< every entry the double nearest to the solution's
  std::optional<attention::ExactLayer> exact;  ///< for m <= 3, where the solution is rational
  Rational weight_sum;                         ///< W: exact with `exact` or a flat head, else to 2^-200 of it
};

/// Theta_i = (ln(v_i) / 2) diag(s) + (ln(z_i) / 2) e_{j0} e_{j0}^T, W_i = w_i e_{j0} e_1^T: the ramp, the
/// steps from left to right, and with `flat` a head of Theta = 0 and weight -W, which makes W and the
/// constant 0. `s` has a 1 for each of the m hidden features and a 0 for all others. Throws as compact_sum().
CompactLayer compact_layer(const std::vector<std::int64_t>& s, attention::Index switch_coordinate,
                           std::int64_t base, bool flat);

/// Bytes that finding and proving the sum of m bits takes: an upper bound.
double compact_bytes(long m);

}  // namespace hardhead::hardness
