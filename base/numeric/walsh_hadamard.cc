#include "base/numeric/walsh_hadamard.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/numeric/rational.h"
#include "base/run/parallel.h"

namespace hardhead {
namespace {

// Sums wrap instead of being undefined: whether they may is the caller's affair.
using Word = std::uint64_t;
constexpr std::size_t lanes = 4;
// NOLINTNEXTLINE(modernize-use-using): the attributes apply to a typedef only
typedef Word Lanes __attribute__((vector_size(lanes * sizeof(Word)), aligned(alignof(Word)), may_alias));

// What one level of memory holds: a tile is transformed in L1, a block in L2, and larger arrays pass through
// strips of columns, copied to a buffer of 2^max_rows_bits rows so that every pass over memory does that many
// bits.
constexpr int leaf_bits = 5, tile_bits = 11, block_bits = 14, max_rows_bits = 10;
constexpr std::size_t strip = 64;

// NOLINTNEXTLINE(readability-non-const-parameter): callers write through the result
Lanes& at(Word* x) {
  return *reinterpret_cast<Lanes*>(x);
}

template <int rows>
[[gnu::always_inline]] inline void butterflies(Lanes* v) {
  if constexpr (rows > 1) {
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; ++i) {
      const Lanes sum = v[i] + v[i + rows / 2];
      v[i + rows / 2] = v[i] - v[i + rows / 2];
      v[i] = sum;
    }
    butterflies<rows / 2>(v);
    butterflies<rows / 2>(v + rows / 2);
  }
}

// The two lowest bits of two vectors at once.
[[gnu::always_inline]] inline void transform_lanes(Lanes& u, Lanes& v) {
  const Lanes even = __builtin_shufflevector(u, v, 0, 4, 2, 6),
              odd = __builtin_shufflevector(u, v, 1, 5, 3, 7);
  const Lanes sum = even + odd, difference = even - odd;
  const Lanes low = __builtin_shufflevector(sum, difference, 0, 1, 4, 5);
  const Lanes high = __builtin_shufflevector(sum, difference, 2, 3, 6, 7);
  const Lanes first = low + high, last = low - high;
  u = __builtin_shufflevector(first, last, 0, 2, 4, 6);
  v = __builtin_shufflevector(first, last, 1, 3, 5, 7);
}

// 2^leaf_bits entries in registers.
inline void transform_leaf(Word* x) {
  constexpr int vectors = (1 << leaf_bits) / lanes;
  Lanes v[vectors];
#pragma GCC unroll 8
  for (int i = 0; i < vectors; ++i) v[i] = at(x + i * lanes);
  butterflies<vectors>(v);
#pragma GCC unroll 8
  for (int i = 0; i < vectors; i += 2) transform_lanes(v[i], v[i + 1]);
#pragma GCC unroll 8
  for (int i = 0; i < vectors; ++i) at(x + i * lanes) = v[i];
}

// A transform across rows of `width` entries, `step` apart: from one place to another, or in place.
template <int rows>
void transform_rows(Word* from, std::size_t from_step, Word* to, std::size_t to_step, std::size_t width) {
  for (std::size_t c = 0; c < width; c += lanes) {
    Lanes v[rows];
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) v[i] = at(from + static_cast<std::size_t>(i) * from_step + c);
    butterflies<rows>(v);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) at(to + static_cast<std::size_t>(i) * to_step + c) = v[i];
  }
}

void transform_rows(int bits, Word* from, std::size_t from_step, Word* to, std::size_t to_step,
                    std::size_t width) {
  switch (bits) {
    case 1:
      return transform_rows<2>(from, from_step, to, to_step, width);
    case 2:
      return transform_rows<4>(from, from_step, to, to_step, width);
    case 3:
      return transform_rows<8>(from, from_step, to, to_step, width);
    default:
      return transform_rows<16>(from, from_step, to, to_step, width);
  }
}

// n <= tile_bits, in L1.
void transform_tile(Word* x, int n) {
  const std::size_t size = std::size_t{1} << n;
  if (n < leaf_bits) return simple_walsh_hadamard(std::span(x, size));
  for (std::size_t i = 0; i < size; i += 1 << leaf_bits) transform_leaf(x + i);
  for (int done = leaf_bits; done < n;) {
    const int bits = std::min(3, n - done);
    const std::size_t step = std::size_t{1} << done;
    for (std::size_t i = 0; i < size; i += step << bits) transform_rows(bits, x + i, step, x + i, step, step);
    done += bits;
  }
}

// n <= block_bits, in L2.
void transform_block(Word* x, int n) {
  if (n <= tile_bits) return transform_tile(x, n);
  const std::size_t tile = std::size_t{1} << tile_bits, size = std::size_t{1} << n;
  for (std::size_t i = 0; i < size; i += tile) transform_tile(x + i, tile_bits);
  transform_rows(n - tile_bits, x, tile, x, tile, tile);
}

