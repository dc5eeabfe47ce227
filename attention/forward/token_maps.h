#pragma once
#include <memory>

#include "attention/forward/signs.h"

namespace hardhead::attention {

/// d x d matrices on top of each other, applied to every token of a block: by matrix products, or by tables
/// of partial sums (signs.h) where the tokens are signs. The tables are made when the first such block comes.
/// Copies share them.
class TokenMaps {
 public:
  /// stacked: (number of matrices * d) x d.
  explicit TokenMaps(RowMatrix stacked);

  Index d() const { return stacked_.cols(); }            ///< features
  Index count() const { return stacked_.rows() / d(); }  ///< matrices

  /// out = matrices first .. first + out.rows() / d - 1, times block.x; (rows) x (k count). `signs` has those
  /// of block.x, or is empty.
  void apply(Index first, const Block& block, const Signs& signs, Eigen::Ref<RowMatrix> out) const;

  /// out = rows `row`, a multiple of eight, and following of one matrix, times the tokens behind `signs`.
  void apply_rows(Index matrix, Index row, const Signs& signs, Eigen::Ref<RowMatrix> out) const;

 private:
  struct Tables;
  RowMatrix stacked_;
  std::shared_ptr<Tables> tables_;
};

/// Rows of an image of tokens of signs that a forward pass makes at a time.
inline constexpr Index sign_rows_at_once = 16;

/// Images of the tokens of `block_size` examples that together stay within the second-level cache of most
/// machines; at least 1. The same for a block of any size: it decides the order of sums.
Index maps_at_once(Index d, Index k);

}  // namespace hardhead::attention
