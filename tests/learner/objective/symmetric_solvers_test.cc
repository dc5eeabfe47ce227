#include "learner/objective/symmetric_solvers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;

Matrix any_matrix(Index rows, Index columns) {
  return Matrix::NullaryExpr(rows, columns, [](Index i, Index j) {
    return std::sin(static_cast<double>(3 * i + 5 * j * j + 7 * i * j + 1));
  });
}

// Of these eigenvalues, with eigenvectors in general position.
Matrix with_spectrum(const Vector& values) {
  const Matrix axes = householder_q(any_matrix(values.size(), values.size()));
  return axes * values.asDiagonal() * axes.transpose();
}

SymmetricOperator plain(const Matrix& a) {
  return {[&a](const Matrix& v) -> Matrix { return a * v; }, [](const Matrix& v) { return v; }};
}

// Three eigenvalues far below a bulk of 297.
Vector three_and_a_bulk() {
  Vector values = Vector::LinSpaced(300, 0.4, 1.8);
  values.head(3) << 1e-6, 1e-5, 1e-3;
  return values;
}

TEST(SmallestEigenpairs, WhatLiesFarBelowABulkHasItsDigits) {
  const Vector values = three_and_a_bulk();
  const Matrix a = with_spectrum(values);
  const Eigenpairs found = smallest_eigenpairs(plain(a), any_matrix(300, 6), {});
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(found.values(i), values(i), 0.01 * values(i)) << i;
  EXPECT_GE(found.values(3), 0.4 * (1 - 1e-9));
  EXPECT_LT(found.values(3), 0.4 * 1.1);
  EXPECT_LT((found.vectors.transpose() * found.vectors - Matrix::Identity(6, 6)).norm(), 1e-12);
  const Matrix bottom = found.vectors.leftCols(3);
  EXPECT_LT((a * bottom - bottom * found.values.head(3).asDiagonal()).norm(), 1e-3);
}

TEST(SmallestEigenpairs, EqualOnesAreAllFound) {
  Vector values = Vector::LinSpaced(200, 0.5, 1.5);
  values.head(4).setConstant(1e-4);
  const Matrix a = with_spectrum(values);
  const Eigenpairs found = smallest_eigenpairs(plain(a), any_matrix(200, 5), {});
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(found.values(i), 1e-4, 1e-6) << i;
  EXPECT_GE(found.values(4), 0.5 * (1 - 1e-9));
}

// A span that is nearly everything leaves no room for a second block.
TEST(SmallestEigenpairs, OfASmallMatrixAreFound) {
  Vector values = Vector::LinSpaced(12, 1, 2);
  values(0) = 0.01;
  const Matrix a = with_spectrum(values);
  EXPECT_NEAR(smallest_eigenpairs(plain(a), any_matrix(12, 3), {}).values(0), 0.01, 1e-4);
}

TEST(SmallestEigenpairs, EndWhenStopped) {
  const std::atomic<bool> stop = true;
  const Matrix a = with_spectrum(three_and_a_bulk());
  EXPECT_THROW(smallest_eigenpairs(plain(a), any_matrix(300, 6), StopToken(&stop)), Stopped);
}

TEST(ConjugateGradients, SolveWithAndWithoutAPreconditioner) {
  const Matrix a = with_spectrum(three_and_a_bulk());
  const Vector x = any_matrix(300, 1), b = a * x;
  EXPECT_LT((conjugate_gradients(plain(a), b, {}) - x).norm(), 1e-4 * x.norm());
  const Matrix inverted = inverse(a);
  const SymmetricOperator conditioned{[&](const Matrix& v) -> Matrix { return a * v; },
                                      [&](const Matrix& v) -> Matrix { return inverted * v; }};
  EXPECT_LT((conjugate_gradients(conditioned, b, {}) - x).norm(), 1e-8 * x.norm());
}

TEST(ConjugateGradients, OfNothingAreNothing) {
  const Matrix a = Matrix::Identity(5, 5);
  EXPECT_EQ(conjugate_gradients(plain(a), Vector::Zero(5), {}), Vector::Zero(5));
}

TEST(ConjugateGradients, EndWhenStopped) {
  const std::atomic<bool> stop = true;
  const Matrix a = Matrix::Identity(5, 5);
  EXPECT_THROW(conjugate_gradients(plain(a), Vector::Ones(5), StopToken(&stop)), Stopped);
}

}  // namespace
}  // namespace hardhead::learner