// The highest `bits` bits of 2^bits rows of `step` entries, one strip of columns: one trip through memory, by
// way of a buffer for as many rows, since radices above 16 do not fit the registers.
void transform_strip(Word* x, int bits, std::size_t step, Word* buffer) {
  if (bits <= 3) return transform_rows(bits, x, step, x, step, strip);
  const int high = (bits + 2) / 3, middle = (bits + 1) / 3, low = bits / 3;
  const int rest = middle + low;
  for (std::size_t j = 0; j < std::size_t{1} << rest; ++j)
    transform_rows(high, x + j * step, step << rest, buffer + j * strip, strip << rest, strip);
  for (std::size_t i = 0; i < std::size_t{1} << high; ++i) {
    Word* const rows = buffer + (i << rest) * strip;
    for (std::size_t j = 0; j < std::size_t{1} << low; ++j)
      transform_rows(middle, rows + j * strip, strip << low, rows + j * strip, strip << low, strip);
    for (std::size_t j = 0; j < std::size_t{1} << middle; ++j)
      transform_rows(low, rows + (j << low) * strip, strip, x + ((i << rest) + (j << low)) * step, step,
                     strip);
  }
}

void transform_large(Word* x, int n) {
  if (n <= block_bits) return transform_block(x, n);
  const int bits = std::min(max_rows_bits, n - block_bits);
  const std::size_t step = std::size_t{1} << (n - bits);
  parallel_for_each_index(std::int64_t{1} << bits, [&](std::int64_t row) {
    transform_large(x + static_cast<std::size_t>(row) * step, n - bits);
  });
  const std::size_t strips_a_task = std::min<std::size_t>(16, step / strip);
  parallel_for_each_index(static_cast<std::int64_t>(step / (strip * strips_a_task)), [&](std::int64_t task) {
    const auto buffer = std::make_unique_for_overwrite<Word[]>(strip << bits);
    for (std::size_t s = 0; s < strips_a_task; ++s)
      transform_strip(x + (static_cast<std::size_t>(task) * strips_a_task + s) * strip, bits, step,
                      buffer.get());
  });
}

Integer absolute_sum(std::span<const std::int64_t> x) {
  Int128 sum = 0;
  for (const std::int64_t v : x) sum += v < 0 ? -static_cast<Int128>(v) : static_cast<Int128>(v);
  return (Integer(static_cast<std::uint64_t>(sum >> 64)) << 64) + static_cast<std::uint64_t>(sum);
}

}  // namespace

void walsh_hadamard(std::span<std::int64_t> x, int n) {
  if (n < 0 || n > 40) throw InputError(fmt::format("Walsh-Hadamard transform: n={} is not in 0 .. 40", n));
  const std::size_t size = std::size_t{1} << n;
  if (x.empty() || x.size() % size != 0)
    throw InputError(
        fmt::format("Walsh-Hadamard transform: {} entries are not a positive multiple of 2^{}", x.size(), n));
  Word* const words = reinterpret_cast<Word*>(x.data());
  const std::size_t arrays = x.size() / size;
  if (arrays == 1) return transform_large(words, n);
  // Tasks of a block's size: a task for each small array would be all overhead.
  const std::size_t a_task = std::max<std::size_t>(1, (std::size_t{1} << block_bits) / size);
  parallel_for_each_index(static_cast<std::int64_t>((arrays + a_task - 1) / a_task), [&](std::int64_t task) {
    const std::size_t first = static_cast<std::size_t>(task) * a_task;
    for (std::size_t i = first; i < std::min(arrays, first + a_task); ++i)
      transform_large(words + i * size, n);
  });
}

bool fits_walsh_hadamard(std::span<const std::int64_t> x) {
  return absolute_sum(x) <= std::numeric_limits<std::int64_t>::max();
}

std::vector<Int128> wide_walsh_hadamard(std::span<const std::int64_t> x) {
  if (!std::has_single_bit(x.size()))
    throw InputError(fmt::format("Walsh-Hadamard transform: {} entries are not a power of two", x.size()));
  std::vector<Int128> y(x.begin(), x.end());
  simple_walsh_hadamard(std::span(y));
  return y;
}

void checked_walsh_hadamard(std::span<std::int64_t> x) {
  if (!std::has_single_bit(x.size()))
    throw InputError(fmt::format("Walsh-Hadamard transform: {} entries are not a power of two", x.size()));
  if (!fits_walsh_hadamard(x))
    throw InputError(
        fmt::format("Walsh-Hadamard transform: absolute values sum to {}, more than 2^63 - 1; the wide "
                    "transform takes any",
                    absolute_sum(x).str()));
  walsh_hadamard(x, std::countr_zero(x.size()));
}

}  // namespace hardhead
