#include "base/numeric/walsh_hadamard.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

#include "base/numeric/random.h"
#include "tests/simd_targets.h"
#include "tests/sq/refuses.h"

namespace hardhead::sq {
namespace {

using Array = std::vector<std::int64_t>;

Array draw(std::size_t size, std::uint64_t seed, int shift) {
  const Stream stream(Domain::test, seed, "walsh-hadamard test");
  Array x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<std::int64_t>(stream.bits(i, 0)[0]) >> shift;
  return x;
}

template <class Number>
std::vector<Number> reference(std::span<const std::int64_t> x) {
  std::vector<Number> y(x.begin(), x.end());
  for (std::size_t half = 1; half < y.size(); half *= 2)
    for (std::size_t i = 0; i < y.size(); ++i)
      if ((i & half) == 0) {
        const Number a = y[i], b = y[i + half];
        y[i] = a + b;
        y[i + half] = a - b;
      }
  return y;
}

TEST(WalshHadamard, IsItsDefinitionAtEverySmallSize) {
  for (int n = 0; n <= 9; ++n) {
    const Array x = draw(std::size_t{1} << n, 1, 20);
    Array y = x;
    walsh_hadamard(y, n);
    for (std::uint64_t s = 0; s < x.size(); ++s) {
      std::int64_t sum = 0;
      for (std::uint64_t z = 0; z < x.size(); ++z) sum += __builtin_parityll(s & z) != 0 ? -x[z] : x[z];
      ASSERT_EQ(y[s], sum) << "n = " << n << ", S = " << s;
    }
  }
}

// Every number of bits across, wherever in a line of the cache an array begins.
TEST(WalshHadamard, AgreesWithTheTextbookLoopAtEverySizeOnEachTarget) {
  on_each_simd_target([](SimdTarget target) {
    for (int n = 0; n <= 19; ++n)
      for (std::size_t off = 0; off < (n < 16 ? 8 : 2); ++off) {
        const std::size_t size = std::size_t{1} << n;
        const Array x = draw(size, 2, 24);
        Array there(size + off + 1, 7);
        std::copy(x.begin(), x.end(), there.begin() + static_cast<std::ptrdiff_t>(off));
        walsh_hadamard(std::span(there).subspan(off, size), n);
        Array expected = reference<std::int64_t>(x);
        expected.insert(expected.begin(), off, 7);
        expected.push_back(7);
        ASSERT_TRUE(there == expected) << name_of(target) << ": n = " << n << ", from " << off;
      }
  });
}

TEST(WalshHadamard, AgreesWithTheTextbookLoopAtEverySizeUpTo22) {
  for (int n = 10; n <= 22; ++n) {
    Array x = draw(std::size_t{1} << n, 2, 24);
    const Array expected = reference<std::int64_t>(x);
    walsh_hadamard(x, n);
    ASSERT_TRUE(x == expected) << "n = " << n;
  }
}

TEST(WalshHadamard, BatchesAreTheirArrays) {
  for (const int n : {0, 3, 7, 15}) {
    const std::size_t size = std::size_t{1} << n, arrays = 37;
    Array x = draw(arrays * size, 3, 20), expected;
    for (std::size_t i = 0; i < arrays; ++i) {
      const Array y = reference<std::int64_t>(std::span(x).subspan(i * size, size));
      expected.insert(expected.end(), y.begin(), y.end());
    }
    walsh_hadamard(x, n);
    EXPECT_TRUE(x == expected) << "n = " << n;
  }
}

TEST(WalshHadamard, DoesNotDependOnTheThreads) {
  const Array x = draw(1 << 18, 4, 20);
  Array one = x, two = x;
  tbb::task_arena(1).execute([&] { walsh_hadamard(one, 18); });
  tbb::task_arena(2).execute([&] { walsh_hadamard(two, 18); });
  EXPECT_TRUE(one == two);
}

/// Entries around the largest that an array of 2^n can hold without overflow, of random signs and a few
/// extremes.
void fill_edge(std::span<std::int64_t> x, const Stream& stream, std::uint64_t item) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto size = static_cast<std::int64_t>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto bits = stream.bits(item, i);
    const auto jitter = static_cast<std::int64_t>(bits[0] % 9) - 4;
    x[i] = most / size + jitter;
    if (bits[1] % 64 == 0) x[i] = bits[1] % 128 == 0 ? most : std::numeric_limits<std::int64_t>::min();
    if (bits[2] % 2 == 0 && x[i] != std::numeric_limits<std::int64_t>::min()) x[i] = -x[i];
  }
}

TEST(WalshHadamard, OneMillionArraysAtTheEdgeOfOverflowAgreeWithBoost) {
  using Wide = boost::multiprecision::int256_t;
  const Stream stream(Domain::test, 5, "walsh-hadamard edge");
  constexpr int n = 2;
  std::int64_t fits = 0;
  Array x(1 << n), y;
  for (std::uint64_t item = 0; item < 1'000'000; ++item) {
    fill_edge(x, stream, item);
    const auto expected = reference<Wide>(x);
    Wide sum = 0;
    for (const std::int64_t v : x) sum += v < 0 ? Wide(-Wide(v)) : Wide(v);
    const bool should_fit = sum <= std::numeric_limits<std::int64_t>::max();
    y = x;
    if (should_fit) {
      ++fits;
      checked_walsh_hadamard(y);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(Wide(y[i]), expected[i]);
    } else {
      EXPECT_THROW(checked_walsh_hadamard(y), InputError);
    }
  }
  EXPECT_GT(fits, 250'000);
  EXPECT_LT(fits, 750'000);
}

TEST(WalshHadamard, TheBoundOnOverflowIsReachedByACharacter) {
  Array x(64, std::numeric_limits<std::int64_t>::max() / 64);
  for (std::uint64_t z = 0; z < x.size(); ++z) x[z] *= __builtin_parityll(z & 37) != 0 ? -1 : 1;
  const std::int64_t sum = 64 * (std::numeric_limits<std::int64_t>::max() / 64);
  checked_walsh_hadamard(x);
  EXPECT_EQ(x[37], sum);
}

TEST(WalshHadamard, RefusesSizesByNumber) {
  Array x(12);
  expect_refusal([&] { walsh_hadamard(x, 3); }, "12 entries are not a positive multiple of 2^3");
  expect_refusal([&] { walsh_hadamard(x, 41); }, "n=41");
  expect_refusal([&] { checked_walsh_hadamard(x); }, "12 entries are not a power of two");
  x.assign(2, std::numeric_limits<std::int64_t>::max());
  expect_refusal([&] { checked_walsh_hadamard(x); }, "sum to 18446744073709551614, more than 2^63 - 1");
}

}  // namespace
}  // namespace hardhead::sq
