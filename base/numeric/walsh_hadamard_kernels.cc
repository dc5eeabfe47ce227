// Compiled once for each target, on top of the oldest CPU, as attention/kernels/sign_kernels.cc is.
#include "base/numeric/walsh_hadamard_kernels.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/numeric/walsh_hadamard_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Word = std::uint64_t;
using Lanes = hn::CappedTag<Word, 8>;
using Vec = hn::Vec<Lanes>;
constexpr Lanes d;
constexpr std::size_t lanes = hn::MaxLanes(Lanes());

// Logarithms: of the rows whose entries go through registers together, at most, and of a vector's lanes.
constexpr int radix_bits = HWY_CAP_GE512 ? 4 : 3, lane_bits = std::countr_zero(lanes);
static_assert(lane_bits == 0 || lane_bits == 2 || lane_bits == 3, "shuffles within a vector are for these");
// A leaf is transformed in registers, and a tile in the first-level cache.
constexpr int leaf_bits = radix_bits + lane_bits, tile_bits = 11;

HWY_INLINE int at_most(int bits, int limit) {
  return bits < limit ? bits : limit;
}

// Sums of integers may be made in any order, and left to itself g++ 12 makes them in one that takes twice as
// many.
HWY_INLINE void keep(Vec& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_CAP_GE256
  asm("" : "+v"(v.raw));
#else
  (void)v;
#endif
}

template <int rows>
HWY_INLINE void butterflies(Vec* v) {
  if constexpr (rows > 1) {
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; ++i) {
      Vec sum = hn::Add(v[i], v[i + rows / 2]), difference = hn::Sub(v[i], v[i + rows / 2]);
      keep(sum), keep(difference);
      v[i] = sum, v[i + rows / 2] = difference;
    }
    butterflies<rows / 2>(v);
    butterflies<rows / 2>(v + rows / 2);
  }
}

// The bits within two vectors at once.
HWY_INLINE void transform_lanes(Vec& u, Vec& v) {
#if HWY_CAP_GE256
  const Vec even = hn::InterleaveLower(d, u, v), odd = hn::InterleaveUpper(d, u, v);
  Vec sum = hn::Add(even, odd), difference = hn::Sub(even, odd);
#if HWY_CAP_GE512
  const Vec even_blocks = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(difference), sum),
            odd_blocks = hn::OddEvenBlocks(difference, hn::SwapAdjacentBlocks(sum));
  sum = hn::Add(even_blocks, odd_blocks), difference = hn::Sub(even_blocks, odd_blocks);
#endif
  const Vec low = hn::ConcatLowerLower(d, difference, sum), high = hn::ConcatUpperUpper(d, difference, sum);
  // Entries of u and v take turns.
  const Vec first = hn::Add(low, high), last = hn::Sub(low, high);
  u = hn::ConcatEven(d, last, first);
  v = hn::ConcatOdd(d, last, first);
#else
  (void)u, (void)v;
#endif
}

// 2^leaf_bits entries in registers, from one place to another or in place. Meanwhile the next tile comes to
// the second-level cache: tiles are too short for the CPU to see it coming.
HWY_INLINE void transform_leaf(const Word* from, Word* to) {
  constexpr int vectors = 1 << radix_bits;
  Vec v[vectors];
#pragma GCC unroll 16
  for (int i = 0; i < vectors; ++i) {
    v[i] = hn::LoadU(d, from + static_cast<std::size_t>(i) * lanes);
    __builtin_prefetch(from + (std::size_t{1} << tile_bits) + static_cast<std::size_t>(i) * lanes, 0, 2);
  }
  butterflies<vectors>(v);
#pragma GCC unroll 16
  for (int i = 0; i < vectors; i += 2) transform_lanes(v[i], v[i + 1]);
#pragma GCC unroll 16
  for (int i = 0; i < vectors; ++i) hn::StoreU(v[i], d, to + static_cast<std::size_t>(i) * lanes);
}

