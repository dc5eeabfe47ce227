// Compiled once for each target, on top of the oldest CPU (CMakeLists.txt): nothing of Eigen and little of
// the standard library, whose functions the linker would take for those of all other files.
#include "attention/kernels/single_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernels/single_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include "attention/kernels/sign_lookup-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hardhead::attention::HWY_NAMESPACE {

// What is kept in scratch: packed places of all tokens; for each token but the last and each feature, the
// token less the last one; and patterns p[r][j] of rows r and tokens j but the last for some heads at a time.
struct Scratch {
  const SingleLabels all;  // a copy: vector stores may alias what is referred to
  float *packed, *differences, *patterns;

  explicit Scratch(const SingleLabels& labels)
      : all(labels),
        packed(labels.scratch),
        differences(packed + all.groups * stride()),
        patterns(differences + (all.k - 1) * all.tiles * tile_rows * all.places) {}

  std::size_t stride() const { return all.k * all.places; }
  const float* places_of(std::size_t token, std::size_t example) const {
    return packed + token * all.places + example;
  }
  float* difference_of(std::size_t token, std::size_t feature, std::size_t example) const {
    return differences + (token * all.tiles * tile_rows + feature) * all.places + example;
  }
  float* pattern_of(std::size_t head, std::size_t row, std::size_t token, std::size_t example) const {
    return patterns + ((head * all.k + row) * (all.k - 1) + token) * all.places + example;
  }
  float* label_of(std::size_t feature, std::size_t row, std::size_t example) const {
    return all.y + feature * stride() + row * all.places + example;
  }
};

HWY_INLINE void take_differences(const Scratch& scratch) {
  const Lanes lanes;
  const Ints ints;
  const SingleLabels& all = scratch.all;
  const std::size_t last = all.k - 1;
  const hn::Rebind<std::uint8_t, Lanes> bytes;
  for (std::size_t g = 0; g < all.groups; ++g)
    for (std::size_t n = 0; n < all.places; n += hn::Lanes(lanes)) {
      const std::uint8_t* const signs = all.signs + g * scratch.stride() + n;
      const auto of_last = hn::PromoteTo(ints, hn::LoadU(bytes, signs + last * all.places));
      for (std::size_t j = 0; j < last; ++j) {
        const auto of_token = hn::PromoteTo(ints, hn::LoadU(bytes, signs + j * all.places));
        for (std::size_t t = 0; t < 4 && 4 * g + t < all.tiles * tile_rows; ++t) {
          const auto bit = hn::Set(ints, 1 << t);
          // (1 - 2 [negative]) less the same of the last token.
          const auto twice = hn::Sub(hn::And(of_last, bit), hn::And(of_token, bit));
          const Vec x =
              hn::Mul(hn::ConvertTo(lanes, twice), hn::Set(lanes, 2.0F / static_cast<float>(1 << t)));
          hn::StoreU(x, lanes, scratch.difference_of(j, 4 * g + t, n));
        }
      }
    }
}

// What a tile of features adds to the logits of a row less that of its last token, which go where its
// patterns will be. Of a strip of examples that begins with `n`.
HWY_INLINE void add_logits(const Scratch& scratch, const float* theta, std::size_t head, std::size_t row,
                           std::size_t tile, std::size_t n) {
  const Lanes lanes;
  const SingleLabels& all = scratch.all;
  Vec q[tile_rows * vectors];
  tile_products(theta + tile * all.groups * tile_table, all.groups, scratch.places_of(row, n),
                scratch.stride(), q);
  for (std::size_t j = 0; j + 1 < all.k; ++j) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      const float* const x = scratch.difference_of(j, tile * tile_rows, n + v * hn::Lanes(lanes));
      float* const to = scratch.pattern_of(head, row, j, n + v * hn::Lanes(lanes));
      Vec sum = hn::Mul(q[v], hn::LoadU(lanes, x));
#pragma GCC unroll 8
      for (std::size_t t = 1; t < tile_rows; ++t)
        sum = hn::MulAdd(q[t * vectors + v], hn::LoadU(lanes, x + t * all.places), sum);
      if (tile > 0) sum = hn::Add(sum, hn::LoadU(lanes, to));
      hn::StoreU(sum, lanes, to);
    }
  }
}

