#include "learner/objective/cholesky.h"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include <atomic>

#include "base/numeric/random.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;

Matrix positive_definite(Index size) {
  std::vector<double> numbers(static_cast<std::size_t>(size * size));
  Stream(Domain::test, 1, "cholesky").normals(0, numbers);
  const Matrix a = Eigen::Map<const Matrix>(numbers.data(), size, size);
  return a * a.transpose() + Matrix::Identity(size, size);
}

TEST(Cholesky, HasTheBitsOfEigens) {
  for (const Index size : {1, 7, 31, 32, 100, 300, 1100}) {
    const Matrix a = positive_definite(size), right = Matrix::Identity(size, 3);
    const Eigen::LLT<Matrix> theirs(a);
    const Cholesky ours(a);
    EXPECT_EQ(Matrix(ours.factor().triangularView<Eigen::Lower>()), Matrix(theirs.matrixL())) << size;
    EXPECT_EQ(ours.solve(right), theirs.solve(right)) << size;
  }
}

TEST(Cholesky, IsStoppedOnItsWay) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(Cholesky(positive_definite(50), StopToken(&stop)), Stopped);
}

TEST(Cholesky, EndsWhereAMatrixIsNotPositiveDefinite) {
  EXPECT_NO_THROW(Cholesky(-Matrix::Identity(200, 200)));
}

}  // namespace
}  // namespace hardhead::learner
