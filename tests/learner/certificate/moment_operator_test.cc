#include "learner/certificate/moment_operator.h"
#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "base/run/parallel.h"
#include "learner/certificate/equations.h"
#include "tests/learner/certified_rows.h"
#include "tests/learner/mapped_source.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;
using testing::certified;
using testing::MappedSource;
using testing::NiceSource;

Matrix three_vectors(Index size) {
  return Matrix::NullaryExpr(
      size, 3, [](Index i, Index j) { return std::sin(static_cast<double>(7 * i + 5 * i * j + j + 1)); });
}

// The matrix that the operator stands for.
Matrix formed(const Harvest& found, double unit) {
  Matrix moment = second_moment(found, RunContext{});
  weigh_unseen(moment);
  const Index last = moment.rows() - 1;
  moment.col(last) *= unit;
  moment.row(last) *= unit;
  return moment;
}

// Tokens that span 6 of 8 dimensions and end in a constant.
Harvest certified_in_a_subspace() {
  const Index d = 8;
  const NiceSource nice("nice:d=8,k=3,m=1,inputs=gaussian+1");
  const Vector ones = (Vector(d) << Vector::Ones(d - 1), 0).finished().normalized();
  const MappedSource source(nice.source, Matrix::Identity(d, d) - ones * ones.transpose());
  return harvest({source, 0, 3000}, nice.layer().w_sum(), {.keep = 500, .attention_floor = 0}, RunContext{},
                 "hull");
}

void expect_products_of(const Harvest& found) {
  const MomentOperator moment(found, {});
  const Matrix vectors = three_vectors(moment.size()), dense = formed(found, moment.unit());
  const Matrix expected = dense * vectors;
  EXPECT_LT((moment.product(vectors) - expected).norm(), 1e-12 * expected.norm());
  EXPECT_NEAR(moment.scale(), dense.diagonal().head(moment.size() - 1).mean(), 1e-12 * moment.scale());
  EXPECT_NEAR(dense(moment.size() - 1, moment.size() - 1), moment.scale(), 1e-12 * moment.scale());
}

TEST(MomentOperator, ItsProductsAreThoseOfTheSecondMoment) {
  for (const char* spec : {"nice:d=8,k=2,m=2", "nice:d=8,k=3,m=2", "nice:d=8,k=4,m=2"})
    expect_products_of(certified(spec, 1500));  // more than one chunk of rows
}

TEST(MomentOperator, WhatTheTokensDoNotSpanIsWeighed) {
  expect_products_of(certified_in_a_subspace());
}

double condition(const Matrix& a) {
  const Vector sizes = general_eigenvalues(a).values.cwiseAbs();
  return sizes.maxCoeff() / sizes.minCoeff();
}

// Of features whose squares differ by a factor of 64.
TEST(MomentOperator, ThePreconditionerMakesUpForFeaturesOfDifferentSize) {
  const Index d = 8;
  const NiceSource nice("nice:d=8,k=2,m=2");
  const MappedSource source(nice.source, Vector::LinSpaced(d, 0.125, 1).asDiagonal());
  const Harvest found = harvest({source, 0, 20'000}, nice.layer().w_sum(),
                                {.keep = 4000, .attention_floor = 0}, RunContext{}, "hull");
  const MomentOperator moment(found, {});
  const Matrix dense = formed(found, moment.unit()).topLeftCorner(d * d, d * d),
               inverse =
                   moment.precondition(Matrix::Identity(d * d + 1, d * d + 1)).topLeftCorner(d * d, d * d);
  EXPECT_LT(20 * condition(inverse * dense), condition(dense));
}

TEST(MomentOperator, ThePreconditionerIsDefiniteWhereTokensSpanASubspace) {
  const MomentOperator moment(certified_in_a_subspace(), {});
  const Matrix vectors = three_vectors(moment.size());
  for (Index c = 0; c < vectors.cols(); ++c)
    EXPECT_GT(vectors.col(c).dot(moment.precondition(vectors).col(c)), 0);
}

TEST(MomentOperator, OneThreadGivesTheSameBitsAsMore) {
  const Harvest found = certified("nice:d=16,k=2,m=2", 3000);
  const Matrix vectors = three_vectors(16 * 16 + 1);
  Matrix one, more;
  tbb::task_arena(1).execute([&] { one = MomentOperator(found, {}).product(vectors); });
  tbb::task_arena(3).execute([&] { more = MomentOperator(found, {}).product(vectors); });
  EXPECT_EQ(one, more);
}

TEST(MomentOperator, EndsWhenStopped) {
  const Harvest found = certified("nice:d=8,k=2,m=2", 200);
  std::atomic<bool> stop = false;
  const MomentOperator moment(found, StopToken(&stop));
  stop = true;
  EXPECT_THROW(moment.product(three_vectors(moment.size())), Stopped);
}

}  // namespace
}  // namespace hardhead::learner
