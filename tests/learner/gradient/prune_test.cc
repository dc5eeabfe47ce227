#include "learner/gradient/student.h"

#include <gtest/gtest.h>

#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Head;
using attention::Layer;
using testing::block_of;
using testing::NiceSource;

// Every head as three: the same form, and parts of its projection.
Layer split_in_three(const Layer& layer) {
  Layer out{layer.d, {}};
  for (const double part : {0.5, 0.3, 0.2})
    for (const Head& head : layer.heads) out.heads.push_back({head.theta, part * head.w});
  return out;
}

TEST(MergeHeads, UndoesASplitWithoutError) {
  const NiceSource nice("nice:d=8,k=3,m=3");
  const Layer merged = merge_heads(split_in_three(nice.layer()), 0.01);
  EXPECT_EQ(merged.m(), 3);
  EXPECT_LT(relative_error({block_of(nice, 200)}, merged), 1e-28);
}

TEST(MergeHeads, LeavesOutHeadsWithoutAProjection) {
  const NiceSource nice("nice:d=8,k=3,m=3");
  Layer layer = nice.layer();
  layer.heads.push_back({attention::Matrix::Random(8, 8), 1e-6 * attention::Matrix::Random(8, 8)});
  layer.heads.push_back({attention::Matrix::Random(8, 8), attention::Matrix::Zero(8, 8)});
  EXPECT_EQ(merge_heads(layer, 0.01).m(), 3);
}

TEST(MergeHeads, KeepsDifferentHeadsApart) {
  const NiceSource nice("nice:d=8,k=3,m=4");
  EXPECT_EQ(merge_heads(nice.layer(), 0.2).m(), 4);
  Layer silent = nice.layer();
  for (Head& head : silent.heads) head.w.setZero();
  EXPECT_EQ(merge_heads(silent, 0.2).m(), 0);
}

}  // namespace
}  // namespace hardhead::learner
