// Products of tables of partial sums with tokens of signs in single precision (single_block.h), a lane an
// example; for kernels that Highway compiles once for each target, so there is no include guard of the usual
// kind.
#if defined(HARDHEAD_SIGN_LOOKUP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HARDHEAD_SIGN_LOOKUP_INL_H
#undef HARDHEAD_SIGN_LOOKUP_INL_H
#else
#define HARDHEAD_SIGN_LOOKUP_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Vec = hn::Vec<Lanes>;
using Ints = hn::Rebind<std::int32_t, Lanes>;

// Vectors of examples that go through a table together, and rows of a tile: as many sums as registers hold.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr std::size_t vectors = 3;
#else
constexpr std::size_t vectors = 1;
#endif
constexpr std::size_t tile_rows = 8, table_size = 16, tile_table = tile_rows * table_size;

// A register of sixteen floats is a table. One of eight is half of it: the sums of the opposite signs are the
// same with the other sign.
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
using Table = Vec;
HWY_INLINE Table load_table(const float* table) {
  return hn::Load(Lanes(), table);
}
#else
using Table = const float*;
HWY_INLINE Table load_table(const float* table) {
  return table;
}
#endif

// Where the sums of these examples' four signs are in any table. A place is kept as a float whose bits are
// those of the integer.
#if HWY_TARGET == HWY_SCALAR
struct Place {
  std::int32_t at;
};
HWY_INLINE Vec pack(const std::uint8_t* signs) {
  return hn::BitCast(Lanes(), hn::Set(Ints(), *signs));
}
HWY_INLINE Place unpack(Vec packed) {
  return {hn::GetLane(hn::BitCast(Ints(), packed))};
}
HWY_INLINE Vec look_up(Table table, Place place) {
  return hn::Set(Lanes(), table[place.at]);
}
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
struct Place {
  hn::Vec<Ints> at;
};
HWY_INLINE Vec pack(const std::uint8_t* signs) {
  return hn::BitCast(Lanes(), hn::PromoteTo(Ints(), hn::LoadU(hn::Rebind<std::uint8_t, Lanes>(), signs)));
}
HWY_INLINE Place unpack(Vec packed) {
  return {hn::BitCast(Ints(), packed)};
}
HWY_INLINE Vec look_up(Table table, Place place) {
  return hn::TableLookupLanes(table, hn::IndicesFromVec(Lanes(), place.at));
}
#else
struct Place {
  hn::Vec<Ints> at;
  Vec sign;
};
// The fourth sign in the place of a sign, and the other three as if it were +1.
HWY_INLINE Vec pack(const std::uint8_t* signs) {
  const Ints ints;
  const auto pattern = hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::uint8_t, Lanes>(), signs));
  const auto top = hn::ShiftLeft<28>(pattern);
  const auto at = hn::And(hn::Xor(pattern, hn::BroadcastSignBit(top)), hn::Set(ints, 7));
  return hn::BitCast(Lanes(), hn::Or(at, hn::And(top, hn::Set(ints, INT32_MIN))));
}
HWY_INLINE Place unpack(Vec packed) {
  const Ints ints;
  const auto both = hn::BitCast(ints, packed);
  return {hn::And(both, hn::Set(ints, 7)), hn::BitCast(Lanes(), hn::And(both, hn::Set(ints, INT32_MIN)))};
}
HWY_INLINE Vec look_up(Table table, Place place) {
#if HWY_TARGET == HWY_AVX2
  const Vec sum = hn::TableLookupLanes(table, hn::IndicesFromVec(Lanes(), place.at));
#else
  const Vec sum = hn::GatherIndex(Lanes(), table, place.at);
#endif
  return hn::Xor(sum, place.sign);
}
#endif

// Of examples whose places are packed, or whose signs these are.
HWY_INLINE Place place_of(const float* packed) {
  return unpack(hn::LoadU(Lanes(), packed));
}
HWY_INLINE Place place_of(const std::uint8_t* signs) {
  return unpack(pack(signs));
}

// Packs the places of `count` bytes of signs, a multiple of the lanes.
HWY_INLINE void pack_places(const std::uint8_t* HWY_RESTRICT signs, std::size_t count,
                            float* HWY_RESTRICT packed) {
  for (std::size_t at = 0; at < count; at += hn::Lanes(Lanes()))
    hn::StoreU(pack(signs + at), Lanes(), packed + at);
}

// What tile_products() calls where there is nothing to do besides.
struct Nothing {
  HWY_INLINE void operator()() const {}
};

// sum[row * vectors + v] = (matrix * x)(row of the tile, examples of vector v), from the tile's tables; the
// first group's places (place_of()) are at `places`, those of the next `stride` further. Calls each_group()
// before each.
template <class Number, class EachGroup = Nothing>
HWY_INLINE void tile_products(const float* HWY_RESTRICT tables, std::size_t groups,
                              const Number* HWY_RESTRICT places, std::size_t stride, Vec* HWY_RESTRICT sum,
                              const EachGroup& each_group = {}) {
  const Lanes lanes;
  Vec s[tile_rows][vectors];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < tile_rows; ++row)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) s[row][v] = hn::Zero(lanes);
  for (std::size_t g = 0; g < groups; ++g, tables += tile_table, places += stride) {
    each_group();
    Place place[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) place[v] = place_of(places + v * hn::Lanes(lanes));
#pragma GCC unroll 8
    for (std::size_t row = 0; row < tile_rows; ++row) {
      const Table table = load_table(tables + row * table_size);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) s[row][v] = hn::Add(s[row][v], look_up(table, place[v]));
    }
  }
#pragma GCC unroll 8
  for (std::size_t row = 0; row < tile_rows; ++row)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) sum[row * vectors + v] = s[row][v];
}

}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HARDHEAD_SIGN_LOOKUP_INL_H
