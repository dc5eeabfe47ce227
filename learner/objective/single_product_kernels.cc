// Compiled once for each target, on top of the oldest CPU, as attention/kernels/single_kernels.cc is.
#include "learner/objective/single_product_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learner/objective/single_product_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include "attention/kernels/sign_lookup-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hardhead::learner::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace hardhead::attention::HWY_NAMESPACE;

constexpr Lanes lanes;

// Not fused, so that a CPU without that instruction has the same bits.
HWY_INLINE Vec add_product(Vec sum, Vec left, Vec right) {
  return hn::Add(sum, hn::Mul(left, right));
}

// The four signs of each of the sixteen patterns.
HWY_ALIGN constexpr float sign_of[4][table_size] = {{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1},
                                                    {1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1},
                                                    {1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1},
                                                    {1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1}};

// The sums of four numbers with the signs of patterns first, first + 1, ..; products with signs are exact.
HWY_INLINE Vec signed_sums(const float* four, std::size_t first) {
  const auto term = [=](std::size_t t) HWY_ATTR {
    return hn::Mul(hn::Set(lanes, four[t]), hn::Load(lanes, sign_of[t] + first));
  };
  return hn::Add(hn::Add(term(0), term(1)), hn::Add(term(2), term(3)));
}

void make_tables(const float* matrix, std::size_t rows, std::size_t columns, float* tables) {
  const std::size_t groups = (columns + 3) / 4;
  for (std::size_t first = 0; first < rows; first += tile_rows)
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t t = 0; t < tile_rows; ++t, tables += table_size) {
        const std::size_t row = first + t, left = columns - 4 * g;
        const float* const from = matrix + row * columns + 4 * g;
        float four[4] = {};
        if (row < rows)
          for (std::size_t i = 0; i < 4 && i < left; ++i) four[i] = from[i];
        for (std::size_t i = 0; i < table_size; i += hn::Lanes(lanes))
          hn::Store(signed_sums(four, i), lanes, tables + i);
      }
}

// Examples that go through a table together.
HWY_INLINE std::size_t strip() {
  return vectors * hn::Lanes(lanes);
}

// Where the places of a block's arrays begin.
struct Arrays {
  const SingleAttended at;  // a copy: vector stores may alias what is referred to

  std::size_t last() const { return at.k - 1; }
  std::size_t features() const { return at.tiles * tile_rows; }
  std::size_t stride() const { return at.k * at.places; }
  const std::uint8_t* signs(std::size_t token) const { return at.signs + token * at.places; }
  std::size_t columns() const { return (features() + single_columns - 1) / single_columns * single_columns; }
  const float* token(std::size_t r, std::size_t feature) const {
    return at.token + (r * features() + feature) * at.places;
  }
  const float* difference(std::size_t j, std::size_t feature) const {
    return at.difference + (j * features() + feature) * at.places;
  }
  std::size_t pair(std::size_t r, std::size_t j) const { return (r * last() + j) * at.places; }
  const float* pattern(std::size_t head, std::size_t r, std::size_t j) const {
    return at.pattern + head * at.k * last() * at.places + pair(r, j);
  }
  const float* value(std::size_t head, std::size_t j, std::size_t feature) const {
    return at.value + ((head * last() + j) * features() + feature) * at.places;
  }
};

// What a tile of features adds to the changes of the logits of row r, for the strip from `first` on.
HWY_INLINE void add_logits(const Arrays& of, const float* theta, std::size_t tile, std::size_t r,
                           std::size_t first, float* logits) {
  const std::size_t n = hn::Lanes(lanes);
  Vec q[tile_rows * vectors];
  tile_products(theta + tile * of.at.groups * tile_table, of.at.groups, of.signs(r) + first, of.stride(), q);
  for (std::size_t j = 0; j < of.last(); ++j) {
    const float* const x = of.difference(j, tile * tile_rows) + first;
    float* const to = logits + of.pair(r, j) + first;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      Vec sum = tile > 0 ? hn::LoadU(lanes, to + v * n) : hn::Zero(lanes);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < tile_rows; ++t)
        sum = add_product(sum, q[t * vectors + v], hn::LoadU(lanes, x + t * of.at.places + v * n));
      hn::StoreU(sum, lanes, to + v * n);
    }
  }
}

