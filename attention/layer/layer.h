#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace hardhead::attention {

using Index = Eigen::Index;      ///< sizes and positions, 64 bits
using Matrix = Eigen::MatrixXd;  ///< column-major doubles
using Vector = Eigen::VectorXd;  ///< a column of doubles

/// The last feature of the tokens that a layer is for.
enum class LastFeature {
  varies,  ///< as the others do
  is_one,  ///< is the constant 1: the inputs of a layer with biases
};

/// One attention head: `softmax(X theta X^T) X w`.
struct Head {
  Matrix theta;  ///< d x d, attention form: logit of token j for row r is x_r^T theta x_j (no scaling)
  Matrix w;      ///< d x d, projection: the attended mean token z becomes w^T z
};

/// A multi-head attention layer `F(X) = sum_i softmax(X Theta_i X^T) X W_i`, softmax row by row. The number
/// of tokens k is not part of it: F maps R^{k x d} to R^{k x d} for every k.
struct Layer {
  Index d = 0;              ///< features
  std::vector<Head> heads;  ///< m of them

  Index m() const { return static_cast<Index>(heads.size()); }  ///< heads

  /// sum_i W_i, d x d.
  Matrix w_sum() const;

  /// Throws InputError naming head, matrix and value unless d >= 1, m >= 1, every matrix is d x d and every
  /// entry is finite.
  void validate() const;
};

}  // namespace hardhead::attention
