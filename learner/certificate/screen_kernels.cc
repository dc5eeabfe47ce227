// Compiled once for each target, on top of the oldest CPU, as attention/kernels/single_kernels.cc is.
#include "learner/certificate/screen_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learner/certificate/screen_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include "attention/kernels/sign_lookup-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hardhead::learner::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace hardhead::attention::HWY_NAMESPACE;

constexpr Lanes lanes;
constexpr float u = 0x1p-24F;

HWY_INLINE Vec number(float value) {
  return hn::Set(lanes, value);
}
HWY_INLINE Vec times(float factor, Vec v) {
  return hn::Mul(number(factor), v);
}

// A strip of examples: E of the header and T of the labelled features, feature by feature.
template <std::size_t k>
struct Strip {
  static constexpr std::size_t n = k - 1;
  const ScreenRows all;  // a copy: vector stores may alias what is referred to
  std::size_t first, width;
  float *difference, *target, *packed;

  Strip(const ScreenRows& rows, std::size_t first_example)
      : all(rows),
        first(first_example),
        width(vectors * hn::Lanes(lanes)),
        difference(rows.scratch),
        target(difference + n * features() * width),
        packed(target + k * labelled() * width) {
    for (std::size_t g = 0; g < rows.groups; ++g)
      for (std::size_t token = 0; token < k; ++token)
        pack_places(rows.signs + (g * k + token) * rows.places + first, width,
                    packed + (g * k + token) * width);
  }

  std::size_t features() const { return all.tiles * tile_rows; }
  std::size_t labelled() const { return all.label_tiles * tile_rows; }
  // Features lie tokens or rows * width apart.
  float* difference_of(std::size_t feature, std::size_t token) const {
    return difference + (feature * n + token) * width;
  }
  const float* places_of(std::size_t token) const { return packed + token * width; }
  float* target_of(std::size_t feature, std::size_t row) const {
    return target + (feature * k + row) * width;
  }
};

// Asks for memory line by line, into the second level of the cache: the few loads that can be under way at a
// time are spread over all of the work, which by itself hardly needs any. (What does nothing but prefetch
// must be inlined always, or change something: GCC leaves out calls of functions without effects.)
class Ahead {
 public:
  Ahead(MemoryRange range, MemoryRange then) : at_(range.from), end_(range.from + range.bytes), then_(then) {}

  HWY_INLINE void ask_for_a_line() {
    constexpr std::size_t line = 64;
    if (at_ >= end_) at_ = then_.from, end_ = then_.from + then_.bytes, then_ = {};
    if (at_ >= end_) return;
    __builtin_prefetch(at_, 0, 2);
    at_ += line;
  }

 private:
  const std::byte *at_, *end_;
  MemoryRange then_;
};

template <std::size_t k>
HWY_INLINE void take_images(const Strip<k>& strip, Ahead& ahead) {
  const ScreenRows& all = strip.all;
  const std::size_t lane_count = hn::Lanes(lanes), stride = k * all.places;
  for (std::size_t tile = 0; tile < all.tiles; ++tile) {
    const float* const tables = all.w_sum + tile * all.groups * tile_table;
    Vec v_last[tile_rows * vectors], image[tile_rows * vectors];
    const auto each_group = [&] { ahead.ask_for_a_line(); };
    tile_products(tables, all.groups, strip.places_of(k - 1), k * strip.width, v_last, each_group);
    for (std::size_t r = 0; r < k && tile < all.label_tiles; ++r)
#pragma GCC unroll 8
      for (std::size_t t = 0; t < tile_rows; ++t)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) {
          const std::size_t feature = tile * tile_rows + t;
          const float* const y = all.y + feature * stride + r * all.places + strip.first + v * lane_count;
          hn::StoreU(hn::Sub(hn::LoadU(lanes, y), v_last[t * vectors + v]), lanes,
                     strip.target_of(feature, r) + v * lane_count);
        }
    for (std::size_t a = 0; a + 1 < k; ++a) {
      tile_products(tables, all.groups, strip.places_of(a), k * strip.width, image, each_group);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < tile_rows; ++t)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v)
          hn::StoreU(hn::Sub(image[t * vectors + v], v_last[t * vectors + v]), lanes,
                     strip.difference_of(tile * tile_rows + t, a) + v * lane_count);
    }
  }
}

