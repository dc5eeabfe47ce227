#include "attention/forward/token_products.h"

#include <algorithm>
#include <type_traits>

#include "attention/forward/four.h"

namespace hardhead::attention {
namespace {

// Rows of tokens: token a of example n has feature f at data[f stride + a count + n].
struct Tokens {
  const double* data;
  Index stride, rows;
  explicit Tokens(const Eigen::Ref<const RowMatrix>& m)
      : data(m.data()), stride(m.outerStride()), rows(m.rows()) {}
};

// All inner products of left with right tokens, k of each an example: that of tokens r and j of example n
// goes to out[j out_stride + r count + n].
struct Products {
  Tokens left, right;
  Index k, count;
  double* out;
  Index out_stride;
};

// Weights of k x k pairs of tokens: that of (a, b) of example n is data[a step_a + b step_b + n].
struct Weights {
  const double* data;
  Index step_a, step_b;
};

// Calls body(k) with k as a constant where it is small: the loops over tokens then unroll into registers.
template <class Body>
void with_tokens(Index k, const Body& body) {
  switch (k) {
    case 2:
      return body(std::integral_constant<Index, 2>());
    case 3:
      return body(std::integral_constant<Index, 3>());
    case 4:
      return body(std::integral_constant<Index, 4>());
    default:
      return body(k);
  }
}

// Rows of a block lie a multiple of a large power of two apart: more of them fall on the same lines of a
// cache.
constexpr Index features_at_once = 16;

// Sums of tokens r .. r + together - 1 against all j for 4 width examples from n on, in registers while
// features first .. last - 1 run.
template <Index k, Index together, Index width>
void products_of_tokens(const Products& products, Index first, Index last, Index r, Index n) {
  const Tokens left = products.left, right = products.right;
  const Index count = products.count, out_stride = products.out_stride;
  double* const out = products.out;
  Four sums[together][k][width] = {};
  if (first > 0)
    unrolled<together>([&](auto t) {
      unrolled<k>([&](auto j) {
        unrolled<width>(
            [&](auto w) { sums[t][j][w] = load(out + j * out_stride + (r + t) * count + n + 4 * w); });
      });
    });
  for (Index f = first; f < last; ++f) {
    const double* const u = left.data + f * left.stride + r * count + n;
    const double* const v = right.data + f * right.stride + n;
    unrolled<width>([&](auto w) {
      Four x[k];
      unrolled<k>([&](auto j) { x[j] = load(v + j * count + 4 * w); });
      unrolled<together>([&](auto t) {
        const Four q = load(u + t * count + 4 * w);
        unrolled<k>([&](auto j) { sums[t][j][w] += q * x[j]; });
      });
    });
  }
  unrolled<together>([&](auto t) {
    unrolled<k>([&](auto j) {
      unrolled<width>(
          [&](auto w) { store(out + j * out_stride + (r + t) * count + n + 4 * w, sums[t][j][w]); });
    });
  });
}

// Examples first .. count - 1, any k.
void products_one_by_one(const Products& products, Index first) {
  const Tokens left = products.left, right = products.right;
  const Index k = products.k, count = products.count;
  for (Index r = 0; r < k; ++r)
    for (Index j = 0; j < k; ++j) {
      const double* u = left.data + r * count;
      const double* v = right.data + j * count;
      double* sum = products.out + j * products.out_stride + r * count;
      std::fill(sum + first, sum + count, 0.0);
      for (Index f = 0; f < left.rows; ++f)
        for (Index n = first; n < count; ++n) sum[n] += u[f * left.stride + n] * v[f * right.stride + n];
    }
}

// What a feature becomes, four examples at a time; returns the first example that is left over.
template <Index k, bool add>
Index mix_feature(Weights weights, const double* x, Index count, double* z) {
  const auto [weight, step_a, step_b] = weights;
  Index n = 0;
  for (; n + 4 <= count; n += 4) {
    Four token[k];
    unrolled<k>([&](auto b) { token[b] = load(x + b * count + n); });
    unrolled<k>([&](auto a) {
      const double* const row = weight + a * step_a + n;
      Four sum = {};  // from zero, so that every step is one and the same fused multiplication and addition
      unrolled<k>([&](auto b) { sum += load(row + b * step_b) * token[b]; });
      if constexpr (add) sum += load(z + a * count + n);
      store(z + a * count + n, sum);
    });
  }
  return n;
}

// out[a] (+)= sum_b weight[a, b] token b for k tokens.
template <bool add>
void mix(Weights weights, Tokens tokens, Index k, Index count, Eigen::Ref<RowMatrix> out) {
  with_tokens(k, [&](auto many) {
    for (Index f = 0; f < tokens.rows; ++f) {
      const double* const x = tokens.data + f * tokens.stride;
      double* const z = out.data() + f * out.outerStride();
      const Index first = [&] {
        if constexpr (std::is_same_v<decltype(many), Index>)
          return Index{0};
        else
          return mix_feature<many, add>(weights, x, count, z);
      }();
      if (first == count) continue;
      // The rest, in the same order of sums.
      constexpr Index strip = 64;
      for (Index a = 0; a < k; ++a)
        for (Index n = first; n < count; n += strip) {
          const Index many_examples = std::min(strip, count - n);
          double sum[strip] = {};
          for (Index b = 0; b < k; ++b)
            for (Index t = 0; t < many_examples; ++t)
              sum[t] += weights.data[a * weights.step_a + b * weights.step_b + n + t] * x[b * count + n + t];
          for (Index t = 0; t < many_examples; ++t) {
            double& to = z[a * count + n + t];
            to = add ? sum[t] + to : sum[t];
          }
        }
    }
  });
}

}  // namespace

void token_products(Eigen::Ref<const RowMatrix> left, Eigen::Ref<const RowMatrix> right, Index k, Index count,
                    Eigen::Ref<RowMatrix> out) {
  const Index rows = left.rows();
  const Products products{Tokens(left), Tokens(right), k, count, out.data(), out.outerStride()};
  with_tokens(k, [&](auto many) {
    if constexpr (std::is_same_v<decltype(many), Index>) {
      products_one_by_one(products, 0);
    } else {
      // As many sums as sixteen registers hold beside their factors; a strip of eight uses whole cache lines.
      constexpr Index together = many == 4 ? 1 : Index{many}, width = many == 3 ? 1 : 2, strip = 4 * width;
      const Index whole = count / strip * strip;
      for (Index first = 0; first < rows; first += features_at_once)
        for (Index n = 0; n < whole; n += strip)
          for (Index r = 0; r < k; r += together)
            products_of_tokens<many, together, width>(products, first,
                                                      std::min(rows, first + features_at_once), r, n);
      if (whole < count) products_one_by_one(products, whole);
    }
  });
}

void token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                    Index count, Eigen::Ref<RowMatrix> out) {
  mix<false>({weight.data(), count, weight.outerStride()}, Tokens(tokens), k, count, out);
}

void add_token_mixtures(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                        Index count, Eigen::Ref<RowMatrix> out) {
  mix<true>({weight.data(), count, weight.outerStride()}, Tokens(tokens), k, count, out);
}

void token_mixtures_adjoint(Eigen::Ref<const RowMatrix> weight, Eigen::Ref<const RowMatrix> tokens, Index k,
                            Index count, Eigen::Ref<RowMatrix> out) {
  mix<false>({weight.data(), weight.outerStride(), count}, Tokens(tokens), k, count, out);
}

void softmax_jacobian(Eigen::Ref<const RowMatrix> p, Eigen::Ref<RowMatrix> v) {
  v.array().rowwise() -= (p.array() * v.array()).colwise().sum().eval();
  v.array() *= p.array();
}

}  // namespace hardhead::attention
