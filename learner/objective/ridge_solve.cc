#include "learner/objective/ridge_solve.h"

#include <utility>

#include "learner/objective/cholesky.h"

namespace hardhead::learner {

using namespace attention;

Matrix ridge_solve(Matrix gram, const Matrix& right, const StopToken& stop) {
  const double mean_diagonal = gram.trace() / static_cast<double>(gram.rows());
  if (!(mean_diagonal > 0)) return Matrix::Zero(right.rows(), right.cols());
  gram.diagonal().array() += 1e-13 * mean_diagonal;
  return Cholesky(std::move(gram), stop).solve(right);
}

}  // namespace hardhead::learner
