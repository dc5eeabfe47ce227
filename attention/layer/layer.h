#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <optional>
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

/// A network behind a layer of heads, applied to every row of F(X) (network.h):
///
///     T(X)_r = N(F(X)_r),   N(u) = B relu(A u + a) + b
///
/// With `residual`, as transformers have it, T(X)_r = u + N(u) at u = x_r + F(X)_r.
struct Network {
  Matrix in{};            ///< A, h x d
  Vector in_bias{};       ///< a, h numbers
  Matrix out{};           ///< B, d x h
  Vector out_bias{};      ///< b, d numbers
  bool residual = false;  ///< whether u is added to N(u), and x_r to F(X)_r

  Index width() const { return in.rows(); }  ///< h, the units
};

/// A multi-head attention layer `F(X) = sum_i softmax(X Theta_i X^T) X W_i`, softmax row by row. The number
/// of tokens k is not part of it: F maps R^{k x d} to R^{k x d} for every k. With a network behind it, it is
/// a one-layer transformer, whose values are T(X). What speaks of heads alone refuses it.
struct Layer {
  Index d = 0;                       ///< features
  std::vector<Head> heads;           ///< m of them
  std::optional<Network> network{};  ///< behind the heads; empty: the layer is F

  Index m() const { return static_cast<Index>(heads.size()); }  ///< heads

  /// sum_i W_i, d x d.
  Matrix w_sum() const;

  /// Throws InputError naming head, matrix and value unless d >= 1, m >= 1, every matrix is d x d and every
  /// entry is finite; likewise of a network, of h >= 1 units.
  void validate() const;
};

}  // namespace hardhead::attention
