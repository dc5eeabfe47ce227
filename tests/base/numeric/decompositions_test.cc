#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

namespace hardhead {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// A network of no units, a layer of no heads: their systems are empty, and so are the solutions.
TEST(Decompositions, OfEmptyMatricesAreEmpty) {
  const MatrixXd none(0, 0), no_columns(5, 0), no_rows(0, 3);
  EXPECT_EQ(symmetric_eigen(none).values.size(), 0);
  EXPECT_EQ(symmetric_eigenvalues(none).size(), 0);
  EXPECT_EQ(general_eigen(none).values.size(), 0);
  EXPECT_EQ(general_eigenvalues(none).values.size(), 0);
  EXPECT_EQ(singular_values(none, SingularVectors::full).values.size(), 0);
  EXPECT_EQ(singular_values(no_columns, SingularVectors::thin).values.size(), 0);
  EXPECT_EQ(least_squares(no_columns, VectorXd(VectorXd::Ones(5))).size(), 0);
  EXPECT_EQ(least_squares(no_columns, MatrixXd(MatrixXd::Ones(5, 2))).cols(), 2);
  EXPECT_EQ(least_squares(no_rows, VectorXd(0)), VectorXd::Zero(3));
  EXPECT_EQ(least_norm_least_squares(no_rows, VectorXd(0), 1e-9), VectorXd::Zero(3));
  EXPECT_EQ(numerical_rank(no_columns), 0);
  EXPECT_EQ(orthonormal(no_columns).cols(), 0);
  EXPECT_EQ(lu_solve(none, VectorXd(0)).size(), 0);
  EXPECT_EQ(lu_solve(none, MatrixXd(0, 2)).cols(), 2);
  EXPECT_EQ(full_lu_solve(none, MatrixXd(0, 2)).cols(), 2);
  EXPECT_EQ(inverse(none).size(), 0);
  EXPECT_EQ(ldlt_solve(none, VectorXd(0)).size(), 0);
  EXPECT_TRUE(cholesky(none));
}

TEST(Decompositions, LeastSquaresSolvesWhatHasASolution) {
  MatrixXd a(4, 2);
  a << 1, 2, 3, 4, 5, 6, 7, 9;
  const VectorXd x = VectorXd::LinSpaced(2, 1, 2);
  EXPECT_LE((least_squares(a, VectorXd(a * x)) - x).norm(), 1e-12);
  EXPECT_LE((least_norm_least_squares(a, a * x, 1e-9) - x).norm(), 1e-12);
  EXPECT_EQ(numerical_rank(a), 2);
}

}  // namespace
}  // namespace hardhead
