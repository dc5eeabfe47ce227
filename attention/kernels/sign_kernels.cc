// Compiled once for each target, on top of the oldest CPU (CMakeLists.txt): nothing of Eigen and little of
// the standard library, whose functions the linker would take for those of all other files.
#include "attention/kernels/sign_kernels.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/sign_kernels.cc"
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

// Some columns of a panel, each in its vectors.
template <std::size_t columns>
struct ColumnsOf {
  Vec of[columns][vectors];
};
using Columns = ColumnsOf<together>;

// Sums over all groups for the next columns. Past the last column there are other signs or none, whose sums
// are not used.
template <std::size_t columns>
HWY_INLINE void sum_groups(const double* tables, std::size_t groups, const std::uint8_t* patterns,
                           std::size_t stride, ColumnsOf<columns>& sums) {
  const Rows d;
  Vec sum[columns][vectors];
#pragma GCC unroll 8
  for (std::size_t t = 0; t < columns; ++t)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) sum[t][v] = hn::Zero(d);
  for (std::size_t g = 0; g < groups; ++g, tables += sign_table, patterns += stride) {
    std::uint64_t word = 0;  // one load in place of one for each column: loads are what takes the time
    std::memcpy(&word, patterns, columns);
#pragma GCC unroll 8
    for (std::size_t t = 0; t < columns; ++t) {
      const double* const row = tables + (word >> (8 * t) & 0xff);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) sum[t][v] = hn::Add(sum[t][v], hn::Load(d, row + v * lanes));
    }
  }
#pragma GCC unroll 8
  for (std::size_t t = 0; t < columns; ++t)
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

// The rows of as many columns as a vector has lanes, from the t-th on.
template <std::size_t columns>
HWY_INLINE void take_rows(const ColumnsOf<columns>& sums, std::size_t first, Vec (&row)[sign_panel]) {
#if HWY_CAP_GE512
  const Rows d;
  // Blocks of two rows and columns, then four by four of them.
#pragma GCC unroll 4
  for (std::size_t odd = 0; odd < 2; ++odd) {
    Vec block[4];
#pragma GCC unroll 4
    for (std::size_t t = 0; t < 4; ++t) {
      const Vec even = sums.of[first + 2 * t][0], next = sums.of[first + 2 * t + 1][0];
      block[t] = odd == 0 ? hn::InterleaveLower(d, even, next) : hn::InterleaveUpper(d, even, next);
    }
#pragma GCC unroll 4
    for (std::size_t half = 0; half < 2; ++half) {
      const Vec a = half == 0 ? hn::ConcatLowerLower(d, block[2], block[0])
                              : hn::ConcatUpperUpper(d, block[2], block[0]),
                b = half == 0 ? hn::ConcatLowerLower(d, block[3], block[1])
                              : hn::ConcatUpperUpper(d, block[3], block[1]);
      row[4 * half + odd] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
      row[4 * half + odd + 2] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    }
  }
#elif HWY_CAP_GE256
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) {
    Vec a[4] = {sums.of[first][v], sums.of[first + 1][v], sums.of[first + 2][v], sums.of[first + 3][v]};
    transpose(Rows(), a);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < 4; ++i) row[4 * v + i] = a[i];
  }
#else
  for (std::size_t v = 0; v < vectors; ++v) row[v] = sums.of[first][v];
#endif
}

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
#pragma GCC unroll 8
  for (std::size_t t = 0; t < together; t += lanes) {
    Vec row[sign_panel];
    take_rows(sums, t, row);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < sign_panel; ++i)
      if (i < rows) hn::StoreU(row[i], Rows(), out + i * stride + t);
  }
}

// Four columns of up to eight rows, each in its vectors; rows past the last are 0.
HWY_INLINE void load_columns(const double* from, std::size_t stride, std::size_t rows,
                             Vec (&column)[4][vectors]) {
#if HWY_CAP_GE256
  const hn::FixedTag<double, 4> d;
  hn::Vec<hn::FixedTag<double, 4>> half[2][4];
#pragma GCC unroll 4
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
    for (std::size_t c = 0; c < all.columns; c += together) {
      Columns sums;
      sum_groups(tables, all.groups, all.patterns + c, all.columns, sums);
      if (c + together <= all.columns)
        store_columns(sums, rows, out + c, all.stride);
      else
        store_some(sums, rows, all.columns - c, out + c, all.stride);
    }
  }
}

// Tokens that go through logits and mixtures together. Their images exceed the registers; the compiler keeps
// some in memory, which costs less than to do the rest of the work more often.
constexpr std::size_t most_tokens = 4;

// body(tokens, first) for all of k tokens, some at a time; `tokens` is a constant.
template <class Body>
HWY_INLINE void on_tokens(std::size_t k, const Body& body) {
  std::size_t first = 0;
  for (; first + most_tokens <= k; first += most_tokens)
    body(std::integral_constant<std::size_t, most_tokens>(), first);
  switch (k - first) {
    case 3:
      return body(std::integral_constant<std::size_t, 3>(), first);
    case 2:
      return body(std::integral_constant<std::size_t, 2>(), first);
    case 1:
      return body(std::integral_constant<std::size_t, 1>(), first);
    default:
      return;
  }
}

