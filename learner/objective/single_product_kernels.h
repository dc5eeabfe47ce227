#pragma once
#include <cstddef>
#include <cstdint>

namespace hardhead::learner {

/// What single_products.h computes, in plain pointers, since it is compiled with settings of its own, for
/// which other headers must not be compiled. Layouts as in SingleBlock and SingleTables (attention), whose
/// `places` is block_size. Products and sums are rounded one by one, in an order that no target changes:
/// results have the same bits on each of them.

/// Columns of matrices that single_adjoint() makes are filled up to a multiple of this.
inline constexpr std::size_t single_columns = 16;

/// The tables of `matrix`, whose rows of `columns` numbers lie side by side; rows past the last, up to a
/// whole tile of eight, have sums 0.
void make_single_tables(const float* matrix, std::size_t rows, std::size_t columns, float* tables);

/// A block of examples at a layer. With the last token as the origin, D_j = x_j - x_k for j < k.
struct SingleAttended {
  std::size_t k = 0, heads = 0, tiles = 0, groups = 0, places = 0;  ///< sizes; features are 8 tiles
  const std::uint8_t* signs = nullptr;                              ///< of the tokens
  const float* token = nullptr;                                     ///< [r][feature][place]: x_r
  const float* difference = nullptr;                                ///< [j][feature][place]: D_j
  const float* transposed = nullptr;                                ///< [j][place][column]: D_j, then x_k
  const float* pattern = nullptr;                                   ///< [head][r][j][place]: p_i[r, j]
  const float* value = nullptr;  ///< [head][j][feature][place]: V_ij = W_i^T D_j
};

/// y_r = dW_sum^T x_k + sum_i sum_j (dp_i[r,j] V_ij + p_i[r,j] dW_i^T D_j), where
/// dl_i[r,j] = x_r^T dTheta_i D_j and dp = p o (dl - <p, dl>).
struct SingleTangent {
  SingleAttended at;             ///< the block
  const float* theta = nullptr;  ///< for each head the tables of dTheta_i^T
  const float* w = nullptr;      ///< for each head the tables of dW_i^T
  const float* w_sum = nullptr;  ///< tables of the sum of all dW_i^T
  float* y = nullptr;            ///< [feature][r][place]
  float* scratch = nullptr;      ///< k (k - 1) places floats
};
/// The same. Needs 2 <= k, and `places` a multiple of 48.
void single_tangent(const SingleTangent& tangent);

/// The adjoint, for u = y:
///
///     dTheta_i = sum_j K_j D_j^T,                      K_j = sum_r dl_i[r,j] x_r,
///     dl = p o (g - <p, g>),                           g_i[r,j] = u_r . V_ij,
///     dW_i^T = sum_j E_j D_j^T + (sum_r u_r) x_k^T,    E_j = sum_r p_i[r,j] u_r.
struct SingleAdjoint {
  SingleAttended at;          ///< the block
  const float* y = nullptr;   ///< u, as above; 0 in places without an example
  float* gradient = nullptr;  ///< [matrix][row][column]: all dTheta_i, then the first terms of all dW_i^T,
                              ///< then the second, which they share; rows are features, columns filled up
  float* scratch = nullptr;   ///< single_adjoint_scratch() floats
};
/// Floats of scratch for these sizes.
std::size_t single_adjoint_scratch(std::size_t k, std::size_t tiles, std::size_t places);
/// The same. Needs 2 <= k, and `places` a multiple of 48.
void single_adjoint(const SingleAdjoint& adjoint);

}  // namespace hardhead::learner
