// Compiled once for each target, on top of the oldest CPU, as attention/kernels/sign_kernels.cc is.
#include "attention/kernels/label_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/label_kernels.cc"
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
HWY_INLINE float take(const EightLabels& all) {
  const Eight d;
  Vec largest = hn::Zero(d);
  for (std::size_t row = 0; row < all.k; ++row) {
    Vec norms2 = hn::Zero(d);
    for (std::size_t f = 0; f < all.labelled; f += side) {
      Vec tile[side];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < side; ++i) {
        const std::byte* const from = all.from[i] + (row * all.d + f) * sizeof(Label);
        __builtin_prefetch(from + all.ahead, 0, 3);
        tile[i] = eight_features(reinterpret_cast<const Label*>(from), all.labelled - f);
      }
      turn(tile);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < side; ++t) {
        hn::StoreU(tile[t], d, all.to + (f + t) * all.step + row * all.places);
        norms2 = hn::Add(norms2, hn::Mul(tile[t], tile[t]));
      }
    }
    largest = hn::Max(largest, norms2);
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

#else

template <class Label>
float take(const EightLabels& all) {
  float largest = 0;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t row = 0; row < all.k; ++row) {
      float norm2 = 0;
      for (std::size_t f = 0; f < (all.labelled + side - 1) / side * side; ++f) {
        Label label = 0;
        if (f < all.labelled)
          std::memcpy(&label, all.from[i] + (row * all.d + f) * sizeof label, sizeof label);
        const auto entry = static_cast<float>(label);
        all.to[f * all.step + row * all.places + i] = entry;
        norm2 += entry * entry;
      }
      largest = largest > norm2 ? largest : norm2;
    }
  return largest;
}

#endif

float take_all_doubles(const EightLabels& labels) {
  return take<double>(labels);
}
float take_all_floats(const EightLabels& labels) {
  return take<float>(labels);
}

}  // namespace
}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(take_all_doubles);
HWY_EXPORT(take_all_floats);

float take_doubles(const EightLabels& labels) {
  return HWY_DYNAMIC_DISPATCH(take_all_doubles)(labels);
}

float take_floats(const EightLabels& labels) {
  return HWY_DYNAMIC_DISPATCH(take_all_floats)(labels);
}

}  // namespace hardhead::attention
#endif
