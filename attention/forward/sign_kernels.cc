// Compiled once for each target, on top of the oldest CPU (CMakeLists.txt): nothing of Eigen and little of
// the standard library, whose functions the linker would take for those of all other files.
#include "attention/forward/sign_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/forward/sign_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A vector has some rows of a panel: all eight with AVX-512.
using Rows = hn::CappedTag<double, sign_panel>;
using Vec = hn::Vec<Rows>;
constexpr std::size_t lanes = hn::MaxLanes(Rows()), vectors = sign_panel / lanes;

// Columns that go through the tables together, whose patterns are one word.
constexpr std::size_t together = 8;

// The next columns of a panel, each in its vectors.
struct Columns {
  Vec of[together][vectors];
};

// Sums over all groups for the next columns, `left` of them, else `together`.
template <bool whole>
HWY_INLINE void sum_groups(const double* tables, std::size_t groups, const std::uint8_t* patterns,
                           std::size_t stride, std::size_t left, Columns& sums) {
  const Rows d;
  Vec sum[together][vectors];
#pragma GCC unroll 8
  for (std::size_t t = 0; t < together; ++t)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) sum[t][v] = hn::Zero(d);
  for (std::size_t g = 0; g < groups; ++g, tables += sign_table, patterns += stride) {
    std::uint64_t word = 0;  // one load in place of eight: loads are what takes the time
    std::memcpy(&word, patterns, whole ? together : left);
#pragma GCC unroll 8
    for (std::size_t t = 0; t < together; ++t) {
      const double* const row = tables + (word >> (8 * t) & 0xff);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) sum[t][v] = hn::Add(sum[t][v], hn::Load(d, row + v * lanes));
    }
  }
#pragma GCC unroll 8
  for (std::size_t t = 0; t < together; ++t)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) sums.of[t][v] = sum[t][v];
}

#if HWY_CAP_GE256
// Rows of a 4 x 4 matrix become its columns.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void transpose(D d, V (&a)[4]) {
  const V even01 = hn::InterleaveLower(d, a[0], a[1]), odd01 = hn::InterleaveUpper(d, a[0], a[1]),
          even23 = hn::InterleaveLower(d, a[2], a[3]), odd23 = hn::InterleaveUpper(d, a[2], a[3]);
  a[0] = hn::ConcatLowerLower(d, even23, even01);
  a[1] = hn::ConcatLowerLower(d, odd23, odd01);
  a[2] = hn::ConcatUpperUpper(d, even23, even01);
  a[3] = hn::ConcatUpperUpper(d, odd23, odd01);
}
#endif

// Writes `left` of the columns, the slow way.
HWY_INLINE void store_some(const Columns& sums, std::size_t rows, std::size_t left, double* out,
                           std::size_t stride) {
  const Rows d;
  HWY_ALIGN double column[together * sign_panel];
  for (std::size_t t = 0; t < together; ++t)
    for (std::size_t v = 0; v < vectors; ++v)
      hn::Store(sums.of[t][v], d, column + t * sign_panel + v * lanes);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t t = 0; t < left; ++t) out[row * stride + t] = column[t * sign_panel + row];
}

// Writes the columns as the rows of a row-major matrix.
HWY_INLINE void store_columns(const Columns& sums, std::size_t rows, double* out, std::size_t stride) {
#if HWY_CAP_GE512
  const Rows d;
  // Blocks of two rows and columns, then four by four of them.
#pragma GCC unroll 2
  for (std::size_t odd = 0; odd < 2; ++odd) {
    Vec block[4];
#pragma GCC unroll 4
    for (std::size_t t = 0; t < 4; ++t) {
      const Vec first = sums.of[2 * t][0], second = sums.of[2 * t + 1][0];
      block[t] = odd == 0 ? hn::InterleaveLower(d, first, second) : hn::InterleaveUpper(d, first, second);
    }
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2; ++half) {
      const Vec a = half == 0 ? hn::ConcatLowerLower(d, block[2], block[0])
                              : hn::ConcatUpperUpper(d, block[2], block[0]),
                b = half == 0 ? hn::ConcatLowerLower(d, block[3], block[1])
                              : hn::ConcatUpperUpper(d, block[3], block[1]);
      const std::size_t row = 4 * half + odd;
      if (row < rows) hn::StoreU(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), d, out + row * stride);
      if (row + 2 < rows)
        hn::StoreU(hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)), d, out + (row + 2) * stride);
    }
  }
#elif HWY_CAP_GE256
  const Rows d;
#pragma GCC unroll 2
  for (std::size_t v = 0; v < vectors; ++v)
