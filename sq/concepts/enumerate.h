#pragma once
#include "base/numeric/random.h"
#include "base/run/parallel.h"
#include "sq/concepts/concept.h"

/// Averages over all of {-1,+1}^n, in integers.
namespace hardhead::sq {

/// The bits of `index` put at the places of `mask`, lowest first.
constexpr Bits deposit(std::uint64_t index, Bits mask) {
  Bits out = 0;
  for (; mask != 0 && index != 0; mask &= mask - 1, index >>= 1)
    if ((index & 1) != 0) out |= mask & (~mask + 1);
  return out;
}

/// The inverse: the bits of z at the places of `mask`, next to each other.
inline Bits extract(Bits z, Bits mask) {
#ifdef __BMI2__
  return __builtin_ia32_pext_si(z, mask);
#endif
  Bits out = 0;
  for (Bits bit = 1; mask != 0; mask &= mask - 1, bit <<= 1)
    if ((z & mask & (~mask + 1)) != 0) out |= bit;
  return out;
}

/// for_points(mask, first, count, body): body(z) for the subsets z of `mask` of ranks first .. first + count
/// - 1, in ascending order.
template <class Body>
void for_points(Bits mask, std::uint64_t first, std::uint64_t count, const Body& body) {
  Bits z = deposit(first, mask);
  for (std::uint64_t i = 0; i < count; ++i, z = (z - mask) & mask) body(z);
}

/// Points a task takes at a time.
inline constexpr std::uint64_t points_a_block = 1 << 13;

/// block(partial, first, count) over the ranks first .. first + count - 1 of 2^bits points, joined by +=; on
/// all cores of the calling arena.
template <class Sum, class Block>
Sum sum_over_blocks(int bits, const Block& block) {
  const std::uint64_t points = std::uint64_t{1} << bits;
  Sum total{};
  if (points <= points_a_block)
    block(total, std::uint64_t{0}, points);
  else
    total = deterministic_reduce(
        static_cast<std::int64_t>(points / points_a_block), 1, Sum{},
        [&](Sum& partial, std::int64_t b) {
          block(partial, static_cast<std::uint64_t>(b) * points_a_block, points_a_block);
        },
        [](Sum& left, const Sum& right) { left += right; });
  return total;
}

/// E phi(z, f(z)) over uniform z, exactly but for the rounding to the grid: 2^(bits that phi or f sees) calls
/// of each. Throws InputError for n outside 1 .. max_bits, a query or concept that sees bits past n, values
/// out of range (naming query, point and value), and labels other than -1, 0, 1.
Mean exact_mean(const Query& query, const Concept& f, int n);

/// A uniform point of {-1,+1}^n: item `item` of the stream.
inline Bits draw_point(const Stream& stream, std::uint64_t item, int n) {
  return static_cast<Bits>(stream.bits(item, 0)[0]) & all_bits(n);
}

/// f(z). Throws InputError naming concept, point and label unless it is -1, 0 or 1.
int checked_label(const Concept& f, Bits z);

}  // namespace hardhead::sq
