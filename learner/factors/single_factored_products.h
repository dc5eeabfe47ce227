#pragma once
#include <vector>

#include "attention/forward/block.h"
#include "attention/forward/memory.h"
#include "base/run/stop_token.h"
#include "learner/factors/factors.h"

namespace hardhead::learner {

/// Products J^T J v of heads in factors, linearised (factored_squares.h), in single precision: as
/// SingleProducts, whose error they have (factored_squares_test.cc bounds it).
class SingleFactoredProducts {
 public:
  /// No examples.
  SingleFactoredProducts() = default;
  /// Takes the tokens of these examples.
  SingleFactoredProducts(const std::vector<Block>& blocks, const Factors& factors);

  /// Whether there is nothing to multiply by.
  bool empty() const { return blocks_.empty(); }
  /// Takes what heads make of a block (FactoredSquares::Attended). To be called for every block before
  /// product(), for different blocks also at the same time.
  void attend(std::size_t block, const RowMatrix& qkv, const RowMatrix& patterns, const RowMatrix& hidden);

  /// J^T J v of all blocks at the layer with these stacked parameters.
  Stacked product(const Stacked& parameters, const Stacked& v, const StopToken& stop) const;

  /// Bytes that it keeps of this many examples, and bytes of a product besides, at most.
  static double bytes(const PassShape& shape, const Factors& factors, std::int64_t examples);
  static double product_bytes(const PassShape& shape, const Factors& factors,
                              std::int64_t examples);  ///< see bytes()

 private:
  // Columns a * columns + n are token a of example n; those past the last example are 0.
  struct Kept {
    Index k = 0, count = 0, columns = 0;
    FloatMatrix x, qkv, patterns, hidden;
  };
  struct Scratch {
    FloatMatrix change, hidden, logits, residual, gradient;
  };

  void tangent(const Kept& block, const FloatMatrix& parameters, const FloatMatrix& v,
               Scratch& scratch) const;
  void adjoint(const Kept& block, const FloatMatrix& parameters, Scratch& scratch) const;

  Factors factors_;
  std::vector<Kept> blocks_;
};

}  // namespace hardhead::learner
