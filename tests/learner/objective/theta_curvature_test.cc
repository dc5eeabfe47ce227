#include "learner/objective/theta_curvature.h"

#include <gtest/gtest.h>

#include "learner/objective/lanes.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Matrix;
using attention::RowMatrix;
using attention::Vector;
using testing::NiceSource;

// Attention of a head, k x (k count), and the values of its tokens.
struct AttentionOfBlock {
  RowMatrix p, values;

  AttentionOfBlock(const Block& block, const attention::Head& head)
      : p(block.k, block.x.cols()), values(head.w.transpose() * block.x) {
    for (Index n = 0; n < block.count; ++n)
      for (Index r = 0; r < block.k; ++r) {
        const Vector q = head.theta.transpose() * block.x.col(block.column(r, n));
        Vector share(block.k);
        for (Index j = 0; j < block.k; ++j) share(j) = std::exp(q.dot(block.x.col(block.column(j, n))));
        p.col(block.column(r, n)) = share / share.sum();
      }
  }
};

// By the formulas, one row after the other.
ThetaCurvature by_definition(const Block& block, const Matrix& w, const RowMatrix& p) {
  const Index d = block.d(), k = block.k;
  ThetaCurvature out(d);
  for (Index n = 0; n < block.count; ++n)
    for (Index r = 0; r < k; ++r) {
      Matrix x(d, k);
      for (Index j = 0; j < k; ++j) x.col(j) = block.x.col(block.column(j, n));
      const Vector share = p.col(block.column(r, n)), mean = x * share;
      const Matrix moved = (x * share.asDiagonal() * x.transpose() - mean * mean.transpose()) * w;  // C_r W
      out.spread += moved * moved.transpose();
      if (n < r * block.count / k || n >= (r + 1) * block.count / k) continue;
      const Vector pull = moved.transpose() * x.col(r);
      out.common += moved * pull.normalized() * x.col(r).transpose();
    }
  return out;
}

// Rows that attend to one token lose digits of u_r in single precision.
TEST(ThetaCurvature, IsTheSumOverRowsOfItsDefinition) {
  for (const auto& [spec, digits] : {std::pair("nice:d=6,k=3,m=1,inputs=gaussian", 1e-5),
                                     std::pair("nice:d=5,k=4,m=1,theta_norm=20", 1e-3)}) {
    const NiceSource nice(spec);
    const Block block = testing::block_of(nice, 29);
    const attention::Head& head = nice.layer().heads.front();
    const AttentionOfBlock at(block, head);
    const ThetaCurvature expected = by_definition(block, head.w, at.p);
    ThetaCurvature found(block.d());
    found.add(block, at.p, at.values, at.values);
    EXPECT_LT((found.spread - expected.spread).norm(), 1e-5 * expected.spread.norm()) << spec;
    EXPECT_LT((found.common - expected.common).norm(), digits * expected.common.norm()) << spec;
    EXPECT_EQ(found.spread, found.spread.transpose()) << spec;
    found += expected;
    EXPECT_LT((found.spread - 2 * expected.spread).norm(), 1e-5 * expected.spread.norm()) << spec;
  }
}

// Squares of these values are no single numbers.
TEST(ThetaCurvature, OfTinyAndLargeLabelsIsThatOfOthersInOtherUnits) {
  const NiceSource nice("nice:d=6,k=3,m=1");
  const Block block = testing::block_of(nice, 29);
  const AttentionOfBlock at(block, nice.layer().heads.front());
  ThetaCurvature expected(block.d());
  expected.add(block, at.p, at.values, at.values);
  for (const double unit : {1e-25, 1e25}) {
    const RowMatrix values = unit * at.values;
    ThetaCurvature found(block.d());
    found.add(block, at.p, values, values);
    EXPECT_LT((found.spread / unit / unit - expected.spread).norm(), 1e-6 * expected.spread.norm()) << unit;
    EXPECT_LT((found.common / unit - expected.common).norm(), 1e-5 * expected.common.norm()) << unit;
  }
}

TEST(ThetaCurvature, OfSharesNextToNothingIsNotDenormal) {
  EXPECT_EQ(without_denormals(1e-21), 0);
  EXPECT_EQ(without_denormals(1e-19), 1e-19);
}

}  // namespace
}  // namespace hardhead::learner
