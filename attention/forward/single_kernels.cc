// Compiled once for each target, on top of the oldest CPU (CMakeLists.txt): nothing of Eigen and little of
// the standard library, whose functions the linker would take for those of all other files.
#include "attention/forward/single_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/forward/single_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include "attention/forward/sign_lookup-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {

// Examples that go through a table together.
HWY_INLINE std::size_t strip() {
  return vectors * hn::Lanes(Lanes());
}

// What is kept of a strip of examples, in scratch: for each token but the last and each feature, the token
// less the last one, and patterns p[r][j] of rows r and tokens j but the last.
struct Strip {
  const SingleLabels all;  // a copy: vector stores may alias what is referred to
  std::size_t first;       // example
  float *difference, *pattern;

  Strip(const SingleLabels& labels, std::size_t first_example) : all(labels), first(first_example) {
    const std::size_t last = labels.k - 1, differences = last * labels.tiles * tile_rows;
    difference = labels.scratch + (differences + labels.k * last) * first;
    pattern = difference + differences * strip();
  }

  const std::uint8_t* signs(std::size_t token) const { return all.signs + token * all.places + first; }
  std::size_t stride() const { return all.k * all.places; }
  float* difference_of(std::size_t token, std::size_t feature) const {
    return difference + (token * all.tiles * tile_rows + feature) * strip();
  }
  float* pattern_of(std::size_t row, std::size_t token) const {
    return pattern + (row * (all.k - 1) + token) * strip();
  }
};

HWY_INLINE void take_differences(const Strip& strip_of) {
  const Lanes lanes;
  const Ints ints;
  const std::size_t last = strip_of.all.k - 1, n = hn::Lanes(lanes);
  const hn::Rebind<std::uint8_t, Lanes> bytes;
  for (std::size_t g = 0; g < strip_of.all.groups; ++g)
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t at = g * strip_of.stride() + v * n;
      const auto of_last = hn::PromoteTo(ints, hn::LoadU(bytes, strip_of.signs(last) + at));
      for (std::size_t j = 0; j < last; ++j) {
        const auto of_token = hn::PromoteTo(ints, hn::LoadU(bytes, strip_of.signs(j) + at));
        for (std::size_t t = 0; t < 4 && 4 * g + t < strip_of.all.tiles * tile_rows; ++t) {
          const auto bit = hn::Set(ints, 1 << t);
          // (1 - 2 [negative]) less the same of the last token.
          const auto twice = hn::Sub(hn::And(of_last, bit), hn::And(of_token, bit));
          const Vec x =
              hn::Mul(hn::ConvertTo(lanes, twice), hn::Set(lanes, 2.0F / static_cast<float>(1 << t)));
          hn::StoreU(x, lanes, strip_of.difference_of(j, 4 * g + t) + v * n);
        }
      }
    }
}

// What a tile of features adds to the logits of a row less that of its last token, which go where its
// patterns will be.
HWY_INLINE void add_logits(const Strip& strip_of, const float* theta, std::size_t row, std::size_t tile) {
  const Lanes lanes;
  const SingleLabels& all = strip_of.all;
  const std::size_t n = hn::Lanes(lanes);
  Vec q[tile_rows * vectors];
  tile_products(theta + tile * all.groups * tile_table, all.groups, strip_of.signs(row), strip_of.stride(),
                q);
  for (std::size_t j = 0; j + 1 < all.k; ++j) {
    const float* const x = strip_of.difference_of(j, tile * tile_rows);
    float* const to = strip_of.pattern_of(row, j);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      Vec sum = hn::Mul(q[v], hn::LoadU(lanes, x + v * n));
#pragma GCC unroll 8
      for (std::size_t t = 1; t < tile_rows; ++t)
        sum = hn::MulAdd(q[t * vectors + v], hn::LoadU(lanes, x + (t * vectors + v) * n), sum);
      if (tile > 0) sum = hn::Add(sum, hn::LoadU(lanes, to + v * n));
      hn::StoreU(sum, lanes, to + v * n);
    }
  }
}

// Logits, 0 that of the last token, become patterns.
HWY_INLINE void take_softmax(const Strip& strip_of, std::size_t row) {
  const Lanes lanes;
  const std::size_t last = strip_of.all.k - 1, n = hn::Lanes(lanes);
  for (std::size_t v = 0; v < vectors; ++v) {
    if (last == 1) {  // one exponential is enough
      float* const p = strip_of.pattern_of(row, 0) + v * n;
      const Vec logit = hn::LoadU(lanes, p), one = hn::Set(lanes, 1.0F),
                e = hn::Exp(lanes, hn::Neg(hn::Abs(logit)));
      const Vec larger = hn::IfThenElse(hn::Ge(logit, hn::Zero(lanes)), one, e);
      hn::StoreU(hn::Div(larger, hn::Add(one, e)), lanes, p);
      continue;
    }
    Vec largest = hn::Zero(lanes);
    for (std::size_t j = 0; j < last; ++j)
      largest = hn::Max(largest, hn::LoadU(lanes, strip_of.pattern_of(row, j) + v * n));
    Vec sum = hn::Exp(lanes, hn::Neg(largest));
    for (std::size_t j = 0; j < last; ++j) {
      float* const p = strip_of.pattern_of(row, j) + v * n;
      const Vec e = hn::Exp(lanes, hn::Sub(hn::LoadU(lanes, p), largest));
      hn::StoreU(e, lanes, p);
      sum = hn::Add(sum, e);
    }
    const Vec scale = hn::Div(hn::Set(lanes, 1.0F), sum);
    for (std::size_t j = 0; j < last; ++j) {
      float* const p = strip_of.pattern_of(row, j) + v * n;
      hn::StoreU(hn::Mul(hn::LoadU(lanes, p), scale), lanes, p);
    }
  }
}

