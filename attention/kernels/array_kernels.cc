// Compiled once for each target, on top of the oldest CPU, as attention/kernels/sign_kernels.cc is.
#include "attention/kernels/array_kernels.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/array_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t side = 8;

#if HWY_CAP_GE256

using Eight = hn::FixedTag<float, side>;
using Vec = hn::Vec<Eight>;

// Eight features of an example as floats; features past the last are 0.
HWY_INLINE Vec eight_features(const float* from, std::size_t left) {
  const Eight d;
  return left >= side ? hn::LoadU(d, from) : hn::MaskedLoad(hn::FirstN(d, left), d, from);
}
HWY_INLINE Vec eight_features(const double* from, std::size_t left) {
#if HWY_CAP_GE512
  const hn::FixedTag<double, side> wide;
  return hn::DemoteTo(
      Eight(), left >= side ? hn::LoadU(wide, from) : hn::MaskedLoad(hn::FirstN(wide, left), wide, from));
#else
  const hn::FixedTag<double, side / 2> wide;
  const hn::Half<Eight> half;
  if (left >= side)
    return hn::Combine(Eight(), hn::DemoteTo(half, hn::LoadU(wide, from + side / 2)),
                       hn::DemoteTo(half, hn::LoadU(wide, from)));
  const auto low = hn::MaskedLoad(hn::FirstN(wide, left), wide, from);
  const auto high = left > side / 2 ? hn::MaskedLoad(hn::FirstN(wide, left - side / 2), wide, from + side / 2)
                                    : hn::Zero(wide);
  return hn::Combine(Eight(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

// Rows of an 8 x 8 matrix become its columns.
HWY_INLINE void turn(Vec (&a)[side]) {
  const Eight d;
  const hn::Repartition<double, Eight> pairs;
  Vec b[side];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < side; i += 4) {
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, a[i], a[i + 1])),
               high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, a[i], a[i + 1])),
               low23 = hn::BitCast(pairs, hn::InterleaveLower(d, a[i + 2], a[i + 3])),
               high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a[i + 2], a[i + 3]));
    b[i] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    b[i + 1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    b[i + 2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    b[i + 3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) {
    a[i] = hn::ConcatLowerLower(d, b[i + 4], b[i]);
    a[i + 4] = hn::ConcatUpperUpper(d, b[i + 4], b[i]);
  }
}

// Each line of the cache that is read brings the one of the example eight later: examples lie too far apart
// for the CPU to see them coming.
template <class Label>
HWY_INLINE Vec take_eight_labels(const ExamplesOfArray& all, const std::byte* const* examples, float* to) {
  const Eight d;
  Vec largest = hn::Zero(d);
  for (std::size_t row = 0; row < all.k; ++row) {
    Vec norms2 = hn::Zero(d);
    for (std::size_t f = 0; f < all.taken; f += side) {
      Vec tile[side];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < side; ++i) {
        const std::byte* const from = examples[i] + (row * all.d + f) * sizeof(Label);
        __builtin_prefetch(from + all.ahead, 0, 3);
        tile[i] = eight_features(reinterpret_cast<const Label*>(from), all.taken - f);
      }
      turn(tile);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < side; ++t) {
        hn::StoreU(tile[t], d, to + ((f + t) * all.k + row) * all.places);
        norms2 = hn::Add(norms2, hn::Mul(tile[t], tile[t]));
      }
    }
    largest = hn::Max(largest, norms2);
  }
  return largest;
}

