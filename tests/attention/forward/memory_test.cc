#include "attention/forward/memory.h"

#include <gtest/gtest.h>

#include <array>

#include "attention/forward/forward.h"

namespace hardhead::attention {
namespace {

double bytes_of(const RowMatrix& matrix) {
  return 8 * static_cast<double>(matrix.size());
}

double bytes_of(const Signs& signs) {
  return signs.empty() ? 0 : signs.bytes();
}

double bytes_of(const Forward::Workspace& at) {
  return bytes_of(at.p) + bytes_of(at.z) + bytes_of(at.v) + bytes_of(at.scratch) + bytes_of(at.signs) +
         bytes_of(at.transposed);
}

Layer layer_of(Index d, Index m) {
  Layer layer{d, {}};
  for (Index i = 0; i < m; ++i) layer.heads.push_back({Matrix::Identity(d, d), Matrix::Identity(d, d)});
  return layer;
}

Block block_of(Index d, Index k, bool signs) {
  Block block(d, k, block_size);
  block.x.setConstant(signs ? 1 : 0.5);
  block.y.setZero();
  return block;
}

TEST(Memory, AWorkspaceTakesWhatIsSaid) {
  for (const bool signs : {true, false})
    for (const auto& [d, k, m] : {std::array<Index, 3>{4, 2, 1}, {16, 3, 5}, {33, 8, 40}, {8, 64, 3}}) {
      const Forward forward(layer_of(d, m));
      const WorkspaceBytes said = workspace_bytes({d, k, m, signs});
      Block block = block_of(d, k, signs);
      Forward::Workspace apply, attend, values;
      for (Forward::Workspace* at : {&apply, &attend, &values}) forward.apply(block, *at);
      forward.attend(block, attend);
      forward.attend_values(block, values);
      EXPECT_EQ(bytes_of(apply), said.apply) << d << " " << k << " " << m;
      EXPECT_EQ(bytes_of(attend), said.attend);
      EXPECT_EQ(bytes_of(values), said.values);
    }
}

TEST(Memory, ExamplesAndLayersAreTheirDoubles) {
  const Block block(5, 3, 7);
  EXPECT_EQ(example_bytes(5, 3, 7), bytes_of(block.x) + bytes_of(block.y));
  EXPECT_EQ(layer_bytes(6, 3), 8 * 3 * 2 * 36);
}

TEST(Memory, TablesOfSignsAreFourTimesTheirMatrices) {
  EXPECT_EQ(token_maps_bytes(16, 3, false), 8 * 3 * 256);
  EXPECT_EQ(token_maps_bytes(16, 3, true), 5 * 8 * 3 * 256);
  EXPECT_EQ(forward_bytes({16, 2, 3, true}), 11 * 8 * 3 * 256);
}

}  // namespace
}  // namespace hardhead::attention
