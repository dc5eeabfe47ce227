// Compiled once for each target, on top of the oldest CPU, as attention/kernels/sign_kernels.cc is.
//
// A tile of out stays in registers while it goes through a panel of b, which is as wide as the tile and as
// deep as the first-level cache allows, and lies there in one piece. K. Goto, R. van de Geijn, "Anatomy of
// high-performance matrix multiplication", ACM Transactions on Mathematical Software 34 (2008).
#include "attention/kernels/matrix_product_kernels.h"

#include "base/numeric/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/matrix_product_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// Nothing runs here: one number at a time is no quicker than what the compiler makes of Eigen.
void multiply_doubles(const MatrixProduct<double>&) {}
void multiply_floats(const MatrixProduct<float>&) {}

#else

// Half of the registers of AVX2 hold a tile, and three quarters of those of AVX-512.
#if HWY_CAP_GE512
constexpr std::size_t tile_rows = 8;
#else
constexpr std::size_t tile_rows = 4;
#endif
constexpr std::size_t tile_vectors = 3, panel_bytes = 24 * 1024, band_bytes = 256 * 1024;

template <class Scalar>
using Tag = hn::CappedTag<Scalar, 64 / sizeof(Scalar)>;
template <class Scalar>
constexpr std::size_t lanes = hn::MaxLanes(Tag<Scalar>());
template <class Scalar>
constexpr std::size_t tile_columns = tile_vectors * lanes<Scalar>;
// 128 or 256, and as many rows of a as a second-level cache holds.
template <class Scalar>
constexpr std::size_t panel_depth = panel_bytes / sizeof(Scalar) / tile_columns<Scalar>;
template <class Scalar>
constexpr std::size_t band_rows = band_bytes / sizeof(Scalar) / panel_depth<Scalar>;

HWY_INLINE std::size_t at_most(std::size_t count, std::size_t limit) {
  return count < limit ? count : limit;
}

// Where a panel's products go, row after row; `last`: lanes of its last vector; `add`: to what is there.
template <class Scalar>
struct Target {
  Scalar* out;
  std::size_t step, last;
  bool add;
};

// `panel`: depth x (vectors of lanes), row after row. Brings the next tile of out to the cache meanwhile.
template <std::size_t rows, std::size_t vectors, class Scalar>
HWY_INLINE void tile(const Strided<const Scalar> a, const Scalar* HWY_RESTRICT panel, std::size_t depth,
                     const Target<Scalar> target) {
  constexpr Tag<Scalar> d;
  constexpr std::size_t wide = lanes<Scalar>;
  hn::Vec<Tag<Scalar> > sums[rows][vectors];
  const auto mask = hn::FirstN(d, target.last);
  // whole(sum, place) for all vectors that are whole, part(sum, place) for the others.
  const auto for_each = [&](const auto& whole, const auto& part) HWY_ATTR {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i) {
      Scalar* const row = target.out + i * target.step;
#pragma GCC unroll 3
      for (std::size_t v = 0; v + 1 < vectors; ++v) whole(sums[i][v], row + v * wide);
      if (target.last == wide)
        whole(sums[i][vectors - 1], row + (vectors - 1) * wide);
      else
        part(sums[i][vectors - 1], row + (vectors - 1) * wide);
    }
  };
  const auto load = [&](auto& sum, const Scalar* from) HWY_ATTR { sum = hn::LoadU(d, from); };
  const auto load_some = [&](auto& sum, const Scalar* from) HWY_ATTR { sum = hn::MaskedLoad(mask, d, from); };
  const auto clear = [&](auto& sum, const Scalar*) HWY_ATTR { sum = hn::Zero(d); };
  if (target.add)
    for_each(load, load_some);
  else
    for_each(clear, clear);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v)
      __builtin_prefetch(target.out + (rows + i) * target.step + v * wide, 1, 3);
  const Scalar* HWY_RESTRICT column = a.data;
  for (std::size_t l = 0; l < depth; ++l, column += a.column_step, panel += vectors * wide) {
    hn::Vec<Tag<Scalar> > b[vectors];
#pragma GCC unroll 3
    for (std::size_t v = 0; v < vectors; ++v) b[v] = hn::Load(d, panel + v * wide);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i) {
      const auto entry = hn::Set(d, column[i * a.row_step]);
#pragma GCC unroll 3
      for (std::size_t v = 0; v < vectors; ++v) sums[i][v] = hn::MulAdd(entry, b[v], sums[i][v]);
    }
  }
  for_each([&](const auto& sum, Scalar* to) HWY_ATTR { hn::StoreU(sum, d, to); },
           [&](const auto& sum, Scalar* to) HWY_ATTR { hn::BlendedStore(sum, mask, d, to); });
}