#pragma GCC unroll 2
    for (std::size_t t = 0; t < together; t += 4) {
      Vec a[4] = {sums.of[t][v], sums.of[t + 1][v], sums.of[t + 2][v], sums.of[t + 3][v]};
      transpose(d, a);
#pragma GCC unroll 4
      for (std::size_t row = 0; row < 4; ++row)
        if (4 * v + row < rows) hn::StoreU(a[row], d, out + (4 * v + row) * stride + t);
    }
#else
  store_some(sums, rows, together, out, stride);
#endif
}

// Four columns of up to eight rows, each in its vectors; rows past the last are 0.
HWY_INLINE void load_columns(const double* from, std::size_t stride, std::size_t rows,
                             Vec (&column)[4][vectors]) {
#if HWY_CAP_GE256
  const hn::FixedTag<double, 4> d;
  hn::Vec<hn::FixedTag<double, 4>> half[2][4];
#pragma GCC unroll 2
  for (std::size_t h = 0; h < 2; ++h) {
#pragma GCC unroll 4
    for (std::size_t row = 0; row < 4; ++row)
      half[h][row] = 4 * h + row < rows ? hn::LoadU(d, from + (4 * h + row) * stride) : hn::Zero(d);
    transpose(d, half[h]);
  }
#pragma GCC unroll 4
  for (std::size_t t = 0; t < 4; ++t) {
#if HWY_CAP_GE512
    column[t][0] = hn::Combine(Rows(), half[1][t], half[0][t]);
#else
    column[t][0] = half[0][t], column[t][1] = half[1][t];
#endif
  }
#else
  HWY_ALIGN double rows_of[sign_panel] = {};
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t row = 0; row < rows; ++row) rows_of[row] = from[row * stride + t];
    for (std::size_t v = 0; v < vectors; ++v) column[t][v] = hn::Load(Rows(), rows_of + v * lanes);
  }
#endif
}

// The sixteen sums of four columns with all signs.
HWY_INLINE void quad_table(const double* from, std::size_t stride, std::size_t rows, double* table) {
  const Rows d;
  Vec column[4][vectors];
  load_columns(from, stride, rows, column);
#pragma GCC unroll 8
  for (std::size_t v = 0; v < vectors; ++v) {
    const Vec a = column[0][v], b = column[1][v], e = column[2][v], f = column[3][v];
    const Vec first[4] = {hn::Add(a, b), hn::Sub(b, a), hn::Sub(a, b), hn::Sub(hn::Neg(a), b)},
              second[4] = {hn::Add(e, f), hn::Sub(f, e), hn::Sub(e, f), hn::Sub(hn::Neg(e), f)};
#pragma GCC unroll 16
    for (std::size_t p = 0; p < 16; ++p)
      hn::Store(hn::Add(first[p % 4], second[p / 4]), d, table + p * sign_panel + v * lanes);
  }
}

// The tables of a panel, of all its columns.
HWY_INLINE void panel_tables(const double* from, std::size_t stride, std::size_t rows, std::size_t columns,
                             double* tables) {
  std::size_t c = 0;
  for (; c + 4 <= columns; c += 4, tables += sign_table) quad_table(from + c, stride, rows, tables);
  if (c == columns) return;
  double padded[sign_panel * 4] = {};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t t = 0; c + t < columns; ++t) padded[4 * row + t] = from[row * stride + c + t];
  quad_table(padded, 4, rows, tables);
}

HWY_INLINE std::size_t rows_of_panel(std::size_t first, std::size_t rows) {
  return rows - first < sign_panel ? rows - first : sign_panel;
}

void make_tables(const StridedRows& matrix, double* tables) {
  const std::size_t groups = (matrix.columns + 3) / 4;
  for (std::size_t first = 0; first < matrix.rows; first += sign_panel, tables += groups * sign_table)
    panel_tables(matrix.data + first * matrix.stride, matrix.stride, rows_of_panel(first, matrix.rows),
                 matrix.columns, tables);
}

void multiply(const SignProducts& all) {
  for (std::size_t first = 0; first < all.rows; first += sign_panel) {
    const double* const tables = all.tables + first * all.groups * 16;
    const std::size_t rows = rows_of_panel(first, all.rows);
    double* const out = all.out + first * all.stride;
    Columns sums;
    std::size_t c = 0;
    for (; c + together <= all.columns; c += together) {
      sum_groups<true>(tables, all.groups, all.patterns + c, all.columns, together, sums);
      store_columns(sums, rows, out + c, all.stride);
    }
    if (c == all.columns) continue;
    sum_groups<false>(tables, all.groups, all.patterns + c, all.columns, all.columns - c, sums);
    store_some(sums, rows, all.columns - c, out + c, all.stride);
  }
}

