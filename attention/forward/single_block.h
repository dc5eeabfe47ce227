#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "attention/forward/block.h"
#include "attention/kernels/array_kernels.h"
#include "base/numeric/aligned_vector.h"

namespace hardhead::attention {

/// Floats that begin with a line of the cache.
using Floats = AlignedVector<float>;

/// Up to block_size examples of tokens of signs in single precision, for screening: what can be ruled out by
/// them need not be looked at in double. Examples are the fastest index, as in Block, and a token always has
/// block_size places, those past the last example with any signs and labels.
struct SingleBlock {
  Index k = 0, count = 0;  ///< tokens of an example, examples
  /// For each group of four features and each token, block_size numbers sum_{t < 4} 2^t [x(4 group + t) < 0].
  std::vector<std::uint8_t> signs;
  /// Labels: for each of rows() features and each token, block_size numbers. Features past the last are 0.
  Floats y;
  /// At least the Euclidean distance between any row of labels here and the same in double.
  double error = 0;
  /// Memory that holds the tokens of the examples after these, where that is known: to ask for meanwhile.
  std::span<const std::byte> next_tokens{};
  std::span<const std::byte> next_labels{};  ///< their labels

  /// All tokens +1; labels undefined; nothing known of what is next. Of the labels only the first `labelled`
  /// features are held.
  void resize(Index features, Index tokens, Index examples, Index labelled);
  /// As above, with all features of the labels.
  void resize(Index features, Index tokens, Index examples) { resize(features, tokens, examples, features); }
  /// Takes the examples of a block; false where an entry of x is neither -1 nor +1, or there are more than
  /// block_size examples.
  bool take(const Block& block);
  /// Takes these examples, as many as there are here, of arrays [.., k, d] in C order, which need not be
  /// aligned: tokens of signs, and labels.
  template <class X, class Y>
  void take_arrays(const std::byte* tokens, const std::byte* labels, const Examples& which);

  Index d() const { return d_; }                          ///< features
  Index groups() const { return (d_ + 3) / 4; }           ///< of four features
  Index labelled() const { return labelled_; }            ///< features of labels
  Index rows() const { return (labelled_ + 7) / 8 * 8; }  ///< these, filled up to whole tiles of eight
  Index columns() const { return k * block_size; }  ///< places of a group of signs, or of a row of labels
  /// The signs of four features of a token, an example after the other.
  std::uint8_t* group(Index g, Index token) { return signs.data() + g * columns() + token * block_size; }
  /// The labels of a row and feature, an example after the other.
  float* label(Index feature, Index row) { return y.data() + feature * columns() + row * block_size; }

 private:
  void set_error(double largest_norm2);
  Index d_ = 0, labelled_ = 0;
};

template <class X, class Y>
void SingleBlock::take_arrays(const std::byte* tokens, const std::byte* labels, const Examples& which) {
  std::array<const std::byte*, block_size> from;
  const auto examples = [&]<class Number>(const std::byte* array, Number, Index taken) {
    const auto bytes = static_cast<std::size_t>(k * d_) * sizeof(Number);
    const Index whole = (count + 7) / 8 * 8;  // past the last example it stands again
    for (Index n = 0; n < whole; ++n)
      from[static_cast<std::size_t>(n)] =
          array + static_cast<std::size_t>(which[std::min(n, count - 1)]) * bytes;
    return ExamplesOfArray{.number = std::is_integral_v<Number>      ? ArrayNumber::byte
                                     : std::is_same_v<Number, float> ? ArrayNumber::single
                                                                     : ArrayNumber::wide,
                           .k = static_cast<std::size_t>(k),
                           .d = static_cast<std::size_t>(d_),
                           .taken = static_cast<std::size_t>(taken),
                           .from = from.data(),
                           .count = static_cast<std::size_t>(whole),
                           .ahead = 8 * bytes,
                           .places = static_cast<std::size_t>(block_size)};
  };
  take_array_signs(examples(tokens, X{}, d_), signs.data());
  set_error(take_array_labels(examples(labels, Y{}, labelled_), y.data()));
}

/// Writes the tokens and the labels of a block as arrays [count, k, d] in C order.
void write_as_arrays(const SingleBlock& block, float* tokens, float* labels);

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
