#include "learner/mobius/odds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/numeric/decompositions.h"
#include "learner/recorder.h"

namespace hardhead::learner::mobius {
namespace {

/// The monomials v', v, 1, sym(v v'^T) of every pair, N x n. The symmetric part is such that its product with
/// the upper triangle of S is <S, v v'^T> for a symmetric S.
Matrix monomials(const Matrix& v, const Matrix& v_shifted) {
  const Index m = v.cols();
  Matrix out(v.rows(), relation_columns(m));
  out.leftCols(m) = v_shifted;
  out.middleCols(m, m) = v;
  out.col(2 * m).setOnes();
  Index column = 2 * m + 1;
  for (Index a = 0; a < m; ++a)
    for (Index b = a; b < m; ++b, ++column) {
      out.col(column) = v.col(a).cwiseProduct(v_shifted.col(b));
      if (a != b) out.col(column) += v.col(b).cwiseProduct(v_shifted.col(a));
    }
  return out;
}

/// A basis of the null space, n x m.
Matrix null_space(const Matrix& rows, Index m, double noise) {
  const Index n = rows.cols();
  const SingularValues svd = singular_values(rows, SingularVectors::right);
  const Vector& sizes = svd.values;
  const double last = sizes(n - m - 1), null = sizes(n - m);
  // What rounding and noise leave of a singular value that is 0.
  const double floor =
      std::sqrt(static_cast<double>(rows.rows())) * (1e-14 * sizes(0) / std::sqrt(n) + 16 * noise);
  if (null > std::max(floor, 1e-3 * last))
    throw Failed{
        fmt::format("the relations among the odds of {} heads do not hold: a singular value that should be "
                    "0 is {:.2g}, the one before it {:.2g}. The rows of the W_i at a feature are dependent, "
                    "or answers are too far off",
                    m, null, last)};
  return svd.v.rightCols(m);
}

Matrix symmetric_part(const Eigen::Ref<const Vector>& null_vector, Index m) {
  Matrix out(m, m);
  Index entry = 2 * m + 1;
  for (Index a = 0; a < m; ++a)
    for (Index b = a; b < m; ++b, ++entry) out(a, b) = out(b, a) = null_vector(entry);
  return out;
}

/// The common eigenvectors of the symmetric parts, as columns of norm 1: of the random combinations tried,
/// those whose eigenvalues are furthest from each other.
Matrix common_eigenvectors(const std::vector<Matrix>& parts, const Stream& stream) {
  constexpr std::uint64_t tries = 40;
  const Index m = parts.front().rows();
  std::vector<double> random(2 * static_cast<std::size_t>(m));
  Matrix best;
  double best_gap = 0;
  for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
    stream.normals(attempt, random);
    Matrix first = Matrix::Zero(m, m), second = first;
    for (Index t = 0; t < m; ++t) {
      first += random[static_cast<std::size_t>(t)] * parts[static_cast<std::size_t>(t)];
      second += random[static_cast<std::size_t>(m + t)] * parts[static_cast<std::size_t>(t)];
    }
    const GeneralEigen eigen = general_eigen(first * inverse(second));
    const auto& values = eigen.values;
    if (!eigen.converged || values.imag().cwiseAbs().maxCoeff() > 0) continue;
    double gap = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < m; ++i)
      for (Index l = 0; l < i; ++l)
        gap = std::min(gap, std::abs(values(i).real() - values(l).real()) /
                                (std::abs(values(i).real()) + std::abs(values(l).real())));
    if (gap > best_gap) best_gap = gap, best = eigen.vectors.real();
  }
  if (best.size() == 0)
    throw Failed{fmt::format("no combination of the relations has {} different real eigenvalues", m)};
  return best;
}

}  // namespace

Weights weights_by_odds(const Matrix& v, const Matrix& v_shifted, double noise, const Stream& stream) {
  const Index m = v.cols();
  const Matrix basis = null_space(monomials(v, v_shifted), m, noise);
  std::vector<Matrix> parts;
  for (Index t = 0; t < m; ++t) parts.push_back(symmetric_part(basis.col(t), m));
  const Matrix u = m == 1 ? Matrix::Ones(1, 1) : common_eigenvectors(parts, stream);
  const Matrix u_inverse = inverse(u);
  Matrix c(m, m);  // row t: the coefficients of S_t in the u_i u_i^T
  for (Index t = 0; t < m; ++t)
    c.row(t) = (u_inverse * parts[static_cast<std::size_t>(t)] * u_inverse.transpose()).diagonal();
  const Matrix shifted_part = u_inverse * lu_solve(c, Matrix(basis.topRows(m).transpose())).transpose();
  const Matrix plain_part = u_inverse * lu_solve(c, Matrix(basis.middleRows(m, m).transpose())).transpose();
  const Vector nu = lu_solve(c, Vector(basis.row(2 * m).transpose()));

  Weights out{Matrix(m, m), Vector(m), 1};
  for (Index i = 0; i < m; ++i) {
    const double sum = shifted_part(i, i) + plain_part(i, i), inverse_square = sum * sum - 4 * nu(i);
    if (!(inverse_square > 0))
      throw Failed{
          "the scale of a head's weights is not real: heads break a condition of the learner, or answers are "
          "too far off"};
    const double alpha = 1 / std::sqrt(inverse_square);
    out.w.row(i) = alpha * u.col(i).transpose();
    out.beta(i) = (1 + alpha * sum) / 2;
    const double change = 1 / std::abs(alpha * (shifted_part(i, i) - plain_part(i, i)));
    out.least_change = std::min(out.least_change, change);
  }
  return out;
}

}  // namespace hardhead::learner::mobius
