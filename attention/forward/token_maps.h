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

  /// The tables of all matrices.
  const std::vector<SignTables>& tables() const;

 private:
  struct Tables;
  RowMatrix stacked_;
  std::shared_ptr<Tables> tables_;
};

/// How many matrices' images of the tokens of `block_size` examples take at most 512 KiB together, which is
/// half of the second-level cache of most machines; at least 1.
Index maps_at_once(Index d, Index k);

}  // namespace hardhead::attention
