#include "attention/forward/token_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "base/numeric/random.h"
#include "tests/simd_targets.h"

namespace hardhead::attention {
namespace {

RowMatrix random(Index rows, Index cols, std::uint64_t seed) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * cols));
  Stream(Domain::test, seed).normals(0, numbers);
  return Eigen::Map<RowMatrix>(numbers.data(), rows, cols);
}

// Numbers of tokens with a kernel of their own and without, whole vectors of examples and leftovers, and more
// features than are taken at once.
constexpr struct {
  Index d, k, count;
} product_shapes[] = {{1, 1, 1},   {3, 1, 9},   {5, 2, 16},  {17, 2, 21}, {16, 3, 4},
                      {33, 3, 95}, {64, 4, 24}, {40, 4, 13}, {7, 5, 70},  {16, 6, 129}};

constexpr double rounding = 1e-13;

TEST(TokenProducts, AreInnerProductsOfTokensOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
    for (const auto& [d, k, count] : product_shapes) {
      const RowMatrix left = random(d, k * count, 1), right = random(d, k * count, 2);
      RowMatrix out(k, k * count);
      token_products(left, right, k, count, out);
      for (Index n = 0; n < count; ++n)
        for (Index r = 0; r < k; ++r)
          for (Index j = 0; j < k; ++j)
            ASSERT_NEAR(out(j, r * count + n), left.col(r * count + n).dot(right.col(j * count + n)),
                        rounding)
                << name_of(target) << ": " << d << " " << k << " " << count << ": " << n << " " << r << " "
                << j;
    }
  });
}

TEST(TokenProducts, MixturesSumOverTokensOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
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
      const auto largest = [](const auto& off) { return off.cwiseAbs().maxCoeff(); };
      add_token_mixtures(weight, tokens, k, count, out);
      EXPECT_LE(largest(out - before - expected), rounding)
          << name_of(target) << ": " << d << " " << k << " " << count;
      token_mixtures(weight, tokens, k, count, out);
      EXPECT_LE(largest(out - expected), rounding) << d << " " << k << " " << count;
      token_mixtures_adjoint(weight, tokens, k, count, out);
      EXPECT_LE(largest(out - adjoint), rounding) << d << " " << k << " " << count;
    }
  });
}

// The largest relative error of an entry over 1 + the distance of its logit from the largest, which is
// rounded before it is an exponent.
double worst_of_softmax(const RowMatrix& logits) {
  RowMatrix p = logits;
  softmax(p);
  double worst = 0;
  for (Index c = 0; c < p.cols(); ++c) {
    const long double largest = logits.col(c).maxCoeff();
    long double sum = 0;
    for (Index j = 0; j < p.rows(); ++j) sum += std::exp(logits(j, c) - largest);
    for (Index j = 0; j < p.rows(); ++j) {
      const long double below = largest - logits(j, c), expected = std::exp(-below) / sum,
                        off = p(j, c) - expected;
      if (expected > 1e-307L)
        worst = std::max(worst, static_cast<double>(std::abs(off) / expected / (1 + below)));
      else
        EXPECT_LE(p(j, c), 1e-307) << logits.col(c).transpose();
    }
  }
  return worst;
}

TEST(TokenProducts, SoftmaxIsAccurateOnEachTarget) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  on_each_simd_target([](SimdTarget target) {
    for (const Index entries : {1, 2, 3, 4, 5, 9})
      for (const double scale : {1e-20, 1e-3, 1.0, 30.0, 400.0, 1e6, 1e300})
        EXPECT_LE(worst_of_softmax(scale * random(entries, 1003, 8)), 4 * epsilon)
            << name_of(target) << ": " << entries << " entries of size " << scale;
  });
}

TEST(TokenProducts, SoftmaxJacobianIsThatOfTheFormula) {
  on_each_simd_target([](SimdTarget) {
    RowMatrix p = random(5, 37, 9), v = random(5, 37, 10);
    softmax(p);
    RowMatrix expected = v;
    for (Index c = 0; c < v.cols(); ++c)
      expected.col(c) = (Matrix(p.col(c).asDiagonal()) - p.col(c) * p.col(c).transpose()) * v.col(c);
    softmax_jacobian(p, v);
    EXPECT_LE((v - expected).cwiseAbs().maxCoeff(), 1e-15);
  });
}

TEST(TokenProducts, ResultsHaveTheSameBitsOnEachTarget) {
  for (const auto& [d, k, count] : product_shapes) {
    const RowMatrix left = random(d, k * count, 1), right = random(d, k * count, 2);
    std::optional<std::vector<RowMatrix>> first;
    on_each_simd_target([&](SimdTarget target) {
      RowMatrix products(k, k * count), mixtures(d, k * count);
      token_products(left, right, k, count, products);
      RowMatrix p = products, jacobian = products;
      softmax(p);
      softmax_jacobian(p, jacobian);
      token_mixtures(p, right, k, count, mixtures);
      const std::vector<RowMatrix> here{products, p, jacobian, mixtures};
      if (!first) first = here;
      for (std::size_t i = 0; i < here.size(); ++i)
        EXPECT_EQ(here[i], (*first)[i])
            << name_of(target) << ": " << d << " " << k << " " << count << ", " << i;
    });
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
