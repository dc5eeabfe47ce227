#pragma once
#include <algorithm>

#include "attention/forward/block.h"
#include "learner/gradient/student.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {

/// Examples in single precision, laid out as Block: column a * columns + n of x and y is token a
/// of example n. The number of columns is a multiple of `lane`; examples that are missing from the last ones
/// have tokens and labels of zeros, which every student predicts exactly that has no network.
struct FloatBlock {
  Index k = 0, columns = 0;  ///< tokens of an example, examples with those that fill up
  Index count = 0;           ///< examples without them
  FloatMatrix x;             ///< tokens, d x (k columns)
  FloatMatrix y;             ///< labels, d x (k columns)
  FloatMatrix differences;   ///< x_j - x_0 for tokens j = 1 .. k - 1: d x ((k - 1) columns)

  /// Takes the examples of a block in double.
  void take(const Block& block) {
    count = block.count;
    k = block.k;
    columns = whole_lanes(count);
    x.setZero(block.d(), k * columns);
    y.setZero(block.d(), k * columns);
    differences.setZero(block.d(), (k - 1) * columns);
    for (Index a = 0; a < k; ++a) {
      x.middleCols(a * columns, count) = block.token(a).cast<float>();
      y.middleCols(a * columns, count) = block.label(a).cast<float>();
    }
    for (Index a = 1; a < k; ++a)
      differences.middleCols((a - 1) * columns, columns) =
          x.middleCols(a * columns, columns) - x.leftCols(columns);
  }
};

/// Examples of one such block: few enough that what a head makes of them stays in the first caches.
inline Index float_block_size(Index k) {
  return std::max<Index>(lane, 128 / k / lane * lane);
}

/// Bytes of a block of this many columns.
inline double float_block_bytes(Index d, Index k, Index columns) {
  return 4 * static_cast<double>(3 * d * k * columns);
}

}  // namespace hardhead::learner
