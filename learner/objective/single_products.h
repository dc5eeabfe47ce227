#pragma once
#include <vector>

#include "attention/forward/forward.h"
#include "attention/forward/single_block.h"
#include "base/run/stop_token.h"
#include "learner/objective/loss.h"

namespace hardhead::learner {

/// Products J^T J v of a linearised layer (least_squares.h) in single precision, for tokens of signs: for
/// conjugate gradients far from their solution, some twice as fast as those in double.
///
/// The last token is the origin, since a softmax does not see a number that is added to all logits: with D_j
/// = x_j - x_k and V_ij = W_i^T D_j, sums over tokens have k - 1 terms in place of k
/// (single_product_kernels.h). Products with dTheta and dW go by tables of partial sums in registers
/// (sign_lookup-inl.h), a lane an example.
///
/// The error, which least_squares_test.cc prints and bounds, is that of sums in single precision over an
/// example's features and over the tokens of a block; sums over blocks are in double. Results have the same
/// bits for any number of threads and on any target.
class SingleProducts {
 public:
  /// No examples.
  SingleProducts() = default;
  /// For a layer of m heads. Takes the tokens of these examples, if they are all signs and k >= 2; else it is
  /// empty.
  SingleProducts(const std::vector<Block>& blocks, Index m);

  /// Whether there is nothing to multiply by.
  bool empty() const { return blocks_.empty(); }
  /// Takes the patterns and values of a block from what Forward::attend_values wrote. To be called for every
  /// block before product(), for different blocks also at the same time.
  void attend(std::size_t block, const Forward::Workspace& attended);

  /// J^T J v of all blocks.
  Stacked product(const Stacked& v, const StopToken& stop) const;

  /// Bytes that it keeps of this many examples, and bytes of a product besides, at most.
  static double bytes(const PassShape& shape, std::int64_t examples);
  static double product_bytes(const PassShape& shape, std::int64_t examples);  ///< see bytes()

 private:
  struct Kept {
    SingleBlock tokens;
    attention::Floats token, difference, transposed, pattern, value;  // as SingleAttended has them
  };
  struct Direction;

  void add_product(const Kept& block, const Direction& direction, attention::Floats& scratch,
                   Stacked& sum) const;

  Index m_ = 0;
  std::vector<Kept> blocks_;
};

}  // namespace hardhead::learner