// y_r = W_sum^T x_last to begin with.
HWY_INLINE void begin_labels(const Strip& strip_of, std::size_t tile) {
  const Lanes lanes;
  const SingleLabels& all = strip_of.all;
  const std::size_t n = hn::Lanes(lanes);
  Vec v_last[tile_rows * vectors];
  tile_products(all.w_sum + tile * all.groups * tile_table, all.groups, strip_of.signs(all.k - 1),
                strip_of.stride(), v_last);
  for (std::size_t r = 0; r < all.k; ++r)
#pragma GCC unroll 8
    for (std::size_t t = 0; t < tile_rows; ++t)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v)
        hn::StoreU(
            v_last[t * vectors + v], lanes,
            all.y + (tile * tile_rows + t) * strip_of.stride() + r * all.places + strip_of.first + v * n);
}

// y_r += sum_j p[r, j] W^T (x_j - x_last).
HWY_INLINE void add_values(const Strip& strip_of, const float* w, std::size_t tile) {
  const Lanes lanes;
  const SingleLabels& all = strip_of.all;
  const std::size_t n = hn::Lanes(lanes);
  const float* const tables = w + tile * all.groups * tile_table;
  Vec v_last[tile_rows * vectors], value[tile_rows * vectors];
  tile_products(tables, all.groups, strip_of.signs(all.k - 1), strip_of.stride(), v_last);
  for (std::size_t j = 0; j + 1 < all.k; ++j) {
    tile_products(tables, all.groups, strip_of.signs(j), strip_of.stride(), value);
#pragma GCC unroll 32
    for (std::size_t i = 0; i < tile_rows * vectors; ++i) value[i] = hn::Sub(value[i], v_last[i]);
    for (std::size_t r = 0; r < all.k; ++r) {
      const float* const p = strip_of.pattern_of(r, j);
      float* const y = all.y + tile * tile_rows * strip_of.stride() + r * all.places + strip_of.first;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) {
        const Vec weight = hn::LoadU(lanes, p + v * n);
#pragma GCC unroll 8
        for (std::size_t t = 0; t < tile_rows; ++t) {
          float* const to = y + t * strip_of.stride() + v * n;
          hn::StoreU(hn::MulAdd(weight, value[t * vectors + v], hn::LoadU(lanes, to)), lanes, to);
        }
      }
    }
  }
}

// body(strip) for all strips of the block.
template <class Body>
HWY_INLINE void on_strips(const SingleLabels& all, const Body& body) {
  for (std::size_t first = 0; first < all.places; first += strip()) body(Strip(all, first));
}

// Tile by tile, all strips and rows at a time: the tables of a tile stay in the first-level cache.
void labels_of(const SingleLabels& all) {
  on_strips(all, [](const Strip& strip_of) HWY_ATTR { take_differences(strip_of); });
  for (std::size_t tile = 0; tile < all.tiles; ++tile)
    on_strips(all, [tile](const Strip& strip_of) HWY_ATTR { begin_labels(strip_of, tile); });
  for (std::size_t i = 0; i < all.heads; ++i) {
    const float *const theta = all.theta[i], *const w = all.w[i];
    for (std::size_t tile = 0; tile < all.tiles; ++tile)
      for (std::size_t r = 0; r < all.k; ++r)
        on_strips(all, [=](const Strip& strip_of) HWY_ATTR { add_logits(strip_of, theta, r, tile); });
    for (std::size_t r = 0; r < all.k; ++r)
      on_strips(all, [r](const Strip& strip_of) HWY_ATTR { take_softmax(strip_of, r); });
    for (std::size_t tile = 0; tile < all.tiles; ++tile)
      on_strips(all, [=](const Strip& strip_of) HWY_ATTR { add_values(strip_of, w, tile); });
  }
}

}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(labels_of);

std::size_t single_labels_scratch(std::size_t k, std::size_t tiles, std::size_t places) {
  return ((k - 1) * tiles * 8 + k * (k - 1)) * places;
}

void single_labels(const SingleLabels& labels) {
  HWY_DYNAMIC_DISPATCH(labels_of)(labels);
}

}  // namespace hardhead::attention
#endif