// A Gram matrix and its Cholesky factor, lower halves, and the reciprocals of the factor's diagonal: a
// division takes as long as ten products. That a product with one rounds twice, the 8 of gamma covers.
template <std::size_t n>
struct Gram {
  Vec entry[n][n];
  Vec lower[n][n];
  Vec inverse[n];
};

// What a vector of examples is judged by: of all features, and of the labelled ones.
template <std::size_t k>
struct Moments {
  static constexpr std::size_t n = k - 1;
  Gram<n> whole, gram;  // E^T E
  Vec right[k][n];      // E^T T
  Vec size2[k];         // ||T||^2
  Vec c[k][n];          // coefficients
  Vec rho2[k];          // ||rho||^2
  Vec along[k][n];      // E^T rho
};

// Adds feature `f` of E, which it returns in `e`.
template <std::size_t k, std::size_t n = k - 1>
HWY_INLINE void add_to_gram(const Strip<k>& strip, std::size_t f, std::size_t at, Vec (&e)[n],
                            Gram<n>& gram) {
#pragma GCC unroll 4
  for (std::size_t a = 0; a < n; ++a) {
    e[a] = hn::LoadU(lanes, strip.difference_of(f, a) + at);
#pragma GCC unroll 4
    for (std::size_t b = 0; b <= a; ++b) gram.entry[a][b] = hn::MulAdd(e[a], e[b], gram.entry[a][b]);
  }
}

template <std::size_t k>
HWY_INLINE void take_moments(const Strip<k>& strip, std::size_t at, Moments<k>& m, Ahead& ahead) {
  constexpr std::size_t n = k - 1;
  Vec e[n];
#pragma GCC unroll 4
  for (std::size_t a = 0; a < n; ++a)
#pragma GCC unroll 4
    for (std::size_t b = 0; b <= a; ++b) m.gram.entry[a][b] = hn::Zero(lanes);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < k; ++r) {
    m.size2[r] = hn::Zero(lanes);
#pragma GCC unroll 4
    for (std::size_t a = 0; a < n; ++a) m.right[r][a] = hn::Zero(lanes);
  }
  for (std::size_t f = 0; f < strip.labelled(); ++f) {
    ahead.ask_for_a_line();
    add_to_gram(strip, f, at, e, m.gram);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < k; ++r) {
      const Vec t = hn::LoadU(lanes, strip.target_of(f, r) + at);
      m.size2[r] = hn::MulAdd(t, t, m.size2[r]);
#pragma GCC unroll 4
      for (std::size_t a = 0; a < n; ++a) m.right[r][a] = hn::MulAdd(t, e[a], m.right[r][a]);
    }
  }
  m.whole = m.gram;
  for (std::size_t f = strip.labelled(); f < strip.features(); ++f) add_to_gram(strip, f, at, e, m.whole);
}

template <std::size_t n>
HWY_INLINE void factorise(Gram<n>& gram) {
#pragma GCC unroll 4
  for (std::size_t a = 0; a < n; ++a)
#pragma GCC unroll 4
    for (std::size_t b = 0; b <= a; ++b) {
      Vec sum = gram.entry[a][b];
#pragma GCC unroll 4
      for (std::size_t c = 0; c < b; ++c) sum = hn::NegMulAdd(gram.lower[a][c], gram.lower[b][c], sum);
      gram.lower[a][b] = a == b ? hn::Sqrt(sum) : hn::Mul(sum, gram.inverse[b]);
      if (a == b) gram.inverse[a] = hn::Div(number(1), gram.lower[a][a]);
    }
}