// A feature of some tokens, whose signs are at bit 63 - `shift`.
template <int shift>
HWY_INLINE Vec feature_at(hn::Vec<hn::RebindToUnsigned<Rows>> signs) {
  const hn::RebindToUnsigned<Rows> bits;
  const auto sign = hn::Set(bits, std::uint64_t{1} << 63), one = hn::Set(bits, std::uint64_t{0x3ff} << 52);
  return hn::BitCast(Rows(), hn::OrAnd(one, hn::ShiftLeft<shift>(signs), sign));
}

// The eight features of a panel of some tokens.
HWY_INLINE void take_features(const std::uint64_t* words, std::size_t panel, Vec (&x)[sign_panel]) {
  const hn::RebindToUnsigned<Rows> bits;
  const auto signs = hn::ShiftRightSame(hn::LoadU(bits, words), static_cast<int>(panel % 4 * 16));
  x[0] = feature_at<60>(signs), x[1] = feature_at<59>(signs);
  x[2] = feature_at<58>(signs), x[3] = feature_at<57>(signs);
  x[4] = feature_at<52>(signs), x[5] = feature_at<51>(signs);
  x[6] = feature_at<50>(signs), x[7] = feature_at<49>(signs);
}

// What a panel of rows adds to the logits of tokens r, r + 1, .. of all examples. Products with signs are
// exact, so that fused or not is the same. Past the last row or example there are zeros or other examples'
// images, which meet signs as well. The argument is a copy, since stores may alias what is referred to.
template <std::size_t tokens>
HWY_NOINLINE void add_logits(const SignLogits all, std::size_t panel, std::size_t r) {
  const std::size_t count = all.at.count, columns = all.at.k * count;
  const double* const tables = all.tables + panel * all.at.groups * sign_table;
  for (std::size_t n = 0; n < count; n += lanes) {
    Vec q[tokens][sign_panel];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < tokens; ++i) {
      ColumnsOf<lanes> sums;
      sum_groups(tables, all.at.groups, all.at.patterns + (r + i) * count + n, columns, sums);
      take_rows(sums, 0, q[i]);
    }
    double* out = all.out + r * count + n;
    const std::uint64_t* x = all.at.words + panel / 4 * columns + n;
    const auto some = hn::FirstN(Rows(), count - n < lanes ? count - n : lanes);
    for (std::size_t j = 0; j < all.at.k; ++j, x += count, out += all.out_stride) {
      Vec sum[tokens], factor[sign_panel];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < tokens; ++i)
        sum[i] = panel > 0 ? hn::MaskedLoad(some, Rows(), out + i * count) : hn::Zero(Rows());
      take_features(x, panel, factor);
#pragma GCC unroll 8
      for (std::size_t f = 0; f < sign_panel; ++f)
#pragma GCC unroll 4
        for (std::size_t i = 0; i < tokens; ++i) sum[i] = hn::MulAdd(q[i][f], factor[f], sum[i]);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < tokens; ++i) hn::BlendedStore(sum[i], some, Rows(), out + i * count);
    }
  }
}

HWY_INLINE std::size_t panels_of(const SignTokens& at) {
  return (at.rows + sign_panel - 1) / sign_panel;
}

void logits(const SignLogits& all) {
  for (std::size_t panel = 0; panel < panels_of(all.at); ++panel)
    on_tokens(all.at.k, [&](auto tokens, std::size_t r) HWY_ATTR { add_logits<tokens()>(all, panel, r); });
}

// The patterns of eight groups of a column as one word.
void make_words(const std::uint8_t* patterns, std::size_t groups, std::size_t columns, std::uint64_t* words) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const hn::Rebind<std::uint32_t, decltype(d)> half;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  for (std::size_t g = 0; g < groups; g += 8, words += columns)
    for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
      auto word = hn::Zero(d);
      for (std::size_t t = groups - g < 8 ? groups - g : 8; t-- > 0;) {
        const auto next = hn::LoadU(bytes, patterns + (g + t) * columns + c);
        word = hn::Or(hn::ShiftLeft<8>(word), hn::PromoteTo(d, hn::PromoteTo(half, next)));
      }
      hn::StoreU(word, d, words + c);
    }
}

// The next lookups of some tokens, whose signs are the lowest bytes of their words.
template <std::size_t tokens>
HWY_INLINE void add_lookups(const double* tables, std::size_t groups, std::uint64_t (&word)[tokens],
                            Vec (&value)[tokens][vectors]) {
#pragma GCC unroll 8
  for (std::size_t t = 0; t < groups; ++t)
#pragma GCC unroll 4
    for (std::size_t i = 0; i < tokens; ++i) {
      const double* const row = tables + t * sign_table + (word[i] & 0xff);
      word[i] >>= 8;
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v)
        value[i][v] = hn::Add(value[i][v], hn::Load(Rows(), row + v * lanes));
    }
}

