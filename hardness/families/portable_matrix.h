#pragma once
#include "attention/layer/layer.h"
#include "base/numeric/random.h"

/// Matrices made by correctly rounded operations in a fixed order: the same bits on every machine, so that
/// digests of instances are. (Eigen's sums and products depend on the width of vectors.)
namespace hardhead::hardness {

using attention::Index;
using attention::Matrix;

/// rows x columns independent standard normals: item `item` of the stream, row by row.
Matrix gaussian_matrix(const Stream& stream, std::uint64_t item, Index rows, Index columns);

/// rows x columns independent uniforms on [-bound, bound), likewise.
Matrix uniform_matrix(const Stream& stream, std::uint64_t item, Index rows, Index columns, double bound);

/// sum_ab x_ab y_ab, row by row.
double inner_product(const Matrix& x, const Matrix& y);

/// factor * a.
Matrix scaled(double factor, const Matrix& a);

/// `a` scaled to Frobenius norm `norm`; zeros (all +0) for norm 0. `a` must not be zero otherwise.
Matrix of_norm(const Matrix& a, double norm);

/// alpha x + beta y.
Matrix combination(double alpha, const Matrix& x, double beta, const Matrix& y);

/// x y.
Matrix product(const Matrix& x, const Matrix& y);

/// A uniformly random orthogonal matrix as a product of reflections (G. W. Stewart, "The efficient generation
/// of random orthogonal matrices", 1980): of order n from one of order n - 1, by the reflection that takes
/// e_1 to a uniform direction x / ||x||.
Matrix random_orthogonal(const Stream& stream, std::uint64_t item, Index d);

/// The Schatten norm (sum s_i^8)^(1/8): at least the operator norm of `a`, and at most rank^(1/8) times it.
double norm_bound(const Matrix& a);

}  // namespace hardhead::hardness
