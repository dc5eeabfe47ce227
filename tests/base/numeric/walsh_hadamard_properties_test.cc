#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "base/numeric/walsh_hadamard.h"

namespace hardhead::sq {
namespace {

using Values = std::vector<std::int64_t>;

int draw_order() {
  return *rc::gen::inRange(0, 10);
}

Values draw_values(int n, std::size_t arrays = 1) {
  return *rc::gen::container<Values>(arrays << n, rc::gen::inRange<std::int64_t>(-1000, 1001));
}

Values transformed(Values x, int n) {
  walsh_hadamard(x, n);
  return x;
}

RC_GTEST_PROP(WalshHadamardProperties, IsTheSumOfItsDefinition, ()) {
  const int n = draw_order();
  const Values x = draw_values(n), y = transformed(x, n);
  const auto s = *rc::gen::inRange<std::size_t>(0, x.size());
  std::int64_t sum = 0;
  for (std::size_t z = 0; z < x.size(); ++z) sum += std::popcount(s & z) % 2 == 1 ? -x[z] : x[z];
  RC_ASSERT(y[s] == sum);
}

RC_GTEST_PROP(WalshHadamardProperties, TwiceMultipliesByTheLength, ()) {
  const int n = draw_order();
  const Values x = draw_values(n), twice = transformed(transformed(x, n), n);
  for (std::size_t z = 0; z < x.size(); ++z) RC_ASSERT(twice[z] == x[z] << n);
}

RC_GTEST_PROP(WalshHadamardProperties, IsLinear, ()) {
  const int n = draw_order();
  const Values x = draw_values(n), y = draw_values(n);
  const auto s = *rc::gen::inRange<std::int64_t>(-9, 10), t = *rc::gen::inRange<std::int64_t>(-9, 10);
  Values sum(x.size());
  for (std::size_t z = 0; z < x.size(); ++z) sum[z] = s * x[z] + t * y[z];
  const Values fx = transformed(x, n), fy = transformed(y, n), fsum = transformed(sum, n);
  for (std::size_t z = 0; z < x.size(); ++z) RC_ASSERT(fsum[z] == s * fx[z] + t * fy[z]);
}

RC_GTEST_PROP(WalshHadamardProperties, KeepsInnerProductsButForTheLength, ()) {
  const int n = draw_order();
  const Values x = draw_values(n), y = draw_values(n), fx = transformed(x, n), fy = transformed(y, n);
  std::int64_t before = 0, after = 0;
  for (std::size_t z = 0; z < x.size(); ++z) {
    before += x[z] * y[z];
    after += fx[z] * fy[z];
  }
  RC_ASSERT(after == before << n);
}

RC_GTEST_PROP(WalshHadamardProperties, ABatchIsItsArraysOneByOne, ()) {
  const int n = *rc::gen::inRange(0, 7);
  const auto arrays = *rc::gen::inRange<std::size_t>(1, 20), length = std::size_t{1} << n;
  const Values x = draw_values(n, arrays), y = transformed(x, n);
  for (std::size_t a = 0; a < arrays; ++a) {
    const auto at = static_cast<std::ptrdiff_t>(a * length), end = at + static_cast<std::ptrdiff_t>(length);
    RC_ASSERT(transformed(Values(x.begin() + at, x.begin() + end), n) ==
              Values(y.begin() + at, y.begin() + end));
  }
}

}  // namespace
}  // namespace hardhead::sq