// What tokens j, j + 1, .. of a head add to a panel of all labels in scratch, (examples) x (k) x (rows of a
// panel); a lane is a row.
template <std::size_t tokens>
HWY_NOINLINE void add_values(const SignMixtures all, std::size_t head, std::size_t panel, std::size_t j) {
  const std::size_t k = all.at.k, count = all.at.count, columns = k * count, groups = all.at.groups;
  const double* const tables = all.tables[head] + panel * groups * sign_table;
  const bool add = head > 0 || j > 0;
  double* y = all.scratch;
  const double* const labels = all.y + panel * sign_panel * all.y_stride;
  for (std::size_t n = 0; n < count; ++n) {
    // Asks for the memory that write_labels() will write, a line of the cache for each token: with the last
    // example it has asked for all of the panel.
    for (std::size_t r = 0; r < k && !add; ++r)
      __builtin_prefetch(labels + n % sign_panel * all.y_stride + r * count + n / sign_panel * sign_panel, 1,
                         2);
    Vec value[tokens][vectors];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < tokens; ++i)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) value[i][v] = hn::Zero(Rows());
    const std::uint64_t* words = all.at.words + j * count + n;
    const double* table = tables;
    std::size_t left = groups;
    for (; left >= 8; left -= 8, words += columns, table += 8 * sign_table) {
      std::uint64_t word[tokens];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < tokens; ++i) word[i] = words[i * count];
      add_lookups(table, 8, word, value);
    }
    if (left > 0) {
      std::uint64_t word[tokens];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < tokens; ++i) word[i] = words[i * count];
      for (; left >= 4; left -= 4, table += 4 * sign_table) add_lookups(table, 4, word, value);
      for (; left > 0; --left, table += sign_table) add_lookups(table, 1, word, value);
    }
    const double* p = all.p + (head * k + j) * all.p_stride + n;
    for (std::size_t r = 0; r < k; ++r, p += count, y += sign_panel)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < vectors; ++v) {
        Vec sum = add ? hn::LoadU(Rows(), y + v * lanes) : hn::Zero(Rows());
#pragma GCC unroll 4
        for (std::size_t i = 0; i < tokens; ++i)
          sum = hn::Add(sum, hn::Mul(hn::Set(Rows(), p[i * all.p_stride]), value[i][v]));
        hn::StoreU(sum, Rows(), y + v * lanes);
      }
  }
}

// A panel of all labels, from scratch to its rows.
HWY_NOINLINE void write_labels(const SignMixtures all, std::size_t panel) {
  const std::size_t k = all.at.k, count = all.at.count, rows = rows_of_panel(panel * sign_panel, all.at.rows);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t n = 0; n < count; n += together) {
      const std::size_t left = count - n < together ? count - n : together;
      const double* const from = all.scratch + (n * k + r) * sign_panel;
      double* const to = all.y + panel * sign_panel * all.y_stride + r * count + n;
      Columns columns;
#pragma GCC unroll 8
      for (std::size_t t = 0; t < together; ++t)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          columns.of[t][v] = hn::LoadU(Rows(), from + (t < left ? t : 0) * k * sign_panel + v * lanes);
      if (left == together)
        store_columns(columns, rows, to, all.y_stride);
      else
        store_some(columns, rows, left, to, all.y_stride);
    }
}

void mixtures(const SignMixtures& all) {
  for (std::size_t panel = 0; panel < panels_of(all.at); ++panel) {
    for (std::size_t head = 0; head < all.heads; ++head)
      on_tokens(all.at.k,
                [&](auto tokens, std::size_t j) HWY_ATTR { add_values<tokens()>(all, head, panel, j); });
    write_labels(all, panel);
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
        sum_groups(tables, (here + 3) / 4, patterns + f, d, sums);
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
  constexpr std::size_t ahead = 128;  // entries; past the end of the matrix nothing is read
  auto pattern = hn::Zero(d), wrong = hn::Zero(d);
  for (std::size_t t = features; t-- > 0;) {
    __builtin_prefetch(x + t * stride + ahead);
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
HWY_EXPORT(make_words);
HWY_EXPORT(make_tables);
HWY_EXPORT(multiply);
HWY_EXPORT(add_outer);
HWY_EXPORT(logits);
HWY_EXPORT(mixtures);

bool sign_patterns(const StridedRows& x, std::uint8_t* patterns) {
  return HWY_DYNAMIC_DISPATCH(take_patterns)(x, patterns);
}

void sign_words(const std::uint8_t* patterns, std::size_t groups, std::size_t columns, std::uint64_t* words) {
  HWY_DYNAMIC_DISPATCH(make_words)(patterns, groups, columns, words);
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

void sign_logits(const SignLogits& products) {
  HWY_DYNAMIC_DISPATCH(logits)(products);
}

void sign_mixtures(const SignMixtures& products) {
  HWY_DYNAMIC_DISPATCH(mixtures)(products);
}

}  // namespace hardhead::attention
#endif
