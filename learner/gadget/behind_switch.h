#pragma once
#include <fmt/format.h>

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
inline void check(const Run& run) {
  if (run.k() != 2 || run.source.inputs() != attention::Inputs::boolean)
    throw Failed{fmt::format("k = {} and {} inputs: layers behind a switch have 2 tokens of signs", run.k(),
                             name_of(run.source.inputs()))};
}
/// Throws Failed for labels that no layer behind a switch has: in another column than the first, or with
/// another v in the second row (by more than 1e-9 of the largest label).
inline void check_labels(const attention::Block& block) {
  const attention::Index switch_at = block.x.rows() - 1, n = block.count;
  if (block.y.bottomRows(switch_at).cwiseAbs().maxCoeff() > 0)
    throw Failed{"labels are not 0 in columns other than the first, as those behind a switch are"};
  const auto v = [&](attention::Index r) {
    return block.label(r).row(0).leftCols(n).array() / block.token(r).row(switch_at).leftCols(n).array();
  };
  if (((v(0) - v(1)).abs() > 1e-9 * block.y.cwiseAbs().maxCoeff()).any())
    throw Failed{"Y_{1,1} / x_{1,j0} and Y_{2,1} / x_{2,j0} differ: labels behind a switch have one value"};
}

}  // namespace hardhead::learner::behind_switch

/// What the learner `table` and the prediction of its cost share.
namespace hardhead::learner::look_up {

/// Most bits of a table: 2^24 entries of 16 bytes.
inline constexpr attention::Index most_bits = 24;
/// Of reading an example and looking it up: `learn parity:d=20,m=9 --method table --threads 1`.
inline constexpr double seconds_an_example = 4e-7;

/// The examples with which an entry is missing with probability 1/200, if half of them have the switch on:
/// 2 ln 200 2^bits.
std::int64_t examples(attention::Index bits);

}  // namespace hardhead::learner::look_up

/// What the learner `walsh` and the prediction of its cost share.
namespace hardhead::learner::walsh {

/// The chance, from unrelated labels, at which the set of largest correlation is taken for no accident.
inline constexpr double accident = 1e-6;
/// Most sets of a size that are tried unless the learner is told otherwise.
inline constexpr double most_sets = 1e8;
/// Of one set and one word of 64 examples: `learn hard-1h --method walsh:size=8 --threads 1`.
inline constexpr double seconds_a_word = 4.5e-9;
/// Examples that are read first; then twice as many, and so on.
inline constexpr int first_examples = 64;

/// C(features, size), in double: sets of that many features. 1 <= features, 0 <= size <= features.
double sets_of(double features, double size);

}  // namespace hardhead::learner::walsh