// Rows, `step` apart.
struct Rows {
  Word* at;
  std::size_t step;
};

// The first `some` columns, at most as many as a vector has lanes.
template <int rows>
HWY_INLINE void transform_some(const Rows from, const Rows to, std::size_t some) {
  const auto mask = hn::FirstN(d, some);
  Vec v[rows];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    v[i] = hn::MaskedLoad(mask, d, from.at + static_cast<std::size_t>(i) * from.step);
  butterflies<rows>(v);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    hn::BlendedStore(v[i], mask, d, to.at + static_cast<std::size_t>(i) * to.step);
}

// A transform of `width` columns, from one place to another or in place. An array need not begin with a line
// of the cache; vectors that are written never lie across two.
template <int rows>
HWY_NOINLINE void transform_columns(const Rows from, const Rows to, std::size_t width) {
  const std::size_t off = reinterpret_cast<std::uintptr_t>(to.at) / sizeof(Word) % lanes;
  std::size_t c = off == 0 ? 0 : lanes - off;
  if (c > width) c = width;
  if (c > 0) transform_some<rows>(from, to, c);
  for (; c + lanes <= width; c += lanes) {
    Vec v[rows];
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) v[i] = hn::LoadU(d, from.at + static_cast<std::size_t>(i) * from.step + c);
    butterflies<rows>(v);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) hn::StoreU(v[i], d, to.at + static_cast<std::size_t>(i) * to.step + c);
  }
  if (c < width) transform_some<rows>({from.at + c, from.step}, {to.at + c, to.step}, width - c);
}

HWY_INLINE void transform_columns(int bits, const Rows& from, const Rows& to, std::size_t width) {
  switch (bits) {
    case 1:
      return transform_columns<2>(from, to, width);
    case 2:
      return transform_columns<4>(from, to, width);
    case 3:
      return transform_columns<8>(from, to, width);
    default:
      return transform_columns<16>(from, to, width);
  }
}

// The lowest bits of 2^n entries, n <= tile_bits, in the first-level cache. The first of two passes goes to a
// buffer that begins with a line of the cache.
HWY_INLINE void transform_tile(Word* x, int n) {
  HWY_ALIGN Word buffer[std::size_t{1} << tile_bits];
  const std::size_t size = std::size_t{1} << n;
  int done = 0;
  if (n == leaf_bits) return transform_leaf(x, x);
  if (n > leaf_bits) {
    for (std::size_t i = 0; i < size; i += std::size_t{1} << leaf_bits) transform_leaf(x + i, buffer + i);
    done = leaf_bits;
  } else {
    for (std::size_t i = 0; i < size; ++i) buffer[i] = x[i];
  }
  while (done < n) {
    const int bits = at_most(n - done, radix_bits);
    const std::size_t step = std::size_t{1} << done;
    const bool last = done + bits == n;
    for (std::size_t i = 0; i < size; i += step << bits)
      transform_columns(bits, {buffer + i, step}, {(last ? x : buffer) + i, step}, step);
    done += bits;
  }
}

void block(Word* x, int n) {
  const int low = at_most(n, tile_bits);
  const std::size_t size = std::size_t{1} << n, tile = std::size_t{1} << low;
  for (std::size_t i = 0; i < size; i += tile) transform_tile(x + i, low);
  if (low < n) transform_columns(n - low, {x, tile}, {x, tile}, tile);
}

void columns(Word* x, int bits, std::size_t step, std::size_t width) {
  transform_columns(bits, {x, step}, {x, step}, width);
}

}  // namespace
}  // namespace hardhead::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead {

HWY_EXPORT(block);
HWY_EXPORT(columns);

void transform_block(std::uint64_t* x, int n) {
  HWY_DYNAMIC_DISPATCH(block)(x, n);
}

void transform_rows(std::uint64_t* x, int bits, std::size_t step, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(columns)(x, bits, step, width);
}

}  // namespace hardhead
#endif