// v <- p o (v - <p, v>) for all rows of a head, in place; the last token's v is 0.
HWY_INLINE void apply_softmax_jacobian(const Arrays& of, std::size_t head, float* changes) {
  for (std::size_t r = 0; r < of.at.k; ++r)
    for (std::size_t c = 0; c < of.at.places; c += hn::Lanes(lanes)) {
      Vec mean = hn::Zero(lanes);
      for (std::size_t j = 0; j < of.last(); ++j)
        mean = add_product(mean, hn::LoadU(lanes, of.pattern(head, r, j) + c),
                           hn::LoadU(lanes, changes + of.pair(r, j) + c));
      for (std::size_t j = 0; j < of.last(); ++j) {
        float* const to = changes + of.pair(r, j) + c;
        const Vec less = hn::Sub(hn::LoadU(lanes, to), mean);
        hn::StoreU(hn::Mul(hn::LoadU(lanes, of.pattern(head, r, j) + c), less), lanes, to);
      }
    }
}

// y_r = dW_sum^T x_k to begin with.
HWY_INLINE void begin_change(const Arrays& of, const float* w_sum, std::size_t tile, std::size_t first,
                             float* y) {
  const std::size_t n = hn::Lanes(lanes);
  Vec v_last[tile_rows * vectors];
  tile_products(w_sum + tile * of.at.groups * tile_table, of.at.groups, of.signs(of.last()) + first,
                of.stride(), v_last);
  for (std::size_t r = 0; r < of.at.k; ++r)
#pragma GCC unroll 8
    for (std::size_t t = 0; t < tile_rows; ++t)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v)
        hn::StoreU(v_last[t * vectors + v], lanes,
                   y + (tile * tile_rows + t) * of.stride() + r * of.at.places + first + v * n);
}

// y_r += sum_j dp[r, j] V_j + p[r, j] dW^T D_j, for a tile of features.
HWY_INLINE void add_change(const Arrays& of, const SingleTangent& all, std::size_t head, std::size_t tile,
                           std::size_t first) {
  const std::size_t n = hn::Lanes(lanes), matrix = of.at.tiles * of.at.groups * tile_table;
  const float *const tables = all.w + head * matrix + tile * of.at.groups * tile_table, *const dp =
                                                                                            all.scratch;
  float* const y = all.y;
  Vec v_last[tile_rows * vectors], change[tile_rows * vectors];
  tile_products(tables, of.at.groups, of.signs(of.last()) + first, of.stride(), v_last);
  for (std::size_t j = 0; j < of.last(); ++j) {
    tile_products(tables, of.at.groups, of.signs(j) + first, of.stride(), change);
#pragma GCC unroll 32
    for (std::size_t i = 0; i < tile_rows * vectors; ++i) change[i] = hn::Sub(change[i], v_last[i]);
    const float* const value = of.value(head, j, tile * tile_rows) + first;
    for (std::size_t r = 0; r < of.at.k; ++r) {
      const float *const p = of.pattern(head, r, j) + first, *const moved = dp + of.pair(r, j) + first;
      float* const row = y + tile * tile_rows * of.stride() + r * of.at.places + first;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) {
        const Vec weight = hn::LoadU(lanes, p + v * n), weight_change = hn::LoadU(lanes, moved + v * n);
#pragma GCC unroll 8
        for (std::size_t t = 0; t < tile_rows; ++t) {
          float* const to = row + t * of.stride() + v * n;
          const Vec sum = add_product(hn::LoadU(lanes, to), weight, change[t * vectors + v]);
          hn::StoreU(add_product(sum, weight_change, hn::LoadU(lanes, value + t * of.at.places + v * n)),
                     lanes, to);
        }
      }
    }
  }
}

// Tile by tile, all strips and rows at a time: the tables of a tile stay in the first-level cache.
void tangent_of(const SingleTangent& all) {
  const Arrays of{all.at};
  const std::size_t matrix = all.at.tiles * all.at.groups * tile_table;
  for (std::size_t tile = 0; tile < all.at.tiles; ++tile)
    for (std::size_t first = 0; first < all.at.places; first += strip())
      begin_change(of, all.w_sum, tile, first, all.y);
  for (std::size_t i = 0; i < all.at.heads; ++i) {
    for (std::size_t tile = 0; tile < all.at.tiles; ++tile)
      for (std::size_t r = 0; r < all.at.k; ++r)
        for (std::size_t first = 0; first < all.at.places; first += strip())
          add_logits(of, all.theta + i * matrix, tile, r, first, all.scratch);
    apply_softmax_jacobian(of, i, all.scratch);
    for (std::size_t tile = 0; tile < all.at.tiles; ++tile)
      for (std::size_t first = 0; first < all.at.places; first += strip())
        add_change(of, all, i, tile, first);
  }
}

