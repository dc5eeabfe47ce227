#pragma once
#include "attention/forward/block.h"
#include "learner/gradient/student.h"
#include "learner/objective/lanes.h"

namespace hardhead::learner {

/// Examples in single precision, laid out as attention::Block: column a * columns + n of x and y is token a
/// of example n. The number of columns is a multiple of `lane`; examples that are missing from the last ones
/// have tokens and labels of zeros, which every student predicts exactly that has no network.
struct FloatBlock {
  attention::Index k = 0, columns = 0;  ///< tokens of an example, examples with those that fill up
  attention::Index count = 0;           ///< examples without them
  FloatMatrix x;                        ///< tokens, d x (k columns)
  FloatMatrix y;                        ///< labels, d x (k columns)
  FloatMatrix differences;              ///< x_j - x_0 for tokens j = 1 .. k - 1: d x ((k - 1) columns)

  /// Takes the examples of a block in double.
  void take(const attention::Block& block);
  /// Features.
  attention::Index d() const { return x.rows(); }
};

/// Examples of one such block: few enough that what a head makes of them stays in the first caches.
attention::Index float_block_size(attention::Index k);

/// Bytes of a block of this many columns.
double float_block_bytes(attention::Index d, attention::Index k, attention::Index columns);

}  // namespace hardhead::learner