template <std::size_t k>
HWY_INLINE void solve(Moments<k>& m) {
  constexpr std::size_t n = k - 1;
  const auto& lower = m.gram.lower;
  const auto& inverse = m.gram.inverse;
#pragma GCC unroll 4
  for (std::size_t r = 0; r < k; ++r) {
#pragma GCC unroll 4
    for (std::size_t a = 0; a < n; ++a) {
      Vec sum = m.right[r][a];
#pragma GCC unroll 4
      for (std::size_t b = 0; b < a; ++b) sum = hn::NegMulAdd(lower[a][b], m.c[r][b], sum);
      m.c[r][a] = hn::Mul(sum, inverse[a]);
    }
#pragma GCC unroll 4
    for (std::size_t down = 0; down < n; ++down) {
      const std::size_t a = n - 1 - down;
      Vec sum = m.c[r][a];
#pragma GCC unroll 4
      for (std::size_t b = a + 1; b < n; ++b) sum = hn::NegMulAdd(lower[b][a], m.c[r][b], sum);
      m.c[r][a] = hn::Mul(sum, inverse[a]);
    }
  }
}

template <std::size_t k>
HWY_INLINE void take_residuals(const Strip<k>& strip, std::size_t at, Moments<k>& m, Ahead& ahead) {
  constexpr std::size_t n = k - 1;
#pragma GCC unroll 4
  for (std::size_t r = 0; r < k; ++r) {
    m.rho2[r] = hn::Zero(lanes);
#pragma GCC unroll 4
    for (std::size_t a = 0; a < n; ++a) m.along[r][a] = hn::Zero(lanes);
  }
  for (std::size_t f = 0; f < strip.labelled(); ++f) {
    ahead.ask_for_a_line();
    Vec e[n];
#pragma GCC unroll 4
    for (std::size_t a = 0; a < n; ++a) e[a] = hn::LoadU(lanes, strip.difference_of(f, a) + at);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < k; ++r) {
      Vec rho = hn::LoadU(lanes, strip.target_of(f, r) + at);
#pragma GCC unroll 4
      for (std::size_t a = 0; a < n; ++a) rho = hn::NegMulAdd(m.c[r][a], e[a], rho);
      m.rho2[r] = hn::MulAdd(rho, rho, m.rho2[r]);
#pragma GCC unroll 4
      for (std::size_t a = 0; a < n; ++a) m.along[r][a] = hn::MulAdd(rho, e[a], m.along[r][a]);
    }
  }
}

template <std::size_t n>
HWY_INLINE Vec trace_of(const Gram<n>& gram) {
  Vec trace = gram.entry[0][0];
#pragma GCC unroll 4
  for (std::size_t a = 1; a < n; ++a) trace = hn::Add(trace, gram.entry[a][a]);
  return trace;
}

HWY_INLINE Vec gram_error(Vec trace, float gamma) {
  return times(2.02F * gamma, trace);
}

// lambda of the header.
template <std::size_t n>
HWY_INLINE Vec least_eigenvalue(const Gram<n>& gram, float gamma) {
  Vec determinant = gram.lower[0][0], frobenius = hn::Zero(lanes);
#pragma GCC unroll 4
  for (std::size_t a = 0; a < n; ++a) {
    if (a > 0) determinant = hn::Mul(determinant, gram.lower[a][a]);
#pragma GCC unroll 4
    for (std::size_t b = 0; b <= a; ++b)
      frobenius = hn::MulAdd(gram.lower[a][b], gram.lower[a][b], frobenius);
  }
  Vec sigma2 = hn::Mul(determinant, determinant);
  if constexpr (n > 1) {
    const Vec ratio = hn::Div(number(static_cast<float>(n - 1)), frobenius);
#pragma GCC unroll 4
    for (std::size_t a = 1; a < n; ++a) sigma2 = hn::Mul(sigma2, ratio);
  }
  return hn::Sub(times(0.999F, sigma2), gram_error(trace_of(gram), gamma));
}