// Vectors of places whose sums are made together, which do not wait for each other.
constexpr std::size_t places_at_once = 3;

// to[j] = sum over the features of u_r V_j, for `some` tokens j, in registers; `row` and `value` begin with
// the first feature.
template <std::size_t some>
HWY_INLINE void weigh_values(const Arrays& of, const float* row, const float* value, float* to) {
  const std::size_t n = hn::Lanes(lanes), places = of.at.places, stride = of.stride(),
                    next_value = of.features() * places;
  Vec sum[some][places_at_once];
#pragma GCC unroll 4
  for (std::size_t j = 0; j < some; ++j)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < places_at_once; ++v) sum[j][v] = hn::Zero(lanes);
  for (std::size_t f = 0; f < of.features(); ++f, row += stride, value += places) {
    Vec factor[places_at_once];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < places_at_once; ++v) factor[v] = hn::LoadU(lanes, row + v * n);
#pragma GCC unroll 4
    for (std::size_t j = 0; j < some; ++j)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < places_at_once; ++v)
        sum[j][v] = add_product(sum[j][v], factor[v], hn::LoadU(lanes, value + j * next_value + v * n));
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < some; ++j)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < places_at_once; ++v) hn::StoreU(sum[j][v], lanes, to + j * places + v * n);
}

// g_i[r, j] = u_r . V_ij.
HWY_INLINE void weigh_all_values(const Arrays& of, const float* u, std::size_t head, float* changes) {
  for (std::size_t r = 0; r < of.at.k; ++r)
    for (std::size_t c = 0; c < of.at.places; c += places_at_once * hn::Lanes(lanes)) {
      const float* const row = u + r * of.at.places + c;
      std::size_t j = 0;
      const auto value = [&]() HWY_ATTR { return of.value(head, j, 0) + c; };
      const auto to = [&]() HWY_ATTR { return changes + of.pair(r, j) + c; };
      for (; j + 3 <= of.last(); j += 3) weigh_values<3>(of, row, value(), to());
      for (; j + 2 <= of.last(); j += 2) weigh_values<2>(of, row, value(), to());
      if (j < of.last()) weigh_values<1>(of, row, value(), to());
    }
}

// K_j = sum_r dl[r, j] x_r and E_j = sum_r p[r, j] u_r.
HWY_INLINE void mix(const Arrays& of, const float* u, std::size_t head, const float* changes, float* key,
                    float* value) {
  const std::size_t images = of.last() * of.at.places;
  for (std::size_t f = 0; f < of.features(); ++f, key += images, value += images)
    for (std::size_t j = 0; j < of.last(); ++j)
      for (std::size_t c = 0; c < of.at.places; c += hn::Lanes(lanes)) {
        Vec of_key = hn::Zero(lanes), of_value = hn::Zero(lanes);
        for (std::size_t r = 0; r < of.at.k; ++r) {
          of_key = add_product(of_key, hn::LoadU(lanes, changes + of.pair(r, j) + c),
                               hn::LoadU(lanes, of.token(r, f) + c));
          of_value = add_product(of_value, hn::LoadU(lanes, of.pattern(head, r, j) + c),
                                 hn::LoadU(lanes, u + f * of.stride() + r * of.at.places + c));
        }
        hn::StoreU(of_key, lanes, key + j * of.at.places + c);
        hn::StoreU(of_value, lanes, value + j * of.at.places + c);
      }
}

// sum_r u_r.
HWY_INLINE void sum_rows(const Arrays& of, const float* u, float* sums) {
  for (std::size_t f = 0; f < of.features(); ++f)
    for (std::size_t c = 0; c < of.at.places; c += hn::Lanes(lanes)) {
      Vec sum = hn::Zero(lanes);
      for (std::size_t r = 0; r < of.at.k; ++r)
        sum = hn::Add(sum, hn::LoadU(lanes, u + f * of.stride() + r * of.at.places + c));
      hn::StoreU(sum, lanes, sums + f * of.at.places + c);
    }
}