// Rows of a matrix for tiles of out: as they are, or each tile's rows one piece, column after column.
template <class Scalar>
struct Band {
  Strided<const Scalar> first;
  std::size_t tile_step;  // from a tile to the next
  std::size_t rows;
};

// All rows of a band with a panel.
template <std::size_t vectors, class Scalar>
HWY_NOINLINE void multiply_band(Band<Scalar> band, const Scalar* panel, std::size_t depth,
                                Target<Scalar> target) {
  const auto tiles = [&]<std::size_t n>(std::size_t step) HWY_ATTR {
    for (; band.rows >= n; band.rows -= n, band.first.data += step, target.out += n * target.step)
      tile<n, vectors>(band.first, panel, depth, target);
  };
  tiles.template operator()<tile_rows>(band.tile_step);
  if constexpr (tile_rows == 8) tiles.template operator()<4>(4 * band.first.row_step);
  tiles.template operator()<2>(2 * band.first.row_step);
  tiles.template operator()<1>(band.first.row_step);
}

// Rows of a matrix whose rows are contiguous, one after another, each filled up with zeros.
template <class Scalar>
HWY_INLINE void copy_rows(const Strided<const Scalar>& from, std::size_t depth, std::size_t columns,
                          std::size_t width, Scalar* to) {
  constexpr Tag<Scalar> d;
  constexpr std::size_t wide = lanes<Scalar>;
  for (std::size_t l = 0; l < depth; ++l, to += width) {
    const Scalar* row = from.data + l * from.row_step;
    std::size_t c = 0;
    for (; c + wide <= columns; c += wide) hn::Store(hn::LoadU(d, row + c), d, to + c);
    if (c < width)
      hn::BlendedStore(hn::MaskedLoad(hn::FirstN(d, columns - c), d, row + c), hn::FirstN(d, width - c), d,
                       to + c);
  }
}

// Squares of four floats or two doubles, turned.
HWY_INLINE void turn(const float* HWY_RESTRICT from, std::size_t step, float* HWY_RESTRICT to,
                     std::size_t width) {
  constexpr hn::Full128<float> d;
  constexpr hn::Repartition<double, hn::Full128<float> > pairs;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + step), r2 = hn::LoadU(d, from + 2 * step),
             r3 = hn::LoadU(d, from + 3 * step);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1)),
             low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3)),
             high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1)),
             high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + width);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * width);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * width);
}

HWY_INLINE void turn(const double* HWY_RESTRICT from, std::size_t step, double* HWY_RESTRICT to,
                     std::size_t width) {
  constexpr hn::Full128<double> d;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + step);
  hn::Store(hn::InterleaveLower(d, r0, r1), d, to);
  hn::Store(hn::InterleaveUpper(d, r0, r1), d, to + width);
}

// The same of a matrix whose columns are contiguous.
template <class Scalar>
HWY_INLINE void turn_columns(const Strided<const Scalar>& from, std::size_t depth, std::size_t columns,
                             std::size_t width, Scalar* to) {
  constexpr std::size_t side = 16 / sizeof(Scalar);
  const std::size_t whole = depth / side * side;
  std::size_t c = 0;
  for (; c + side <= columns; c += side) {
    const Scalar* column = from.data + c * from.column_step;
    for (std::size_t l = 0; l < whole; l += side)
      turn(column + l, from.column_step, to + l * width + c, width);
    for (std::size_t l = whole; l < depth; ++l)
      for (std::size_t i = 0; i < side; ++i) to[l * width + c + i] = column[i * from.column_step + l];
  }
  for (; c < width; ++c)
    for (std::size_t l = 0; l < depth; ++l)
      to[l * width + c] = c < columns ? from.data[c * from.column_step + l] : Scalar{0};
}

// Columns of b, row after row, each filled up with zeros to `width`.
template <class Scalar>
HWY_INLINE void make_panel(const Strided<const Scalar>& b, std::size_t depth, std::size_t columns,
                           std::size_t width, Scalar* panel) {
  if (b.column_step == 1)
    copy_rows(b, depth, columns, width, panel);
  else
    turn_columns(b, depth, columns, width, panel);
}

