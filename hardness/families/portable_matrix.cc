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

}  // namespace hardhead::hardness
