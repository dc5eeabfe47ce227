#include "lwe/problem/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/numeric/random.h"

namespace hardhead::lwe {
namespace {

/// Counts by trying every x.
double log2_kernel_by_hand(const Samples& samples, std::int64_t q) {
  std::int64_t all = 1, found = 0;
  for (std::int64_t j = 0; j < samples.n; ++j) all *= q;
  for (std::int64_t code = 0; code < all; ++code) {
    std::vector<Residue> x;
    for (std::int64_t j = 0, left = code; j < samples.n; ++j, left /= q)
      x.push_back(static_cast<Residue>(left % q));
    bool zero = true;
    for (std::int64_t i = 0; i < samples.count() && zero; ++i)
      zero = inner_product(samples.row(i), x, q) == 0;
    found += zero ? 1 : 0;
  }
  return std::log2(static_cast<double>(found));
}

TEST(Kernel, IsTheOneThatTryingEveryVectorFinds) {
  const Stream stream(Domain::test, 1, "kernel");
  std::uint64_t at = 0;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(stream.below(at++, static_cast<std::uint64_t>(n)));
  };
  int open = 0;
  for (int item = 0; item < 400; ++item) {
    const std::int64_t q = std::array{2, 3, 4, 7, 8, 16, 6, 9, 12, 15}[static_cast<std::size_t>(item % 10)];
    Samples samples{1 + below(3), {}, {}};
    const std::int64_t count = 1 + below(5), factor = item % 2 == 0 ? 1 : 1 + below(q);
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j < samples.n; ++j)
        samples.a.push_back(static_cast<Residue>(below(q) * factor % q));
      samples.b.push_back(0);
    }
    const double by_hand = log2_kernel_by_hand(samples, q);
    EXPECT_NEAR(log2_kernel(samples, q), by_hand, 1e-9) << q << " " << samples.n << " " << count;
    open += by_hand > 0 ? 1 : 0;
  }
  EXPECT_GT(open, 100);
  EXPECT_LT(open, 350);
}

TEST(Kernel, OfAPrimeIsARankAtAnyModulus) {
  const std::int64_t q = 2147483647;
  EXPECT_NEAR(log2_kernel({3, {1, 2, 3, 2, 4, 6}, {0, 0}}, q), 2 * std::log2(q), 1e-9);
  EXPECT_EQ(log2_kernel({2, {1, 2, 2, 5}, {0, 0}}, q), 0);
}

TEST(Kernel, DoesNotOverflowAtTheLargestModulus) {
  const std::int64_t q = std::int64_t{1} << 32;
  const auto last = static_cast<Residue>(q - 1);
  EXPECT_EQ(log2_kernel({2, {last, last, last - 1, 1}, {0, 0}}, q), 0);  // determinant 1 mod 2
  EXPECT_EQ(log2_kernel({2, {last, last, last, last - 2}, {0, 0}}, q), 1);
}

}  // namespace
}  // namespace hardhead::lwe
