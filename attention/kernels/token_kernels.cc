// Compiled once for each target, on top of the oldest CPU (CMakeLists.txt): nothing of Eigen and little of
// the standard library, whose functions the linker would take for those of all other files.
#include "attention/kernels/token_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/token_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Many = hn::ScalableTag<double>;
using One = hn::CappedTag<double, 1>;

// Not fused, so that a CPU without that instruction has the same bits.
template <class V>
HWY_INLINE V add_product(V sum, V left, V right) {
  return hn::Add(sum, hn::Mul(left, right));
}

// A factor of several products. Left to itself, g++ 12 loads it again for each of them.
template <class D>
HWY_INLINE hn::Vec<D> load_factor(D d, const double* from) {
  auto factor = hn::LoadU(d, from);
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+v"(factor.raw));
#endif
  return factor;
}

// Columns of a tile of so many rows: as many sums as registers hold beside their factors.
constexpr std::size_t tile_columns(std::size_t rows) {
#if HWY_CAP_GE512
  return rows > 0 ? 4 : 0;
#else
  return rows == 4 ? 2 : rows == 3 ? 3 : 4;
#endif
}

// Sums of rows x columns pairs over some terms for the examples from n on, in registers.
template <std::size_t rows, std::size_t columns, class D>
HWY_INLINE void tile(D d, const ExampleProducts& all, std::size_t n) {
  const double* left = all.left + n;
  const double* right = all.right + n;
  double* const out = all.out + n;
  hn::Vec<D> sum[rows][columns];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < columns; ++j)
      sum[i][j] = all.add ? hn::LoadU(d, out + i * all.out_row + j * all.out_column) : hn::Zero(d);
  for (std::size_t t = 0; t < all.terms; ++t, left += all.left_term, right += all.right_term) {
    hn::Vec<D> factor[columns];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < columns; ++j) factor[j] = load_factor(d, right + j * all.right_column);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < rows; ++i) {
      const auto of_row = load_factor(d, left + i * all.left_row);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < columns; ++j) sum[i][j] = add_product(sum[i][j], of_row, factor[j]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < columns; ++j)
      hn::StoreU(sum[i][j], d, out + i * all.out_row + j * all.out_column);
}

// A tile for all examples.
template <std::size_t rows, std::size_t columns>
HWY_NOINLINE void tile_of_all(const ExampleProducts all) {  // a copy: stores may alias what is referred to
  const Many many;
  const std::size_t n = hn::Lanes(many);
  std::size_t first = 0;
  for (; first + n <= all.count; first += n) tile<rows, columns>(many, all, first);
  for (; first < all.count; ++first) tile<rows, columns>(One(), all, first);
}

using Tile = void (*)(const ExampleProducts);
constexpr Tile tiles[4][4] = {
    {tile_of_all<1, 1>, tile_of_all<1, 2>, tile_of_all<1, 3>, tile_of_all<1, 4>},
    {tile_of_all<2, 1>, tile_of_all<2, 2>, tile_of_all<2, 3>, tile_of_all<2, 4>},
    {tile_of_all<3, 1>, tile_of_all<3, 2>, tile_of_all<3, 3>, tile_of_all<3, 4>},
    {tile_of_all<4, 1>, tile_of_all<4, 2>, tile_of_all<4, 3>, tile_of_all<4, 4>},
};

HWY_INLINE std::size_t at_most(std::size_t many, std::size_t limit) {
  return many < limit ? many : limit;
}

// Rows of a block lie a multiple of a large power of two apart: more of them fall on the same lines of a
// cache, so some terms at a time.
void multiply(const ExampleProducts& all) {
  constexpr std::size_t terms_at_once = 16, tile_rows = 4;
  for (std::size_t t = 0; t < all.terms; t += terms_at_once)
    for (std::size_t i = 0; i < all.rows; i += tile_rows) {
      const std::size_t rows = at_most(all.rows - i, tile_rows), columns_at_once = tile_columns(rows);
      for (std::size_t j = 0; j < all.columns; j += columns_at_once) {
        const std::size_t columns = at_most(all.columns - j, columns_at_once);
        ExampleProducts part = all;
        part.terms = at_most(all.terms - t, terms_at_once);
        part.left += i * all.left_row + t * all.left_term;
        part.right += j * all.right_column + t * all.right_term;
        part.out += i * all.out_row + j * all.out_column;
        part.add = all.add || t > 0;
        tiles[rows - 1][columns - 1](part);
      }
    }
}

// e^x for x <= 0: x = n log 2 + r with |r| < 0.35, the Taylor polynomial of degree 13 of e^r, whose rest is
// below 1e-17, and n added to the exponent. log 2 is a number of 33 bits, so that n times it is exact, and
// the rest.
template <class D>
HWY_INLINE hn::Vec<D> exp_of_negative(D d, hn::Vec<D> x) {
  constexpr double log2 = 0x1.62e42feep-1, log2_rest = 0x1.a39ef35793c76p-33, least = -708;
  constexpr double factorial[] = {
      1, 1, 2, 6, 24, 120, 720, 5040.0, 40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0, 6227020800.0};
  const auto clamped = hn::Max(x, hn::Set(d, least));
  // The sum's last bits are n, rounded to nearest.
  const auto shift = hn::Set(d, 0x1.8p52),
             shifted = hn::Add(hn::Mul(clamped, hn::Set(d, 1.4426950408889634074)), shift),
             n = hn::Sub(shifted, shift),
             r = hn::Sub(hn::Sub(clamped, hn::Mul(n, hn::Set(d, log2))), hn::Mul(n, hn::Set(d, log2_rest)));
  // (e^r - 1 - r) / r^2, its even and its odd terms side by side.
  const auto square = hn::Mul(r, r);
  auto even = hn::Set(d, 1 / factorial[12]), odd = hn::Set(d, 1 / factorial[13]);
#pragma GCC unroll 8
  for (std::size_t i = 10; i >= 2; i -= 2) {
    even = hn::Add(hn::Mul(even, square), hn::Set(d, 1 / factorial[i]));
    odd = hn::Add(hn::Mul(odd, square), hn::Set(d, 1 / factorial[i + 1]));
  }
  const auto rest = hn::Add(even, hn::Mul(odd, r));
  const auto e = hn::Add(hn::Set(d, 1), hn::Add(r, hn::Mul(square, rest)));
  const hn::Rebind<std::uint64_t, D> bits;
  const auto scaled = hn::Add(hn::BitCast(bits, e), hn::ShiftLeft<52>(hn::BitCast(bits, shifted)));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, least)), hn::BitCast(d, scaled));
}