// Rows whose sums are made together, and vectors of features: as many sums as registers hold.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr std::size_t outer_rows = 8;
#else
constexpr std::size_t outer_rows = 4;
#endif

// sum(row, f) += sum_c left(row, c) right(c, f) for some rows and `some` vectors of features, over the places
// of a token; rows on the left are `stride` apart. Factors on the right are 0, +-1 or +-2, so that products
// are exact, and fused or not the same.
template <std::size_t some>
HWY_INLINE void outer_tile(const Arrays& of, const float* left, std::size_t stride, const float* right,
                           float* sum) {
  const std::size_t n = hn::Lanes(lanes), columns = of.columns();
  Vec s[outer_rows][some];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < outer_rows; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < some; ++v) s[i][v] = hn::LoadU(lanes, sum + i * columns + v * n);
  for (std::size_t c = 0; c < of.at.places; ++c, right += columns) {
    Vec factor[some];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < some; ++v) factor[v] = hn::LoadU(lanes, right + v * n);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < outer_rows; ++i) {
      const Vec of_row = hn::Set(lanes, left[i * stride + c]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < some; ++v) s[i][v] = hn::MulAdd(of_row, factor[v], s[i][v]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < outer_rows; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < some; ++v) hn::StoreU(s[i][v], lanes, sum + i * columns + v * n);
}

// sum = left right, left: (features) x (tokens * places), right: (tokens * places) x (columns). Token by
// token and strip by strip of columns: what is on the right stays in the first-level cache.
void outer(const Arrays& of, const float* left, std::size_t tokens, const float* right, float* sum) {
  const std::size_t columns = of.columns(), n = hn::Lanes(lanes), stride = tokens * of.at.places;
  for (std::size_t i = 0; i < of.features() * columns; i += n) hn::StoreU(hn::Zero(lanes), lanes, sum + i);
  for (std::size_t j = 0; j < tokens; ++j, left += of.at.places, right += of.at.places * columns)
    for (std::size_t f = 0; f < columns;) {
      const bool two = f + 2 * n <= columns;
      for (std::size_t row = 0; row < of.features(); row += outer_rows)
        (two ? outer_tile<2> : outer_tile<1>)(of, left + row * stride, stride, right + f,
                                              sum + row * columns + f);
      f += two ? 2 * n : n;
    }
}

void adjoint_of(const SingleAdjoint& all) {
  const Arrays of{all.at};
  const std::size_t images = of.last() * of.at.places, matrix = of.features() * of.columns();
  float *const changes = all.scratch, *const key = changes + of.at.k * images,
               *const value = key + of.features() * images;
  const float* const last_token = all.at.transposed + images * of.columns();
  sum_rows(of, all.y, key);
  outer(of, key, 1, last_token, all.gradient + 2 * all.at.heads * matrix);
  for (std::size_t i = 0; i < all.at.heads; ++i) {
    weigh_all_values(of, all.y, i, changes);
    apply_softmax_jacobian(of, i, changes);
    mix(of, all.y, i, changes, key, value);
    outer(of, key, of.last(), all.at.transposed, all.gradient + i * matrix);
    outer(of, value, of.last(), all.at.transposed, all.gradient + (all.at.heads + i) * matrix);
  }
}

}  // namespace hardhead::learner::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::learner {

HWY_EXPORT(make_tables);
HWY_EXPORT(tangent_of);
HWY_EXPORT(adjoint_of);

void make_single_tables(const float* matrix, std::size_t rows, std::size_t columns, float* tables) {
  HWY_DYNAMIC_DISPATCH(make_tables)(matrix, rows, columns, tables);
}

void single_tangent(const SingleTangent& tangent) {
  HWY_DYNAMIC_DISPATCH(tangent_of)(tangent);
}

std::size_t single_adjoint_scratch(std::size_t k, std::size_t tiles, std::size_t places) {
  return (k - 1) * places * (k + 2 * 8 * tiles);
}

void single_adjoint(const SingleAdjoint& adjoint) {
  HWY_DYNAMIC_DISPATCH(adjoint_of)(adjoint);
}

}  // namespace hardhead::learner
#endif
