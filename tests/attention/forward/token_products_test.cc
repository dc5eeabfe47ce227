#include "attention/forward/token_products.h"

#include <gtest/gtest.h>

#include "base/numeric/random.h"

namespace hardhead::attention {
namespace {

RowMatrix random(Index rows, Index cols, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * cols));
  Stream(Domain::test, seed).normals(0, numbers);
  return Eigen::Map<RowMatrix>(numbers.data(), rows, cols);
}

// Numbers of tokens with a kernel of their own and without, whole strips of examples and leftovers, and more
// features than are taken at once.
constexpr struct {
  Index d, k, count;
} product_shapes[] = {{1, 1, 1},   {3, 1, 9},   {5, 2, 16},  {17, 2, 21}, {16, 3, 4},
                      {33, 3, 95}, {64, 4, 24}, {40, 4, 13}, {7, 5, 70},  {16, 6, 129}};

constexpr double rounding = 1e-13;

TEST(TokenProducts, AreInnerProductsOfTokens) {
  for (const auto& [d, k, count] : product_shapes) {
    const RowMatrix left = random(d, k * count, 1), right = random(d, k * count, 2);
    RowMatrix out(k, k * count);
    token_products(left, right, k, count, out);
    for (Index n = 0; n < count; ++n)
      for (Index r = 0; r < k; ++r)
        for (Index j = 0; j < k; ++j)
          ASSERT_NEAR(out(j, r * count + n), left.col(r * count + n).dot(right.col(j * count + n)), rounding)
              << d << " " << k << " " << count << ": " << n << " " << r << " " << j;
  }
}

TEST(TokenProducts, MixturesSumOverTokens) {
  for (const auto& [d, k, count] : product_shapes) {
    const RowMatrix tokens = random(d, k * count, 3), weight = random(k, k * count, 4);
    RowMatrix expected = RowMatrix::Zero(d, k * count), adjoint = expected, out = random(d, k * count, 5);
    const RowMatrix before = out;
    for (Index n = 0; n < count; ++n)
      for (Index r = 0; r < k; ++r)
        for (Index j = 0; j < k; ++j) {
          expected.col(r * count + n) += weight(j, r * count + n) * tokens.col(j * count + n);
          adjoint.col(j * count + n) += weight(j, r * count + n) * tokens.col(r * count + n);
        }
    add_token_mixtures(weight, tokens, k, count, out);
    EXPECT_LE((out - before - expected).cwiseAbs().maxCoeff(), rounding) << d << " " << k << " " << count;
    token_mixtures(weight, tokens, k, count, out);
    EXPECT_LE((out - expected).cwiseAbs().maxCoeff(), rounding) << d << " " << k << " " << count;
    token_mixtures_adjoint(weight, tokens, k, count, out);
    EXPECT_LE((out - adjoint).cwiseAbs().maxCoeff(), rounding) << d << " " << k << " " << count;
  }
}

TEST(TokenProducts, AnExampleHasTheSameBitsInWhateverBlock) {
  for (const auto& [d, k, count] : product_shapes) {
    const RowMatrix left = random(d, k * count, 1), right = random(d, k * count, 2),
                    weight = random(k, k * count, 3);
    RowMatrix products(k, k * count), mixtures = left, product(k, k), mixture(d, k);
    token_products(left, right, k, count, products);
    add_token_mixtures(weight, right, k, count, mixtures);
    for (Index n = 0; n < count; ++n) {
      const auto one = [&](const RowMatrix& many) {
        RowMatrix out(many.rows(), k);
        for (Index r = 0; r < k; ++r) out.col(r) = many.col(r * count + n);
        return out;
      };
      token_products(one(left), one(right), k, 1, product);
      EXPECT_EQ(product, one(products)) << d << " " << k << " " << count << ": " << n;
      mixture = one(left);
      add_token_mixtures(one(weight), one(right), k, 1, mixture);
      EXPECT_EQ(mixture, one(mixtures)) << d << " " << k << " " << count << ": " << n;
    }
  }
}

}  // namespace
}  // namespace hardhead::attention
