#include "attention/forward/signs.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "attention/forward/token_products.h"
#include "attention/samples/inputs.h"
#include "tests/simd_targets.h"

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

TEST(Signs, ProductsAreThoseOfTheMatricesOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
    for (const auto& [rows, d, columns] : shapes) {
      const Block block = signs_block(d, 1, columns);
      Signs signs;
      ASSERT_TRUE(signs.take(block.x));
      const RowMatrix matrix = integers(rows, d, 5);
      RowMatrix out(rows, columns);
      SignTables(matrix).apply(signs, out);
      EXPECT_EQ(out, RowMatrix(matrix * block.x))
          << name_of(target) << ": " << rows << " x " << d << " x " << columns;
    }
  });
}

// Entries that no sum has exactly.
RowMatrix fractions(Index rows, Index cols, std::uint64_t seed) {
  return integers(rows, cols, seed) / 7;
}

// What a forward pass of signs consists of, by images that are made as a whole.
struct ByImages {
  RowMatrix logits, labels;

  ByImages(const std::vector<SignTables>& tables, const Signs& signs, const RowMatrix& p, const Block& block)
      : logits(block.k, block.x.cols()), labels(block.d(), block.x.cols()) {
    RowMatrix image(block.d(), block.x.cols());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      tables[i].apply(signs, image);
      if (i == 0) token_products(image, block.x, block.k, block.count, logits);
      (i == 0 ? token_mixtures : add_token_mixtures)(p.middleRows(static_cast<Index>(i) * block.k, block.k),
                                                     image, block.k, block.count, labels);
    }
  }
};

TEST(Signs, LogitsAndMixturesHaveTheBitsOfWholeImagesOnEachTarget) {
  constexpr std::array<Index, 4> sizes[] = {{1, 1, 1, 1},   {4, 2, 2, 9},  {9, 3, 1, 8},   {16, 3, 2, 96},
                                            {13, 4, 3, 21}, {33, 5, 2, 7}, {64, 4, 2, 24}, {67, 7, 2, 13}};
  for (const auto& [d, k, m, count] : sizes) {
    Block block = signs_block(d, k, count);
    std::vector<SignTables> tables;
    for (Index i = 0; i < m; ++i) tables.emplace_back(fractions(d, d, 5 + static_cast<std::uint64_t>(i)));
    const RowMatrix p = fractions(m * k, k * count, 4);
    on_each_simd_target([&](SimdTarget target) {
      Signs signs;
      ASSERT_TRUE(signs.take(block.x));
      const ByImages expected(tables, signs, p, block);
      RowMatrix logits(k, k * count), scratch;
      sign_token_products(tables[0], signs, block, logits);
      sign_token_mixtures(tables, signs, p, scratch, block);
      EXPECT_EQ(logits, expected.logits) << name_of(target) << ": " << d << " " << k << " " << count;
      EXPECT_EQ(block.y, expected.labels) << name_of(target) << ": " << d << " " << k << " " << count;
    });
  }
}

TEST(Signs, WordsHaveEightGroupsSideBySideOnEachTarget) {
  const Block block = signs_block(37, 3, 9);
  on_each_simd_target([&](SimdTarget target) {
    Signs signs;
    ASSERT_TRUE(signs.take(block.x));
    for (Index g = 0; g < signs.groups(); ++g)
      for (Index c = 0; c < signs.columns(); ++c)
        ASSERT_EQ(signs.words()[g / 8 * signs.columns() + c] >> (8 * (g % 8)) & 0xff, signs.group(g)[c])
            << name_of(target) << ": " << g << ", " << c;
  });
}

TEST(Signs, OuterProductsAreAddedToTheSumOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
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
      EXPECT_EQ(sum, expected) << name_of(target) << ": " << rows << " x " << columns << " x " << d;
    }
  });
}

TEST(Signs, ResultsHaveTheSameBitsOnEachTarget) {
  for (const auto& [rows, d, columns] : shapes) {
    const Block block = signs_block(d, 1, columns);
    const RowMatrix matrix = fractions(rows, d, 5), left = fractions(rows, columns, 6);
    std::optional<std::pair<RowMatrix, Matrix>> first;
    on_each_simd_target([&](SimdTarget target) {
      Signs signs, transposed;
      ASSERT_TRUE(signs.take(block.x));
      transposed.take_transposed(signs);
      std::pair<RowMatrix, Matrix> here(RowMatrix(rows, columns), Matrix::Zero(rows, d));
      SignTables(matrix).apply(signs, here.first);
      add_sign_outer(left, transposed, here.second);
      if (!first) first = here;
      EXPECT_EQ(here, *first) << name_of(target) << ": " << rows << " x " << d << " x " << columns;
    });
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

TEST(Signs, AnyOtherEntryIsSeenOnEachTarget) {
  const Block block = signs_block(9, 2, 7);
  on_each_simd_target([&](SimdTarget target) {
    for (const double other : {0.0, -0.0, 0.5, -2.0, 1.0 + 1e-16 + 2.3e-16, -0x1.fffffffffffffp-1,
                               std::numeric_limits<double>::infinity(), std::nan("")})
      for (const Index row : {0, 3, 4, 8})
        for (const Index column : {0, 6, 13}) {
          RowMatrix x = block.x;
          x(row, column) = other;
          Signs signs;
          EXPECT_FALSE(signs.take(x)) << name_of(target) << ": " << other << " at " << row << ", " << column;
          EXPECT_TRUE(signs.empty());
        }
  });
}

TEST(Signs, PatternsAreThoseOfTheEntriesOnEachTarget) {
  const Block block = signs_block(13, 3, 9);
  on_each_simd_target([&](SimdTarget target) {
    Signs signs;
    ASSERT_TRUE(signs.take(block.x));
    for (Index f = 0; f < 13; ++f)
      for (Index c = 0; c < 27; ++c)
        ASSERT_EQ(signs.group(f / 4)[c] >> (3 + f % 4) & 1, block.x(f, c) < 0)
            << name_of(target) << ": " << f << ", " << c;
  });
}

}  // namespace
}  // namespace hardhead::attention