// Columns of few entries: in registers, with an exponential less, since that of the largest is 1.
template <std::size_t entries, class D>
HWY_INLINE void softmax_of_few(D d, const Logits& all, std::size_t c) {
  double* const first = all.data + c;
  // other[j] is the smaller of entry j and the largest of those before it.
  auto largest = hn::LoadU(d, first);
  hn::Vec<D> other[entries], sum = hn::Set(d, 1);
  hn::Mask<D> larger[entries];
#pragma GCC unroll 4
  for (std::size_t j = 1; j < entries; ++j) {
    const auto logit = hn::LoadU(d, first + j * all.stride);
    larger[j] = hn::Gt(logit, largest);
    other[j] = hn::IfThenElse(larger[j], largest, logit);
    largest = hn::IfThenElse(larger[j], logit, largest);
  }
#pragma GCC unroll 4
  for (std::size_t j = 1; j < entries; ++j) {
    other[j] = exp_of_negative(d, hn::Sub(other[j], largest));
    sum = hn::Add(sum, other[j]);
  }
  const auto scale = hn::Div(hn::Set(d, 1), sum);
  auto of_largest = scale;
#pragma GCC unroll 4
  for (std::size_t j = entries - 1; j > 0; --j) {
    const auto p = hn::Mul(other[j], scale);
    hn::StoreU(hn::IfThenElse(larger[j], of_largest, p), d, first + j * all.stride);
    of_largest = hn::IfThenElse(larger[j], p, of_largest);
  }
  hn::StoreU(of_largest, d, first);
}

template <class D>
HWY_INLINE void softmax_of_many(D d, const Logits& all, std::size_t c) {
  double* const first = all.data + c;
  auto largest = hn::LoadU(d, first);
  for (std::size_t j = 1; j < all.entries; ++j)
    largest = hn::Max(largest, hn::LoadU(d, first + j * all.stride));
  auto sum = hn::Zero(d);
  for (std::size_t j = 0; j < all.entries; ++j) {
    double* const p = first + j * all.stride;
    const auto e = exp_of_negative(d, hn::Sub(hn::LoadU(d, p), largest));
    hn::StoreU(e, d, p);
    sum = hn::Add(sum, e);
  }
  const auto scale = hn::Div(hn::Set(d, 1), sum);
  for (std::size_t j = 0; j < all.entries; ++j) {
    double* const p = first + j * all.stride;
    hn::StoreU(hn::Mul(hn::LoadU(d, p), scale), d, p);
  }
}

// `entries` of each column; 0: any number of them.
template <std::size_t entries>
HWY_NOINLINE void softmax_of_all(const Logits all) {
  const auto column = [&](auto d, std::size_t c) HWY_ATTR {
    if constexpr (entries == 0)
      softmax_of_many(d, all, c);
    else
      softmax_of_few<entries>(d, all, c);
  };
  const std::size_t n = hn::Lanes(Many());
  std::size_t c = 0;
  for (; c + n <= all.columns; c += n) column(Many(), c);
  for (; c < all.columns; ++c) column(One(), c);
}

void softmax(const Logits& all) {
  switch (all.entries) {
    case 2:
      return softmax_of_all<2>(all);
    case 3:
      return softmax_of_all<3>(all);
    case 4:
      return softmax_of_all<4>(all);
    default:
      return softmax_of_all<0>(all);
  }
}

template <class D>
HWY_INLINE void jacobian_of(D d, const double* p, std::size_t stride, const Logits& v, std::size_t c) {
  auto mean = hn::Zero(d);
  for (std::size_t j = 0; j < v.entries; ++j)
    mean = add_product(mean, hn::LoadU(d, p + j * stride + c), hn::LoadU(d, v.data + j * v.stride + c));
  for (std::size_t j = 0; j < v.entries; ++j) {
    double* const to = v.data + j * v.stride + c;
    hn::StoreU(hn::Mul(hn::LoadU(d, p + j * stride + c), hn::Sub(hn::LoadU(d, to), mean)), d, to);
  }
}

void jacobian(const double* p, std::size_t stride, const Logits v) {
  const std::size_t n = hn::Lanes(Many());
  std::size_t c = 0;
  for (; c + n <= v.columns; c += n) jacobian_of(Many(), p, stride, v, c);
  for (; c < v.columns; ++c) jacobian_of(One(), p, stride, v, c);
}

}  // namespace
}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(multiply);
HWY_EXPORT(softmax);
HWY_EXPORT(jacobian);

void example_products(const ExampleProducts& products) {
  HWY_DYNAMIC_DISPATCH(multiply)(products);
}

void softmax_columns(const Logits& logits) {
  HWY_DYNAMIC_DISPATCH(softmax)(logits);
}

void softmax_jacobian_columns(const double* p, std::size_t stride, const Logits& v) {
  HWY_DYNAMIC_DISPATCH(jacobian)(p, stride, v);
}

}  // namespace hardhead::attention
#endif
