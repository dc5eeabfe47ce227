#include "hardness/families/portable_matrix.h"

#include <cmath>
#include <vector>

namespace hardhead::hardness {
namespace {

Matrix from_rows(const std::vector<double>& entries, Index rows, Index columns) {
  Matrix out(rows, columns);
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < columns; ++b) out(a, b) = entries[static_cast<std::size_t>(a * columns + b)];
  return out;
}

}  // namespace

Matrix gaussian_matrix(const Stream& stream, std::uint64_t item, Index rows, Index columns) {
  std::vector<double> entries(static_cast<std::size_t>(rows * columns));
  stream.normals(item, entries);
  return from_rows(entries, rows, columns);
}

Matrix uniform_matrix(const Stream& stream, std::uint64_t item, Index rows, Index columns, double bound) {
  std::vector<double> entries(static_cast<std::size_t>(rows * columns));
  stream.uniforms(item, entries);
  for (double& entry : entries) entry = bound * (2 * entry - 1);
  return from_rows(entries, rows, columns);
}

double inner_product(const Matrix& x, const Matrix& y) {
  double sum = 0;
  for (Index a = 0; a < x.rows(); ++a)
    for (Index b = 0; b < x.cols(); ++b) sum += x(a, b) * y(a, b);
  return sum;
}

Matrix scaled(double factor, const Matrix& a) {
  Matrix out(a.rows(), a.cols());
  for (Index c = 0; c < a.cols(); ++c)
    for (Index r = 0; r < a.rows(); ++r) out(r, c) = factor * a(r, c);
  return out;
}

Matrix of_norm(const Matrix& a, double norm) {
  if (norm == 0) return Matrix::Zero(a.rows(), a.cols());
  const double squares = inner_product(a, a);
  constexpr double nearly_underflowing = 1e-250;
  if (squares < nearly_underflowing && !a.isZero(0)) return of_norm(scaled(0x1p500, a), norm);
  return scaled(norm / std::sqrt(squares), a);
}

Matrix combination(double alpha, const Matrix& x, double beta, const Matrix& y) {
  Matrix out(x.rows(), x.cols());
  for (Index b = 0; b < x.cols(); ++b)
    for (Index a = 0; a < x.rows(); ++a) out(a, b) = alpha * x(a, b) + beta * y(a, b);
  return out;
}

Matrix product(const Matrix& x, const Matrix& y) {
  Matrix out = Matrix::Zero(x.rows(), y.cols());
  for (Index b = 0; b < y.cols(); ++b)
    for (Index c = 0; c < x.cols(); ++c)
      for (Index a = 0; a < x.rows(); ++a) out(a, b) += x(a, c) * y(c, b);
  return out;
}

Matrix random_orthogonal(const Stream& stream, std::uint64_t item, Index d) {
  const Matrix normals = gaussian_matrix(stream, item, d, d);
  Matrix q = Matrix::Zero(d, d);
  std::vector<double> v(static_cast<std::size_t>(d));
  for (Index first = d - 1; first >= 0; --first) {  // rows and columns first .. d-1 of q
    double square = 0;
    for (Index a = first; a < d; ++a) {
      v[static_cast<std::size_t>(a)] = normals(a, first);
      square += normals(a, first) * normals(a, first);
    }
    const double sign = normals(first, first) < 0 ? -1 : 1, norm = std::sqrt(square);
    v[static_cast<std::size_t>(first)] += sign * norm;
    const double scale = 1 / (norm * std::abs(v[static_cast<std::size_t>(first)]));  // 2 / ||v||^2
    q(first, first) = -sign;
    for (Index b = first; b < d; ++b) {
      double dot = 0;
      for (Index a = first; a < d; ++a) dot += v[static_cast<std::size_t>(a)] * q(a, b);
      for (Index a = first; a < d; ++a) q(a, b) -= scale * dot * v[static_cast<std::size_t>(a)];
    }
  }
  return q;
}

double norm_bound(const Matrix& a) {
  Matrix transposed(a.cols(), a.rows());
  for (Index r = 0; r < a.rows(); ++r)
    for (Index c = 0; c < a.cols(); ++c) transposed(c, r) = a(r, c);
  const Matrix second = a.rows() < a.cols() ? product(a, transposed) : product(transposed, a);
  const Matrix fourth = product(second, second);
  return std::sqrt(std::sqrt(std::sqrt(inner_product(fourth, fourth))));
}

}  // namespace hardhead::hardness
