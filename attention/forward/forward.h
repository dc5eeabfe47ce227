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

/// The forward pass `Y = sum_i softmax(X Theta_i X^T) X W_i` over blocks of examples, in double. A network
/// behind the heads is applied to each row of it (network.h).
///
/// With the heads' matrices stacked, Q = [Theta_1 .. Theta_m]^T X is one (m d) x d by d x (k count) product,
/// and logits are elementwise products of Q and X summed over features. Then either order of the last two
/// products:
///
///     mean tokens first    Z_i = sum_j p_ij x_j,    Y = [W_1; ..; W_m]^T Z        one more stacked product
///     values first         V_i = W_i^T X,           Y = sum_i sum_j p_ij v_ij     a product with X itself
///
/// Where all entries of a block's X are -1 or +1, products with X need no multiplications (signs.h), so
/// values come first; else mean tokens do. A few rows of q or v are then made at a time, and used at once:
/// they stay in the first-level cache.
///
/// Labels of signs have the same bits on whichever target (base/numeric/simd.h).
///
/// Against the exact value the error of an entry of Y is of the order 1e-15 * (1 + largest logit) times
/// sum_i |W_i|; tests/attention/forward/forward_test.cc prints and bounds it.
class Forward {
 public:
  /// Scratch space: one for each thread, reused from call to call. Each member below says what writes it.
  struct Workspace {
    RowMatrix p;  ///< all: (m k) x (k count); row i k + j, column r count + n holds p_i[r, j] of example n
    RowMatrix z;  ///< attend: (m d) x (k count), attended mean tokens
    RowMatrix v;  ///< attend_values: (m d) x (k count), values W_i^T x_j
    Signs signs;  ///< all: of block.x; empty if it has other entries
    Signs transposed;   ///< attend_values: of the transpose of block.x
    RowMatrix scratch;  ///< all: products with Theta, then with W; of tokens of signs, some rows of them
  };

  /// Copies the layer, transposed and stacked.
  explicit Forward(const Layer& layer);

  Index d() const { return theta_t_.d(); }      ///< features
  Index m() const { return theta_t_.count(); }  ///< heads

  /// Writes block.y from block.x. What follows speaks of the heads alone.
  void apply(Block& block, Workspace& workspace) const;

  /// Attention patterns and mean tokens.
  void attend(const Block& block, Workspace& workspace) const;

  /// Attention patterns and values, and what else products with block.x need.
  void attend_values(const Block& block, Workspace& workspace) const;

 private:
  void patterns(const Block& block, Index first, Index heads, Workspace& workspace) const;
  void all_patterns(const Block& block, Workspace& workspace) const;
  void apply_heads(Block& block, Workspace& workspace) const;

  TokenMaps theta_t_;  ///< Theta_i^T
  TokenMaps w_t_;      ///< W_i^T
  RowMatrix w_side_;   ///< d x (m d): W_i^T side by side
  std::optional<Network> network_;
};

/// Attention patterns and mean tokens of one head with attention form `theta`, for a block.
/// p: k x (k count), z: d x (k count), layout as in Forward::Workspace with m = 1.
void attend_one(const Matrix& theta, const Block& block, Forward::Workspace& workspace);

}  // namespace hardhead::attention
