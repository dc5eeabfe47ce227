#include "learner/certificate/row_content.h"

#include <gtest/gtest.h>

#include <set>

#include "attention/samples/inputs.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Inputs;

Block gaussian_block() {
  Block block(5, 3, 7);
  draw_tokens(Inputs::gaussian, Stream(Domain::samples, 5), 0, block);
  return block;
}

TEST(RowContent, IsThatOfQueryAndTokensInAnyOrder) {
  Block block = gaussian_block();
  const std::uint64_t before = row_content(block, 0, 4);
  const Eigen::VectorXd first = block.x.col(block.column(0, 4));
  block.x.col(block.column(0, 4)) = block.x.col(block.column(2, 4));
  block.x.col(block.column(2, 4)) = first;
  EXPECT_EQ(row_content(block, 2, 4), before);
  EXPECT_NE(row_content(block, 0, 4), before);
}

TEST(RowContent, IsTheSameForMinusX) {
  Block block = gaussian_block();
  block.x.col(block.column(1, 0)).head(2).setZero();
  const std::uint64_t before = row_content(block, 1, 0);
  block.x = -block.x;
  EXPECT_EQ(row_content(block, 1, 0), before);
  block.x.col(block.column(2, 0)) *= -1;
  EXPECT_NE(row_content(block, 1, 0), before);
}

TEST(RowContent, TellsAllEquationsOfSmallBooleanExamplesApart) {
  constexpr Index d = 6;
  std::set<std::uint64_t> contents;
  Block block(d, 2, 1);
  for (int bits = 0; bits < 1 << (2 * d); ++bits) {
    for (Index i = 0; i < 2 * d; ++i) block.x(i % d, i / d) = bits >> i & 1 ? -1 : 1;
    for (const Index row : {0, 1}) contents.insert(row_content(block, row, 0));
  }
  // Queries up to sign times other tokens, equal tokens included.
  EXPECT_EQ(contents.size(), 2048u);
}

}  // namespace
}  // namespace hardhead::learner