// sum(row, t) += what the columns have there.
HWY_INLINE void add_columns(const Columns& sums, std::size_t rows, std::size_t left, double* sum,
                            std::size_t stride) {
  const Rows d;
#pragma GCC unroll 8
  for (std::size_t t = 0; t < together; ++t) {
    if (t >= left) return;
    double* const to = sum + t * stride;
    if (rows == sign_panel) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v)
        hn::StoreU(hn::Add(hn::LoadU(d, to + v * lanes), sums.of[t][v]), d, to + v * lanes);
      continue;
    }
    HWY_ALIGN double column[sign_panel];
    for (std::size_t v = 0; v < vectors; ++v) hn::Store(sums.of[t][v], d, column + v * lanes);
    for (std::size_t row = 0; row < rows; ++row) to[row] += column[row];
  }
}

// Four tokens (columns of `left`) have sixteen sums, of which a feature takes the one of its four signs.
void add_outer(const SignOuter& all) {
  constexpr std::size_t strip = 16;  // groups whose tables are in the first-level cache
  HWY_ALIGN double tables[strip * sign_table];
  const std::size_t tokens = all.left.columns, d = all.features;
  for (std::size_t first = 0; first < all.left.rows; first += sign_panel) {
    const double* const from = all.left.data + first * all.left.stride;
    const std::size_t rows = rows_of_panel(first, all.left.rows);
    for (std::size_t token = 0; token < tokens; token += 4 * strip) {
      const std::size_t here = tokens - token < 4 * strip ? tokens - token : 4 * strip;
      panel_tables(from + token, all.left.stride, rows, here, tables);
      const std::uint8_t* const patterns = all.patterns + token / 4 * d;
      for (std::size_t f = 0; f < d; f += together) {
        Columns sums;
        if (f + together <= d)
          sum_groups<true>(tables, (here + 3) / 4, patterns + f, d, together, sums);
        else
          sum_groups<false>(tables, (here + 3) / 4, patterns + f, d, d - f, sums);
        add_columns(sums, rows, d - f, all.sum + f * all.stride + first, all.stride);
      }
    }
  }
}

// The patterns of four features (or fewer) of the next tokens; returns the bits that differ from -1 and +1.
template <class D>
HWY_INLINE hn::Vec<D> take_four(D d, const double* x, std::size_t stride, std::size_t features,
                                std::uint8_t* to) {
  const auto sign = hn::Set(d, std::uint64_t{1} << 63), one = hn::Set(d, std::uint64_t{0x3ff} << 52);
  auto pattern = hn::Zero(d), wrong = hn::Zero(d);
  for (std::size_t t = features; t-- > 0;) {
    const auto bits = hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(x + t * stride));
    wrong = hn::Or(wrong, hn::Xor(hn::AndNot(sign, bits), one));
    pattern = hn::Add(hn::Add(pattern, pattern), hn::ShiftRight<63>(bits));
  }
  const auto places = hn::ShiftLeft<3>(pattern);
  if constexpr (hn::MaxLanes(D()) == 1) {
    *to = static_cast<std::uint8_t>(hn::GetLane(places));
  } else {
    const hn::Rebind<std::uint8_t, D> bytes;
    hn::StoreU(hn::TruncateTo(bytes, places), bytes, to);
  }
  return wrong;
}

bool take_patterns(const StridedRows& x, std::uint8_t* patterns) {
  const hn::ScalableTag<std::uint64_t> many;
  const hn::CappedTag<std::uint64_t, 1> single;
  const std::size_t n = hn::Lanes(many);
  for (std::size_t f = 0; f < x.rows; f += 4, patterns += x.columns) {
    const std::size_t features = x.rows - f < 4 ? x.rows - f : 4;
    const double* const from = x.data + f * x.stride;
    auto wrong = hn::Zero(many);
    auto wrong_after = hn::Zero(single);
    std::size_t c = 0;
    for (; c + n <= x.columns; c += n)
      wrong = hn::Or(wrong, take_four(many, from + c, x.stride, features, patterns + c));
    for (; c < x.columns; ++c)
      wrong_after = hn::Or(wrong_after, take_four(single, from + c, x.stride, features, patterns + c));
    if (!hn::AllTrue(many, hn::Eq(wrong, hn::Zero(many))) || hn::GetLane(wrong_after) != 0) return false;
  }
  return true;
}

}  // namespace
}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(take_patterns);
HWY_EXPORT(make_tables);
HWY_EXPORT(multiply);
HWY_EXPORT(add_outer);

bool sign_patterns(const StridedRows& x, std::uint8_t* patterns) {
  return HWY_DYNAMIC_DISPATCH(take_patterns)(x, patterns);
}

void sign_tables(const StridedRows& matrix, double* tables) {
  HWY_DYNAMIC_DISPATCH(make_tables)(matrix, tables);
}

void sign_products(const SignProducts& products) {
  HWY_DYNAMIC_DISPATCH(multiply)(products);
}

void add_sign_outer(const SignOuter& outer) {
  HWY_DYNAMIC_DISPATCH(add_outer)(outer);
}

}  // namespace hardhead::attention
#endif