// Logits, 0 that of the last token, become patterns.
HWY_INLINE void take_softmax(const Scratch& scratch, std::size_t head, std::size_t row) {
  const Lanes lanes;
  const std::size_t last = scratch.all.k - 1;
  for (std::size_t n = 0; n < scratch.all.places; n += hn::Lanes(lanes)) {
    if (last == 1) {  // one exponential is enough
      float* const p = scratch.pattern_of(head, row, 0, n);
      const Vec logit = hn::LoadU(lanes, p), one = hn::Set(lanes, 1.0F),
                e = hn::Exp(lanes, hn::Neg(hn::Abs(logit)));
      const Vec larger = hn::IfThenElse(hn::Ge(logit, hn::Zero(lanes)), one, e);
      hn::StoreU(hn::Div(larger, hn::Add(one, e)), lanes, p);
      continue;
    }
    Vec largest = hn::Zero(lanes);
    for (std::size_t j = 0; j < last; ++j)
      largest = hn::Max(largest, hn::LoadU(lanes, scratch.pattern_of(head, row, j, n)));
    Vec sum = hn::Exp(lanes, hn::Neg(largest));
    for (std::size_t j = 0; j < last; ++j) {
      float* const p = scratch.pattern_of(head, row, j, n);
      const Vec e = hn::Exp(lanes, hn::Sub(hn::LoadU(lanes, p), largest));
      hn::StoreU(e, lanes, p);
      sum = hn::Add(sum, e);
    }
    const Vec scale = hn::Div(hn::Set(lanes, 1.0F), sum);
    for (std::size_t j = 0; j < last; ++j) {
      float* const p = scratch.pattern_of(head, row, j, n);
      hn::StoreU(hn::Mul(hn::LoadU(lanes, p), scale), lanes, p);
    }
  }
}

// Features whose labels of all k rows stay in registers while heads are added.
template <std::size_t k>
constexpr std::size_t features_at_once() {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return k == 2 ? 8 : 4;
#else
  return k == 2 ? 4 : 2;
#endif
}

// sum[t] += sign * (matrix * x)(row t of `tables`) for the examples at `packed`.
template <int sign, std::size_t rows>
HWY_INLINE void add_products(const float* HWY_RESTRICT tables, std::size_t groups,
                             const float* HWY_RESTRICT packed, std::size_t stride, Vec (&sum)[rows]) {
  for (std::size_t g = 0; g < groups; ++g, tables += tile_table, packed += stride) {
    const Place place = place_of(packed);
#pragma GCC unroll 8
    for (std::size_t t = 0; t < rows; ++t) {
      const Vec entry = look_up(load_table(tables + t * table_size), place);
      sum[t] = sign > 0 ? hn::Add(sum[t], entry) : hn::Sub(sum[t], entry);
    }
  }
}

