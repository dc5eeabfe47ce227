#pragma once
#include <algorithm>
#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "attention/forward/block.h"

namespace hardhead::attention {

/// Floats that begin with a line of the cache, as the widest vectors do.
using Floats = std::vector<float, boost::alignment::aligned_allocator<float, 64>>;

/// Up to block_size examples of tokens of signs in single precision, for screening: what can be ruled out by
/// them need not be looked at in double. Examples are the fastest index, as in Block, and a token always has
/// block_size places, those past the last example with all signs +1 and arbitrary labels.
struct SingleBlock {
  Index k = 0, count = 0;  ///< tokens of an example, examples
  /// For each group of four features and each token, block_size numbers sum_{t < 4} 2^t [x(4 group + t) < 0].
  std::vector<std::uint8_t> signs;
  /// Labels: for each of rows() features and each token, block_size numbers. Features past the last are 0.
  Floats y;
  /// At least the Euclidean distance between any row of labels here and the same in double.
  double error = 0;

  /// All tokens +1; labels undefined.
  void resize(Index features, Index tokens, Index examples);
  /// Takes the examples of a block; false where an entry of x is neither -1 nor +1, or there are more than
  /// block_size examples.
  bool take(const Block& block);
  /// Takes as many examples as there are here from arrays [count, k, d] in C order, which need not be
  /// aligned: tokens of signs, and labels.
  template <class X, class Y>
  void take_arrays(const std::byte* tokens, const std::byte* labels);

  Index d() const { return d_; }                    ///< features
  Index groups() const { return (d_ + 3) / 4; }     ///< of four features
  Index rows() const { return (d_ + 7) / 8 * 8; }   ///< features, filled up to whole tiles of eight
  Index columns() const { return k * block_size; }  ///< places of a group of signs, or of a row of labels
  /// The signs of four features of a token, an example after the other.
  std::uint8_t* group(Index g, Index token) { return signs.data() + g * columns() + token * block_size; }
  /// The labels of a row and feature, an example after the other.
  float* label(Index feature, Index row) { return y.data() + feature * columns() + row * block_size; }

 private:
  void set_error(double largest_norm2);

  Index d_ = 0;
};

template <class X, class Y>
void SingleBlock::take_arrays(const std::byte* tokens, const std::byte* labels) {
  const auto next = []<class T>(const std::byte*& from, T) {
    T value;
    std::memcpy(&value, from, sizeof value);
    from += sizeof value;
    return value;
  };
  double largest = 0;
  for (Index n = 0; n < count; ++n)
    for (Index a = 0; a < k; ++a) {
      for (Index g = 0; g < groups(); ++g) {
        if constexpr (std::is_same_v<X, std::int8_t>)
          if (4 * g + 4 <= d_) {
            // The four sign bits, side by side at the top of the product: no two of its terms meet.
            group(g, a)[n] = static_cast<std::uint8_t>(
                (next(tokens, std::uint32_t{}) >> 7 & 0x01010101U) * 0x10204080U >> 28);
            continue;
          }
        unsigned pattern = 0;
        for (Index t = 0; t < std::min<Index>(4, d_ - 4 * g); ++t)
          pattern |= static_cast<unsigned>(next(tokens, X{}) < 0) << t;
        group(g, a)[n] = static_cast<std::uint8_t>(pattern);
      }
      double norm2 = 0;
      float* to = label(0, a) + n;
      for (Index f = 0; f < d_; ++f, to += columns()) {
        const auto entry = static_cast<double>(next(labels, Y{}));
        norm2 += entry * entry;
        *to = static_cast<float>(entry);
      }
      largest = std::max(largest, norm2);
    }
  set_error(largest);
}

/// Tables of partial sums in single precision for a product matrix * x with tokens of signs (signs.h): for
/// every row and every four columns the sixteen sums, each rounded once from double. Rows in tiles of eight:
/// [tile][group][row of the tile][pattern].
class SingleTables {
 public:
  /// Tables of `matrix`, (rows) x d.
  explicit SingleTables(const Eigen::Ref<const RowMatrix>& matrix);

  const float* data() const { return sums_.data(); }  ///< as above
  Index tiles() const { return tiles_; }              ///< of eight rows
  Index groups() const { return groups_; }            ///< of four columns
  /// Sum of |entries|, and the Euclidean norm of the rows' sums of |entries|. The tables' partial sums of a
  /// row add up to at most its sum r_f of |entries|, so that a product's error is at most
  /// groups u r_f / (1 - groups u) in each row f, u = 2^-24: a rounding of each table entry and groups - 1 of
  /// sums.
  double sum() const { return sum_; }
  double norm() const { return norm_; }  ///< see sum()

 private:
  Index tiles_, groups_;
  double sum_, norm_;
  Floats sums_;
};

/// Bytes of SingleTables of a d x d matrix.
double single_tables_bytes(Index d);

/// Bytes of a SingleBlock.
double single_block_bytes(Index d, Index k);

}  // namespace hardhead::attention