// What holds for all rows of an example: names as in screen.h.
struct Example {
  Vec size;                   // ||E||_F
  Vec target;                 // the largest ||T||
  Vec inverse, inverse_root;  // 1 / lambda of the labelled features, and its root
  Vec delta;                  // at least ||E - D||_F
  Vec pivot;                  // at least the smallest
  hn::Mask<Lanes> well, ill;  // posed, for sure
};

template <std::size_t k>
HWY_INLINE Example example_of(const Moments<k>& m, float gamma, float image_error) {
  constexpr std::size_t n = k - 1;
  Example out;
  Vec smallest = m.whole.lower[0][0], largest = smallest;
#pragma GCC unroll 4
  for (std::size_t a = 1; a < n; ++a) {
    smallest = hn::Min(smallest, m.whole.lower[a][a]);
    largest = hn::Max(largest, m.whole.lower[a][a]);
  }
  const Vec trace = trace_of(m.whole), lambda = least_eigenvalue(m.whole, gamma),
            inverse = hn::Div(number(1), lambda);
  out.size = hn::Sqrt(trace);
  constexpr float root_n = n == 1 ? 1 : n == 2 ? 1.4143F : 1.7321F;
  out.delta = hn::MulAdd(number(1.01F * u), out.size, number(2.01F * root_n * image_error));
  const Vec omega =
      times(1.1F, hn::MulAdd(gram_error(trace, gamma), inverse, hn::Mul(out.delta, hn::Sqrt(inverse))));
  out.pivot = hn::Mul(smallest, hn::MulAdd(number(2), omega, number(1)));
  // Comparisons with NaN are false.
  auto sure = hn::And(hn::Gt(lambda, hn::Zero(lanes)), hn::Lt(omega, number(0.05F)));
  sure = hn::And(sure, hn::And(hn::Gt(trace, number(1e-10F)), hn::Lt(trace, number(1e10F))));
  const Vec least = times(0.1F, largest), margin = hn::Mul(times(3, omega), least);
  out.well = hn::And(sure, hn::Gt(smallest, hn::Add(least, margin)));
  out.well = hn::And(out.well, hn::Gt(trace_of(m.gram), number(1e-10F)));
  out.ill = hn::And(sure, hn::Lt(smallest, hn::Sub(least, margin)));
  out.inverse = hn::Div(number(1), least_eigenvalue(m.gram, gamma));
  out.inverse_root = hn::Sqrt(out.inverse);
  Vec largest_target = m.size2[0];
#pragma GCC unroll 4
  for (std::size_t r = 1; r < k; ++r) largest_target = hn::Max(largest_target, m.size2[r]);
  out.target = hn::Sqrt(largest_target);
  return out;
}

// How far c is from the pattern of an eligible row whose score meets the bound, at most, but for |g| / lambda
// and second order: fact 3 where all features are labelled, else fact 4.
template <std::size_t k>
HWY_INLINE Vec moved(const Strip<k>& strip, const Example& example, Vec tau, Vec coefficients) {
  const Vec delta = example.delta;
  if (strip.labelled() == strip.features())
    return hn::MulAdd(hn::MulAdd(delta, coefficients, tau), example.inverse_root,
                      hn::Mul(hn::Mul(delta, hn::Add(example.target, tau)), example.inverse));
  const Vec reach = times(1.0001F * strip.all.bound / static_cast<float>(k), example.pivot);
  return hn::Mul(hn::Add(reach, hn::Add(tau, delta)), example.inverse_root);
}

