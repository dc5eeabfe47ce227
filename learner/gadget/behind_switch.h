#pragma once
#include "learner/algorithm.h"

/// What learners are told that are told the gadget (hardness/gadget/switch_gadget.h): k = 2 tokens of signs,
/// bits z_j = x_{1j} x_{2j}, the last feature j0 as the switch, which is on where z_{j0} = -1, and labels
/// that are 0 but for Y_{r,1} = x_{r,j0} v, where v depends on the bits alone if the switch is on, and is one
/// number if it is off.
namespace hardhead::learner::behind_switch {

/// Whether z_j = -1 in the n-th example.
inline bool bit(const attention::Block& block, attention::Index j, attention::Index n) {
  return block.token(0)(j, n) * block.token(1)(j, n) < 0;
}

/// v of the n-th example.
inline double value(const attention::Block& block, attention::Index switch_at, attention::Index n) {
  return block.label(0)(0, n) / block.token(0)(switch_at, n);
}

/// Writes the labels of the n-th example whose v is this.
inline void write(attention::Block& block, attention::Index switch_at, attention::Index n, double v) {
  for (attention::Index r = 0; r < block.k; ++r) {
    block.y.col(block.column(r, n)).setZero();
    block.y(0, block.column(r, n)) = v * block.token(r)(switch_at, n);
  }
}

/// Throws Failed for examples of another kind.
void check(const Run& run);
/// Throws Failed for labels that no layer behind a switch has: in another column than the first, or with
/// another v in the second row (by more than 1e-9 of the largest label).
void check_labels(const attention::Block& block);

}  // namespace hardhead::learner::behind_switch
