#pragma once
#include <span>

#include "attention/layer/layer.h"

namespace hardhead::attention {

/// A matrix whose rows lie one after the other in memory.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A matrix in single precision whose rows lie one after the other in memory.
using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A block of examples, laid out so that examples are the fastest index and every inner loop is a plain
/// vector loop over them:
///
///     x, y : d x (k * count), row-major
///     column a * count + n  =  token a of example n
///
///             token 0            token 1
///          n=0 1 2 .. count   n=0 1 2 .. count  ..
///     f=0 [ . . . .         | . . . .         | .. ]
///     f=1 [ . . . .         | . . . .         | .. ]
///
/// One matrix product then applies a d x d matrix to every token of every example.
struct Block {
  Index k = 0, count = 0;  ///< tokens of an example, examples
  RowMatrix x;             ///< tokens
  RowMatrix y;             ///< labels F(X), same layout

  Block() = default;
  /// As resize().
  Block(Index features, Index tokens, Index examples) { resize(features, tokens, examples); }
  /// Keeps the storage when the shape is unchanged; contents are undefined otherwise.
  void resize(Index features, Index tokens, Index examples) {
    k = tokens, count = examples;
    x.resize(features, tokens * examples);
    y.resize(features, tokens * examples);
  }

  /// Features.
  Index d() const { return x.rows(); }
  /// Where a token of an example lies in x and y.
  Index column(Index token, Index example) const { return token * count + example; }
  /// Token a of all examples, d x count; a view.
  auto token(Index a) const { return x.middleCols(a * count, count); }
  /// Row a of all labels, d x count; a view.
  auto label(Index a) const { return y.middleCols(a * count, count); }
};

/// Writes `values`, the x or y of a block of k tokens, as an array [count, k, d] in C order, which is how
/// files and NumPy have it: example by example, token by token.
inline void write_as_array(const RowMatrix& values, Index k, double* array) {
  const Index d = values.rows(), count = values.cols() / k;
  for (Index f = 0; f < d; ++f)
    for (Index a = 0; a < k; ++a) {
      const double* from = values.row(f).data() + a * count;
      for (Index n = 0; n < count; ++n) array[(n * k + a) * d + f] = from[n];
    }
}

/// Which examples, by their indices: first, first + 1, .., or those of a list.
class Examples {
 public:
  Examples(std::int64_t first) : first_(first) {}                         ///< consecutive ones
  Examples(std::span<const std::int64_t> listed) : listed_(listed) {}     ///< of a list that outlives this
  Examples(const std::vector<std::int64_t>& listed) : listed_(listed) {}  ///< likewise
  std::span<const std::int64_t> listed() const { return listed_; }        ///< the list; empty: consecutive
  /// The n-th of them.
  std::int64_t operator[](Index n) const {
    return listed_.empty() ? first_ + n : listed_[static_cast<std::size_t>(n)];
  }

 private:
  std::int64_t first_ = 0;
  std::span<const std::int64_t> listed_{};
};

/// Examples per block wherever a stream is cut into blocks: part of every result's definition, since sums
/// are joined block by block.
inline constexpr Index block_size = 96;
/// Blocks that this many examples are cut into.
constexpr std::int64_t blocks_of(std::int64_t examples) {
  return (examples + block_size - 1) / block_size;
}

}  // namespace hardhead::attention
