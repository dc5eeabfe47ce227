#include "attention/forward/signs.h"

#include <gtest/gtest.h>

#include "attention/samples/inputs.h"

namespace hardhead::attention {
namespace {

Block signs_block(Index d, Index k, Index count) {
  Block block(d, k, count);
  draw_tokens(Inputs::boolean, Stream(Domain::test, 3), 0, block);
  return block;
}

// Small integers: sums of them are exact, so that results can be compared for equality.
RowMatrix integers(Index rows, Index cols, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * cols));
  Stream(Domain::test, seed).normals(0, numbers);
  return (Eigen::Map<RowMatrix>(numbers.data(), rows, cols) * 100).array().round();
}

constexpr struct {
  Index rows, d, columns;
} shapes[] = {{1, 1, 1},   {1, 4, 4},   {8, 4, 8},   {7, 3, 5},     {9, 5, 66},  {32, 16, 288},
              {33, 13, 6}, {16, 64, 7}, {5, 65, 65}, {64, 33, 130}, {12, 1, 64}, {3, 2, 63}};

TEST(Signs, ProductsAreThoseOfTheMatrices) {
  for (const auto& [rows, d, columns] : shapes) {
    const Block block = signs_block(d, 1, columns);
    Signs signs;
    ASSERT_TRUE(signs.take(block.x));
    const RowMatrix matrix = integers(rows, d, 5);
    RowMatrix out(rows, columns);
    SignTables(matrix).apply(signs, out);
    EXPECT_EQ(out, RowMatrix(matrix * block.x)) << rows << " x " << d << " x " << columns;
  }
}

TEST(Signs, OuterProductsAreAddedToTheSum) {
  for (const auto& [rows, d, columns] : shapes) {
    const Block block = signs_block(d, 1, columns);
    Signs signs, transposed;
    ASSERT_TRUE(signs.take(block.x));
    transposed.take_transposed(signs);
    const RowMatrix left = integers(rows, columns, 6);
    const Matrix before = integers(rows + 2, d, 7);
    Matrix sum = before, expected = before;
    expected.middleRows(1, rows) += left * block.x.transpose();
    add_sign_outer(left, transposed, sum.middleRows(1, rows));
    EXPECT_EQ(sum, expected) << rows << " x " << columns << " x " << d;
  }
}

TEST(Signs, TransposedAreThoseOfTheTransposedTokens) {
  const Block block = signs_block(13, 3, 9);
  Signs signs, transposed, of_transpose;
  ASSERT_TRUE(signs.take(block.x));
  transposed.take_transposed(signs);
  ASSERT_TRUE(of_transpose.take(block.x.transpose()));
  ASSERT_EQ(transposed.groups(), of_transpose.groups());
  for (Index g = 0; g < transposed.groups(); ++g)
    for (Index c = 0; c < transposed.columns(); ++c)
      EXPECT_EQ(transposed.group(g)[c], of_transpose.group(g)[c]) << g << ", " << c;
}

TEST(Signs, AnyOtherEntryIsSeen) {
  const Block block = signs_block(9, 2, 7);
  for (const double other : {0.0, -0.0, 0.5, -2.0, 1.0 + 1e-16 + 2.3e-16, -0x1.fffffffffffffp-1,
                             std::numeric_limits<double>::infinity(), std::nan("")})
    for (const Index row : {0, 3, 4, 8})
      for (const Index column : {0, 6, 13}) {
        RowMatrix x = block.x;
        x(row, column) = other;
        Signs signs;
        EXPECT_FALSE(signs.take(x)) << other << " at " << row << ", " << column;
        EXPECT_TRUE(signs.empty());
      }
}

}  // namespace
}  // namespace hardhead::attention