template <class Label>
HWY_INLINE float take_labels(const ExamplesOfArray& labels, float* to) {
  const ExamplesOfArray all = labels;  // a copy: vector stores may alias what is referred to
  const Eight d;
  Vec largest = hn::Zero(d);
  for (std::size_t n = 0; n < all.count; n += side)
    largest = hn::Max(largest, take_eight_labels<Label>(all, all.from + n, to + n));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

#else

template <class Label>
float take_labels(const ExamplesOfArray& all, float* to) {
  float largest = 0;
  for (std::size_t i = 0; i < all.count; ++i)
    for (std::size_t row = 0; row < all.k; ++row) {
      float norm2 = 0;
      for (std::size_t f = 0; f < (all.taken + side - 1) / side * side; ++f) {
        Label label = 0;
        if (f < all.taken) std::memcpy(&label, all.from[i] + (row * all.d + f) * sizeof label, sizeof label);
        const auto entry = static_cast<float>(label);
        to[(f * all.k + row) * all.places + i] = entry;
        norm2 += entry * entry;
      }
      largest = largest > norm2 ? largest : norm2;
    }
  return largest;
}

#endif

#if HWY_TARGET != HWY_SCALAR
// Bit 8 i + t: whether byte t at place `at` of the i-th of eight examples is negative.
HWY_INLINE std::uint64_t negative_bytes(const std::byte* const* examples, std::size_t at) {
  const hn::FixedTag<std::int8_t, 16> pair;
  const hn::Half<decltype(pair)> one;
  const auto bytes_of = [&](std::size_t i) {
    return hn::LoadU(one, reinterpret_cast<const std::int8_t*>(examples[i] + at));
  };
  std::uint64_t bits = 0;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < side; i += 2) {
    const auto bytes = hn::Combine(pair, bytes_of(i + 1), bytes_of(i));
    std::uint16_t of_pair;
    hn::StoreMaskBits(pair, hn::Lt(bytes, hn::Zero(pair)), reinterpret_cast<std::uint8_t*>(&of_pair));
    bits |= std::uint64_t{of_pair} << (8 * i);
  }
  return bits;
}
#endif

template <class X>
HWY_INLINE unsigned pattern_at(const std::byte* from, std::size_t features) {
  unsigned pattern = 0;
  for (std::size_t t = 0; t < features; ++t) {
    X entry;
    std::memcpy(&entry, from + t * sizeof entry, sizeof entry);
    pattern |= static_cast<unsigned>(entry < 0) << t;
  }
  return pattern;
}

template <class X>
HWY_INLINE void take_eight_signs(const ExamplesOfArray& all, const std::byte* const* examples,
                                 std::uint8_t* to) {
  for (std::size_t a = 0; a < all.k; ++a) {
    std::size_t f = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::uint64_t low_half = 0x0f0f0f0f0f0f0f0fU;
    for (; std::is_same_v<X, std::int8_t> && f + 8 <= all.taken; f += 8) {
      const std::uint64_t bits = negative_bytes(examples, a * all.d + f);
      const std::uint64_t halves[2] = {bits & low_half, bits >> 4 & low_half};
      for (std::size_t h = 0; h < 2; ++h)
        std::memcpy(to + ((f / 4 + h) * all.k + a) * all.places, &halves[h], sizeof halves[h]);
    }
#endif
    for (; f < all.taken; f += 4)
      for (std::size_t i = 0; i < side; ++i)
        to[(f / 4 * all.k + a) * all.places + i] = static_cast<std::uint8_t>(
            pattern_at<X>(examples[i] + (a * all.d + f) * sizeof(X), all.taken - f < 4 ? all.taken - f : 4));
  }
}

template <class X>
HWY_INLINE void take_signs(const ExamplesOfArray& tokens, std::uint8_t* to) {
  const ExamplesOfArray all = tokens;  // a copy: bytes may alias what is referred to
  for (std::size_t n = 0; n < all.count; n += side) take_eight_signs<X>(all, all.from + n, to + n);
}

float labels_of(const ExamplesOfArray& labels, float* to) {
  return labels.number == ArrayNumber::wide ? take_labels<double>(labels, to)
                                            : take_labels<float>(labels, to);
}
void signs_of(const ExamplesOfArray& tokens, std::uint8_t* to) {
  switch (tokens.number) {
    case ArrayNumber::byte:
      return take_signs<std::int8_t>(tokens, to);
    case ArrayNumber::single:
      return take_signs<float>(tokens, to);
    default:
      return take_signs<double>(tokens, to);
  }
}

}  // namespace
}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(labels_of);
HWY_EXPORT(signs_of);

float take_array_labels(const ExamplesOfArray& labels, float* to) {
  return HWY_DYNAMIC_DISPATCH(labels_of)(labels, to);
}

void take_array_signs(const ExamplesOfArray& tokens, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(signs_of)(tokens, to);
}

}  // namespace hardhead::attention
#endif
