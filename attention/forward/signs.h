#pragma once
#include <cstdint>
#include <vector>

#include "attention/forward/block.h"
#include "base/numeric/aligned_vector.h"

namespace hardhead::attention {

/// Products with tokens whose entries are all -1 or +1, by the method of four Russians (V. Arlazarov, E.
/// Dinic, M. Kronrod, I. Faradzhev, 1970): four features have sixteen sign patterns, so that a table of
/// sixteen partial sums stands for four multiplications. A product takes a quarter of the additions of a
/// matrix product, no multiplication.
///
/// A token's result depends on its own signs only: it has the same bits in whatever block, and on whichever
/// target (base/numeric/simd.h). Against the exact value its error is that of a sum of d terms.

/// The signs of a block's tokens, four features to a number.
class Signs {
 public:
  /// Takes the signs of x (d x columns). False, and no signs, where an entry is neither -1 nor +1.
  bool take(const RowMatrix& x);
  /// Those of x^T for the x behind `signs`: four columns of x to a number.
  void take_transposed(const Signs& signs);

  bool empty() const { return columns_ == 0; }   ///< no signs were taken
  Index d() const { return d_; }                 ///< features of a token
  Index columns() const { return columns_; }     ///< tokens
  Index groups() const { return (d_ + 3) / 4; }  ///< numbers a token
  /// For each column, 8 sum_{t < 4} 2^t [x(4 group + t, column) < 0]: where its row of eight begins in a
  /// table.
  const std::uint8_t* group(Index g) const { return patterns_.data() + g * columns_; }
  /// The numbers of eight groups side by side, for each eight groups and column. Not of transposed signs.
  const std::uint64_t* words() const { return words_.data(); }
  /// What it keeps.
  double bytes() const { return static_cast<double>(patterns_.size() + 8 * words_.size()); }

 private:
  Index d_ = 0, columns_ = 0;
  std::vector<std::uint8_t> patterns_;
  std::vector<std::uint64_t> words_;
};

/// A matrix, ready to be applied to sign tokens: sixteen partial sums for every four columns, four times its
/// size.
class SignTables {
 public:
  /// Makes the tables of `matrix`, (rows) x d.
  explicit SignTables(const Eigen::Ref<const RowMatrix>& matrix);

  /// out = matrix * x, for the x behind `signs`; (rows) x (columns).
  void apply(const Signs& signs, Eigen::Ref<RowMatrix> out) const;

  /// All sums; [panel of 8 rows][group][pattern][row].
  const double* data() const { return sums_.data(); }

 private:
  Index rows_ = 0, groups_ = 0;
  // [panel of 8 rows][group][pattern][row]; a row is a line of the cache.
  AlignedVector<double> sums_;
};

/// out(j, r count + n) = <M x_r, x_j> of example n for the d x d matrix M behind `tables`; `signs` has those
/// of block.x. The same bits as token_products() of the image.
void sign_token_products(const SignTables& tables, const Signs& signs, const Block& block,
                         Eigen::Ref<RowMatrix> out);

/// block.y(:, r count + n) = sum_i sum_j p(i k + j, r count + n) M_i x_j of example n for the d x d matrices
/// M_i behind `tables`; `scratch` is resized. The same bits as token_mixtures() of the images, head after
/// head.
void sign_token_mixtures(const std::vector<SignTables>& tables, const Signs& signs, const RowMatrix& p,
                         RowMatrix& scratch, Block& block);

/// sum += left * x^T, where `transposed` has the signs of x^T; left: (rows) x (columns), sum: (rows) x d.
void add_sign_outer(const Eigen::Ref<const RowMatrix>& left, const Signs& transposed, Eigen::Ref<Matrix> sum);

}  // namespace hardhead::attention