template <class Scalar>
HWY_INLINE Strided<const Scalar> part(const Strided<const Scalar>& of, std::size_t row, std::size_t column) {
  return {of.data + row * of.row_step + column * of.column_step, of.row_step, of.column_step};
}

// Tiles of a, turned where its rows are contiguous.
template <class Scalar>
HWY_INLINE Band<Scalar> make_band(const Strided<const Scalar>& a, std::size_t rows, std::size_t depth,
                                  Scalar* to) {
  for (std::size_t i = 0; i < rows; i += tile_rows)
    make_panel<Scalar>({a.data + i * a.row_step, a.column_step, a.row_step}, depth,
                       at_most(rows - i, tile_rows), tile_rows, to + i * depth);
  return {{to, 1, tile_rows}, tile_rows * depth, rows};
}

template <class Scalar>
HWY_INLINE void multiply_with_panel(const Band<Scalar>& band, const Scalar* panel, std::size_t depth,
                                    std::size_t vectors, const Target<Scalar>& target) {
  if (vectors == 3)
    multiply_band<3>(band, panel, depth, target);
  else if (vectors == 2)
    multiply_band<2>(band, panel, depth, target);
  else
    multiply_band<1>(band, panel, depth, target);
}

// Columns of the next panel: a panel of one vector is slow, so that four are two and two.
template <class Scalar>
HWY_INLINE std::size_t next_width(std::size_t columns_left) {
  const std::size_t vectors = (columns_left + lanes<Scalar> - 1) / lanes<Scalar>;
  return (vectors == 4 ? 2 : tile_vectors) * lanes<Scalar>;
}

template <class Scalar>
HWY_INLINE void multiply_all(const MatrixProduct<Scalar>& all) {
  constexpr std::size_t wide = lanes<Scalar>, deep = panel_depth<Scalar>;
  static_assert(panel_bytes + band_bytes == product_scratch_bytes);
  Scalar *const panel = all.scratch, *const tiles = panel + deep * tile_columns<Scalar>;
  if (all.depth == 0 && !all.add)
    for (std::size_t i = 0; i < all.rows; ++i)
      for (std::size_t j = 0; j < all.columns; ++j) all.out[i * all.out_step + j] = 0;
  for (std::size_t from = 0; from < all.depth; from += deep)
    for (std::size_t row = 0; row < all.rows; row += band_rows<Scalar>) {
      const std::size_t depth = at_most(all.depth - from, deep),
                        rows = at_most(all.rows - row, band_rows<Scalar>);
      const Strided<const Scalar> a = part(all.a, row, from);
      const bool turned = a.column_step != 1 || all.columns > 4 * tile_columns<Scalar>;
      const Band<Scalar> band =
          turned ? make_band(a, rows, depth, tiles) : Band<Scalar>{a, tile_rows * a.row_step, rows};
      for (std::size_t c = 0, width = 0; c < all.columns; c += width) {
        width = next_width<Scalar>(all.columns - c);
        const std::size_t columns = at_most(all.columns - c, width), vectors = (columns + wide - 1) / wide;
        make_panel(part(all.b, from, c), depth, columns, vectors * wide, panel);
        multiply_with_panel(band, panel, depth, vectors,
                            Target<Scalar>{all.out + row * all.out_step + c, all.out_step,
                                           columns - (vectors - 1) * wide, all.add || from > 0});
      }
    }
}

void multiply_doubles(const MatrixProduct<double>& product) {
  multiply_all(product);
}
void multiply_floats(const MatrixProduct<float>& product) {
  multiply_all(product);
}

#endif

}  // namespace
}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(multiply_doubles);
HWY_EXPORT(multiply_floats);

void multiply(const MatrixProduct<double>& product) {
#if HWY_ARCH_X86
  if (simd_target() == SimdTarget::baseline) return N_AVX2::multiply_doubles(product);
#endif
  HWY_DYNAMIC_DISPATCH(multiply_doubles)(product);
}

void multiply(const MatrixProduct<float>& product) {
#if HWY_ARCH_X86
  if (simd_target() == SimdTarget::baseline) return N_AVX2::multiply_floats(product);
#endif
  HWY_DYNAMIC_DISPATCH(multiply_floats)(product);
}

}  // namespace hardhead::attention
#endif