// y_r = W_sum^T x_last + sum_i sum_j p_i[r, j] W_i^T (x_j - x_last) for heads first .. end - 1, whose
// patterns are those of heads 0 .. in scratch; added to y where `first` is not 0.
template <std::size_t k>
HWY_INLINE void add_values(const Scratch& scratch, std::size_t first, std::size_t end, std::size_t feature,
                           std::size_t n) {
  constexpr std::size_t rows = features_at_once<k>();
  const Lanes lanes;
  const SingleLabels& all = scratch.all;
  const std::size_t at = feature / tile_rows * all.groups * tile_table + feature % tile_rows * table_size;
  Vec y[k][rows];
  if (first == 0) {
#pragma GCC unroll 8
    for (std::size_t t = 0; t < rows; ++t) y[0][t] = hn::Zero(lanes);
    add_products<1>(all.w_sum + at, all.groups, scratch.places_of(k - 1, n), scratch.stride(), y[0]);
#pragma GCC unroll 4
    for (std::size_t r = 1; r < k; ++r)
#pragma GCC unroll 8
      for (std::size_t t = 0; t < rows; ++t) y[r][t] = y[0][t];
  } else {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < k; ++r)
#pragma GCC unroll 8
      for (std::size_t t = 0; t < rows; ++t) y[r][t] = hn::LoadU(lanes, scratch.label_of(feature + t, r, n));
  }
  for (std::size_t i = first; i < end; ++i) {
    const float* const tables = all.w[i] + at;
    Vec less_last[rows];
#pragma GCC unroll 8
    for (std::size_t t = 0; t < rows; ++t) less_last[t] = hn::Zero(lanes);
    add_products<-1>(tables, all.groups, scratch.places_of(k - 1, n), scratch.stride(), less_last);
#pragma GCC unroll 4
    for (std::size_t j = 0; j + 1 < k; ++j) {
      Vec value[rows];
#pragma GCC unroll 8
      for (std::size_t t = 0; t < rows; ++t) value[t] = less_last[t];
      add_products<1>(tables, all.groups, scratch.places_of(j, n), scratch.stride(), value);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < k; ++r) {
        const Vec weight = hn::LoadU(lanes, scratch.pattern_of(i - first, r, j, n));
#pragma GCC unroll 8
        for (std::size_t t = 0; t < rows; ++t) y[r][t] = hn::MulAdd(weight, value[t], y[r][t]);
      }
    }
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < k; ++r)
#pragma GCC unroll 8
    for (std::size_t t = 0; t < rows; ++t) hn::StoreU(y[r][t], lanes, scratch.label_of(feature + t, r, n));
}

// Tile by tile, all examples at a time: the tables of a tile stay in the first-level cache.
template <std::size_t k>
void labels_of(const SingleLabels& labels) {
  const Scratch scratch(labels);
  pack_places(labels.signs, labels.groups * scratch.stride(), scratch.packed);
  take_differences(scratch);
  const std::size_t lane_count = hn::Lanes(Lanes());
  for (std::size_t first = 0; first < labels.heads; first += heads_at_once) {
    const std::size_t end = first + heads_at_once < labels.heads ? first + heads_at_once : labels.heads;
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t tile = 0; tile < labels.tiles; ++tile)
        for (std::size_t r = 0; r < k; ++r)
          for (std::size_t n = 0; n < labels.places; n += vectors * lane_count)
            add_logits(scratch, labels.theta[i], i - first, r, tile, n);
      for (std::size_t r = 0; r < k; ++r) take_softmax(scratch, i - first, r);
    }
    for (std::size_t feature = 0; feature < labels.label_tiles * tile_rows; feature += features_at_once<k>())
      for (std::size_t n = 0; n < labels.places; n += lane_count)
        add_values<k>(scratch, first, end, feature, n);
  }
}

void labels_of_all(const SingleLabels& labels) {
  switch (labels.k) {
    case 2:
      return labels_of<2>(labels);
    case 3:
      return labels_of<3>(labels);
    default:
      return labels_of<4>(labels);
  }
}

}  // namespace hardhead::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::attention {

HWY_EXPORT(labels_of_all);

std::size_t single_labels_scratch(std::size_t k, std::size_t tiles, std::size_t places) {
  constexpr std::size_t groups_a_tile = 2;
  return (k * tiles * groups_a_tile + (k - 1) * tiles * 8 + heads_at_once * k * (k - 1)) * places;
}

void single_labels(const SingleLabels& labels) {
  HWY_DYNAMIC_DISPATCH(labels_of_all)(labels);
}

}  // namespace hardhead::attention
#endif
