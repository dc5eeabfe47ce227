#include "learner/certificate/equations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

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

Matrix some_matrix(Index d) {
  return Matrix::NullaryExpr(
      d, d, [](Index i, Index j) { return std::sin(static_cast<double>(3 * i + 5 * j * j + 1)); });
}

// The k dependent equations of the header, as they are written there.
Equations dependent_equations(const Harvest& harvest) {
  const attention::Block& block = harvest.examples;
  const Index d = block.d(), k = block.k;
  Equations out{attention::RowMatrix(block.count * k, d * d), Vector(block.count * k)};
  for (Index e = 0; e < block.count; ++e) {
    const Vector p = harvest.patterns.col(e);
    Vector mean = Vector::Zero(d);
    double mean_log = 0;
    for (Index a = 0; a < k; ++a) {
      mean += p(a) * block.x.col(block.column(a, e));
      mean_log += p(a) * std::log(p(a));
    }
    const Vector row = block.x.col(block.column(harvest.rows[static_cast<std::size_t>(e)].row, e));
    for (Index a = 0; a < k; ++a) {
      const Matrix form = std::sqrt(p(a)) * row * (block.x.col(block.column(a, e)) - mean).transpose();
      out.left.row(e * k + a) = form.reshaped().transpose();
      out.right(e * k + a) = std::sqrt(p(a)) * (std::log(p(a)) - mean_log);
    }
  }
  return out;
}

TEST(Equations, TheIndependentOnesHaveTheSameSecondMomentAsTheDependentOnes) {
  for (const char* spec : {"nice:d=8,k=2,m=2", "nice:d=8,k=3,m=2", "nice:d=8,k=4,m=2"}) {
    const Harvest found = certified(spec, 200);
    const Equations few = independent_equations(found), all = dependent_equations(found);
    EXPECT_EQ(few.left.rows(), 200 * (found.examples.k - 1)) << spec;
    const Matrix expected = all.left.transpose() * all.left;
    EXPECT_LT((few.left.transpose() * few.left - expected).norm(), 1e-13 * expected.norm()) << spec;
    EXPECT_LT((few.left.transpose() * few.right - all.left.transpose() * all.right).norm(),
              1e-13 * expected.norm())
        << spec;
    EXPECT_NEAR(few.right.squaredNorm(), all.right.squaredNorm(), 1e-12 * all.right.squaredNorm()) << spec;
  }
}

TEST(Equations, TheSecondMomentIsTheirAverage) {
  for (const char* spec : {"nice:d=8,k=2,m=2", "nice:d=8,k=3,m=2"}) {
    const Harvest found = certified(spec, 1500);  // more than one chunk of rows
    const Equations all = dependent_equations(found);
    Matrix sides(all.left.rows(), 65);
    sides << all.left, -all.right;
    const Matrix expected = sides.transpose() * sides / static_cast<double>(sides.rows());
    EXPECT_LT((second_moment(found, RunContext{}) - expected).norm(), 1e-13 * expected.norm()) << spec;
  }
}

TEST(Equations, TheResidualIsTheirRootMeanSquare) {
  for (const char* spec : {"nice:d=8,k=2,m=2", "nice:d=8,k=3,m=2"}) {
    const Harvest found = certified(spec, 200);
    const Equations all = dependent_equations(found);
    const Matrix theta = some_matrix(8);
    const double expected =
        (all.left * theta.reshaped() - all.right).norm() / std::sqrt(static_cast<double>(all.right.size()));
    EXPECT_NEAR(equation_residual(found, theta, RunContext{}), expected, 1e-12 * expected) << spec;
  }
}

TEST(Equations, OneHeadSolvesThem) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  EXPECT_LT(equation_residual(certified("nice:d=8,k=3,m=1", 200), nice.layer().heads[0].theta, RunContext{}),
            1e-12);
}

// Tokens that span 6 of 8 dimensions and end in a constant: the equations see P Theta Q and nothing else.
TEST(Equations, WhatTheTokensDoNotSpanIsWeighed) {
  const Index d = 8;
  const NiceSource nice("nice:d=8,k=3,m=1,inputs=gaussian+1");
  const Vector ones = (Vector(d) << Vector::Ones(d - 1), 0).finished().normalized();
  const Matrix p = Matrix::Identity(d, d) - ones * ones.transpose();
  Matrix q = p;
  q(d - 1, d - 1) = 0;
  const MappedSource source(nice.source, p);
  const Harvest found = harvest({source, 0, 3000}, nice.layer().w_sum(), {.keep = 500, .attention_floor = 0},
                                RunContext{}, "hull");
  const Matrix moment = second_moment(found, RunContext{});
  Matrix weighed = moment;
  weigh_unseen(weighed);
  const Matrix theta = some_matrix(d), seen = p * theta * q, unseen = theta - seen;
  const auto form = [](const Matrix& m, const Matrix& at) {
    const auto v = at.reshaped();
    return v.dot(m.topLeftCorner(v.size(), v.size()) * v);
  };
  const double mean = moment.diagonal().head(d * d).mean();
  EXPECT_LT(form(moment, unseen), 1e-12 * form(moment, theta));
  EXPECT_NEAR(form(weighed, unseen), mean * unseen.squaredNorm(), 1e-9 * mean * unseen.squaredNorm());
  EXPECT_NEAR(form(weighed, seen), form(moment, seen), 1e-9 * form(moment, seen));
  EXPECT_EQ(weighed.row(d * d), moment.row(d * d));

  const Harvest full = certified("nice:d=8,k=3,m=2", 500);
  Matrix untouched = second_moment(full, RunContext{});
  weigh_unseen(untouched);
  EXPECT_EQ(untouched, second_moment(full, RunContext{}));
}

TEST(Equations, TheResidualEndsWhenStopped) {
  const Harvest found = certified("nice:d=8,k=3,m=2", 200);
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  EXPECT_THROW(equation_residual(found, some_matrix(8), context), Stopped);
}

}  // namespace
}  // namespace hardhead::learner
