#include "base/numeric/walsh_hadamard.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "base/numeric/int128.h"
#include "base/numeric/rational.h"
#include "base/numeric/walsh_hadamard_kernels.h"
#include "base/run/parallel.h"

namespace hardhead {
namespace {

// Sums wrap instead of being undefined: whether they may is the caller's affair.
using Word = std::uint64_t;

// Parts of an array are transformed one after the other, each to the end, and then across: what a cache holds
// is transformed there. Eight rows at a time: sixteen that lie a power of two apart fall on the same lines of
// a first-level cache, which has eight of them as a rule; in memory a pass less is worth that.
void transform_large(Word* x, int n) {
  const int above = n - walsh_hadamard_block_bits;
  if (above <= 0) return transform_block(x, n);
  const int bits = above % 3 == 1 && above > 1 ? 4 : std::min(above, 3);
  const std::size_t step = std::size_t{1} << (n - bits);
  parallel_for_each_index(std::int64_t{1} << bits, [&](std::int64_t row) {
    transform_large(x + static_cast<std::size_t>(row) * step, n - bits);
  });
  constexpr std::size_t width = 2048;
  parallel_for_each_index(static_cast<std::int64_t>(step / width), [&](std::int64_t part) {
    transform_rows(x + static_cast<std::size_t>(part) * width, bits, step, width);
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
  const std::size_t a_task = std::max<std::size_t>(1, (std::size_t{1} << walsh_hadamard_block_bits) / size);
  parallel_for_each_index(static_cast<std::int64_t>((arrays + a_task - 1) / a_task), [&](std::int64_t task) {
    const std::size_t first = static_cast<std::size_t>(task) * a_task;
    for (std::size_t i = first; i < std::min(arrays, first + a_task); ++i)
      transform_large(words + i * size, n);
  });
}

void checked_walsh_hadamard(std::span<std::int64_t> x) {
  if (!std::has_single_bit(x.size()))
    throw InputError(fmt::format("Walsh-Hadamard transform: {} entries are not a power of two", x.size()));
  if (const Integer sum = absolute_sum(x); sum > std::numeric_limits<std::int64_t>::max())
    throw InputError(
        fmt::format("Walsh-Hadamard transform: absolute values sum to {}, more than 2^63 - 1", sum.str()));
  walsh_hadamard(x, std::countr_zero(x.size()));
}

}  // namespace hardhead
