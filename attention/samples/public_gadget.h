#pragma once
#include <cstdint>
#include <functional>
#include <variant>

#include "attention/forward/block.h"

/// What is public of a layer behind a switch (hardness/hardness.h), and told to a learner that asks its
/// values.
namespace hardhead::attention {

/// Of a parity layer: all but the hidden set.
struct ParityGadget {
  Index switch_coordinate = 0;  ///< j0
  double even = 0, odd = 0;     ///< Y_{r,1} / x_{r,j0} where the switch is on, by the parity of h
};

/// Of learning with rounding: all but the secret in Z_q^n.
struct RoundingGadget {
  Index switch_coordinate = 0;       ///< j0 = n log2 q
  std::int64_t n = 0, q = 0, p = 0;  ///< length of the secret, modulus 2^l, number of levels
};

/// What is public of a layer behind a switch; nothing of any other.
using PublicGadget = std::variant<std::monostate, ParityGadget, RoundingGadget>;

/// Intermediate results beside F(X), a chain of thought: for the n-th X of a block, column n has the parities
/// of the first 1, 2, .. m hidden features, each -1 or +1,
///
///     c_t = z_{s_1} .. z_{s_t},   z_j = x_{1j} x_{2j},
///
/// the hidden features in a fixed order (J. Kim, T. Suzuki, arXiv 2410.08633; hints for k-parities).
using Hints = std::function<RowMatrix(const Block&)>;

}  // namespace hardhead::attention