// Whether row r of a well-posed example is not eligible, or its score does not meet the bound.
template <std::size_t k>
HWY_INLINE hn::Mask<Lanes> is_ruled_out(const Strip<k>& strip, const Moments<k>& m, const Example& example,
                                        std::size_t r, float gamma) {
  constexpr std::size_t n = k - 1;
  const ScreenRows& all = strip.all;
  const Vec size = example.target, rho = hn::Sqrt(m.rho2[r]);
  // Of E^T rho the sum of sizes, which is no less than the norm.
  Vec coefficients = hn::Zero(lanes), least = number(1), last = number(1), gradient = hn::Zero(lanes);
#pragma GCC unroll 4
  for (std::size_t a = 0; a < n; ++a) {
    coefficients = hn::Add(coefficients, hn::Abs(m.c[r][a]));
    last = hn::Sub(last, m.c[r][a]);
    least = hn::Min(least, m.c[r][a]);
    gradient = hn::Add(gradient, hn::Abs(m.along[r][a]));
  }
  least = hn::Min(least, last);
  const Vec tau = hn::MulAdd(number(1.01F * u), size, number(1.01F * (all.label_error + all.image_error)));
  // Two roundings a step where there is no fused one.
  const Vec rho_error = times(2.1F * u * static_cast<float>(n), hn::MulAdd(coefficients, example.size, size));
  const Vec along = hn::MulAdd(times(2, example.size), hn::MulAdd(number(gamma), rho, rho_error), gradient);
  // Facts 2 to 4.
  const Vec off = hn::Add(hn::MulAdd(along, example.inverse_root, rho_error), hn::Add(tau, example.delta));
  const Vec distance = hn::Sub(times(0.9999F - gamma, rho), times(1.01F, off));
  const Vec found = hn::Mul(along, example.inverse);
  const Vec of_data = moved(strip, example, tau, hn::Add(coefficients, found));
  const Vec pattern_error = hn::MulAdd(number(1.8F), hn::MulAdd(number(1.1F), of_data, found),
                                       times(4 * u, hn::Add(number(1), coefficients)));
  // The entries of a pattern add up to 1.
  const Vec most = hn::Min(hn::Add(least, pattern_error), number(1.0001F / static_cast<float>(k)));
  const Vec worst = hn::Mul(times(1.0001F * all.bound, example.pivot), most);
  return hn::Or(hn::Gt(distance, worst), hn::Lt(most, number(0.99999F * all.floor)));
}

template <std::size_t k>
HWY_INLINE void judge(const Strip<k>& strip, Ahead& ahead) {
  const float gamma = 1.02F * u * static_cast<float>(strip.features() + 8);
  const std::size_t lane_count = hn::Lanes(lanes);
  for (std::size_t v = 0; v < vectors; ++v) {
    Moments<k> m;
    take_moments(strip, v * lane_count, m, ahead);
    factorise(m.whole), factorise(m.gram);
    solve(m);
    take_residuals(strip, v * lane_count, m, ahead);
    const Example example = example_of(m, gamma, strip.all.image_error);
    auto all_rows = example.well;
#pragma GCC unroll 4
    for (std::size_t r = 0; r < k; ++r)
      all_rows = hn::And(all_rows, is_ruled_out(strip, m, example, r, gamma));
    hn::StoreU(hn::IfThenElseZero(hn::Or(all_rows, example.ill), number(1)), lanes,
               strip.all.ruled_out + strip.first + v * lane_count);
  }
}

template <std::size_t k>
void screen_strips(const ScreenRows& rows) {
  const std::size_t width = vectors * hn::Lanes(lanes);
  Ahead ahead(rows.next_tokens, rows.next_labels);
  for (std::size_t first = 0; first < rows.places; first += width) {
    const Strip<k> strip(rows, first);
    take_images(strip, ahead);
    judge(strip, ahead);
  }
}

void screen_all(const ScreenRows& rows) {
  switch (rows.k) {
    case 2:
      return screen_strips<2>(rows);
    case 3:
      return screen_strips<3>(rows);
    default:
      return screen_strips<4>(rows);
  }
}

}  // namespace hardhead::learner::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hardhead::learner {

HWY_EXPORT(screen_all);

std::size_t screen_rows_scratch(std::size_t k, std::size_t tiles) {
  constexpr std::size_t most_strip = 48;
  constexpr std::size_t groups_a_tile = 2;
  return ((2 * k - 1) * 8 + groups_a_tile * k) * tiles * most_strip;
}

void screen_rows(const ScreenRows& rows) {
  HWY_DYNAMIC_DISPATCH(screen_all)(rows);
}

}  // namespace hardhead::learner
#endif
