#include "learner/objective/cholesky.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hardhead::learner {
namespace {

// Column by column, in place. False where a pivot is not positive.
bool factor_panel(Eigen::Ref<Matrix> a) {
  for (Index c = 0; c < a.rows(); ++c) {
    const Index below = a.rows() - c - 1;
    const auto row = a.row(c).head(c);
    double pivot = a(c, c);
    if (c > 0) pivot -= row.squaredNorm();
    if (!(pivot > 0)) return false;
    pivot = std::sqrt(pivot);
    a(c, c) = pivot;
    if (below == 0) continue;
    auto column = a.col(c).tail(below);
    if (c > 0) column.noalias() -= a.bottomLeftCorner(below, c) * row.transpose();
    column /= pivot;
  }
  return true;
}

}  // namespace

Cholesky::Cholesky(Matrix a, const StopToken& stop) : factor_(std::move(a)) {
  const Index size = factor_.rows();
  const Index width = size < 32 ? size : std::clamp<Index>(size / 8 / 16 * 16, 8, 128);
  for (Index first = 0; first < size; first += width) {
    stop.check();
    const Index columns = std::min(width, size - first), below = size - first - columns;
    auto panel = factor_.block(first, first, columns, columns);
    if (!factor_panel(panel)) return;
    if (below == 0) return;
    auto left = factor_.block(first + columns, first, below, columns);
    panel.adjoint().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(left);
    factor_.bottomRightCorner(below, below).selfadjointView<Eigen::Lower>().rankUpdate(left, -1.0);
  }
}

Matrix Cholesky::solve(Matrix right) const {
  factor_.triangularView<Eigen::Lower>().solveInPlace(right);
  factor_.adjoint().triangularView<Eigen::Upper>().solveInPlace(right);
  return right;
}

void add_ridge(Matrix& a) {
  a.diagonal().array() += 1e-8 * (a.trace() / static_cast<double>(a.rows()) + 1e-300);
}

RidgedMatrix::RidgedMatrix(Matrix a, const StopToken& stop) : matrix(std::move(a)) {
  add_ridge(matrix);
  factor = Cholesky(matrix, stop);
}

Matrix ridge_solve(Matrix gram, const Matrix& right, const StopToken& stop) {
  const double mean_diagonal = gram.trace() / static_cast<double>(gram.rows());
  if (!(mean_diagonal > 0)) return Matrix::Zero(right.rows(), right.cols());
  gram.diagonal().array() += 1e-13 * mean_diagonal;
  return Cholesky(std::move(gram), stop).solve(right);
}

}  // namespace hardhead::learner
