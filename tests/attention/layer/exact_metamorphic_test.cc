#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "attention/layer/exact.h"

namespace hardhead::attention {
namespace {

/// Changes of layers and inputs that change F in a known way: as in
/// tests/attention/forward/metamorphic_test.cc, and exact here.

using Dense = std::vector<std::vector<std::int64_t>>;  // of integers: half units of theta, or W

struct DenseHead {
  Dense theta, w;
};
struct DenseLayer {
  Index d = 1;
  std::int64_t base = 2;
  std::vector<DenseHead> heads;
};

ExactLayer exact(const DenseLayer& layer) {
  ExactLayer out{layer.d, layer.base, {}};
  for (const DenseHead& head : layer.heads) {
    ExactLayer::Head& to = out.heads.emplace_back();
    for (Index a = 0; a < layer.d; ++a)
      for (Index b = 0; b < layer.d; ++b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (head.theta[i][j] != 0) to.theta.push_back({a, b, head.theta[i][j]});
        if (head.w[i][j] != 0) to.w.push_back({a, b, Rational(head.w[i][j], 7)});
      }
  }
  return out;
}

Dense draw_matrix(Index d, int most) {
  const auto size = static_cast<std::size_t>(d);
  return *rc::gen::container<Dense>(size, rc::gen::container<std::vector<std::int64_t>>(
                                              size, rc::gen::inRange<std::int64_t>(-most, most + 1)));
}

DenseLayer draw_layer() {
  DenseLayer out{*rc::gen::inRange<Index>(1, 5), *rc::gen::inRange<std::int64_t>(2, 6), {}};
  const int heads = *rc::gen::inRange(1, 4);
  for (int i = 0; i < heads; ++i) out.heads.push_back({draw_matrix(out.d, 3), draw_matrix(out.d, 9)});
  return out;
}

std::vector<int> draw_tokens_of_signs(Index d, Index k) {
  return *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(d * k), rc::gen::element(-1, 1));
}

Dense combined(std::int64_t s, const Dense& x, std::int64_t t, const Dense& y) {
  Dense out = x;
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < x.size(); ++b) out[a][b] = s * x[a][b] + t * y[a][b];
  return out;
}

Dense zero(Index d) {
  return {static_cast<std::size_t>(d), std::vector<std::int64_t>(static_cast<std::size_t>(d), 0)};
}

/// Rows of `width` entries, in another order.
template <class Value>
std::vector<Value> reordered(const std::vector<Value>& rows, std::size_t width,
                             const std::vector<int>& order) {
  std::vector<Value> out;
  for (const int r : order)
    for (std::size_t b = 0; b < width; ++b) out.push_back(rows[static_cast<std::size_t>(r) * width + b]);
  return out;
}

std::vector<int> draw_order(Index count) {
  std::vector<int> order;
  const auto keys =
      *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(0, 1000));
  for (int i = 0; i < static_cast<int>(count); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](int i) { return keys[static_cast<std::size_t>(i)]; });
  return order;
}

RC_GTEST_PROP(ExactMetamorphic, PermutedTokensPermuteTheRows, ()) {
  const DenseLayer layer = draw_layer();
  const Index k = *rc::gen::inRange<Index>(1, 5);
  const auto x = draw_tokens_of_signs(layer.d, k);
  const auto order = draw_order(k);
  const auto d = static_cast<std::size_t>(layer.d);
  RC_ASSERT(evaluate(exact(layer), reordered(x, d, order)) == reordered(evaluate(exact(layer), x), d, order));
}

RC_GTEST_PROP(ExactMetamorphic, SignedPermutationsOfFeaturesActOnTheOutputs, ()) {
  const DenseLayer layer = draw_layer();
  const Index k = *rc::gen::inRange<Index>(1, 4);
  const auto x = draw_tokens_of_signs(layer.d, k);
  const auto order = draw_order(layer.d);  // feature b of X Q is sign_b times feature order_b of X
  const auto sign = draw_tokens_of_signs(layer.d, 1);
  const auto d = static_cast<std::size_t>(layer.d);
  const auto turned = [&](const auto& rows) {
    auto out = rows;
    for (std::size_t r = 0; r < rows.size() / d; ++r)
      for (std::size_t b = 0; b < d; ++b)
        out[r * d + b] = sign[b] * rows[r * d + static_cast<std::size_t>(order[b])];
    return out;
  };
  const auto conjugated = [&](const Dense& from) {
    Dense to = from;
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b)
        to[a][b] =
            sign[a] * sign[b] * from[static_cast<std::size_t>(order[a])][static_cast<std::size_t>(order[b])];
    return to;
  };
  DenseLayer other = layer;
  for (DenseHead& head : other.heads) head = {conjugated(head.theta), conjugated(head.w)};
  RC_ASSERT(evaluate(exact(other), turned(x)) == turned(evaluate(exact(layer), x)));
}

RC_GTEST_PROP(ExactMetamorphic, OutputsAreLinearInW, ()) {
  const DenseLayer one = draw_layer();
  DenseLayer two = one, sum = one;
  for (std::size_t i = 0; i < one.heads.size(); ++i) {
    two.heads[i].w = draw_matrix(one.d, 9);
    sum.heads[i].w = combined(3, one.heads[i].w, -2, two.heads[i].w);
  }
  const auto x = draw_tokens_of_signs(one.d, *rc::gen::inRange<Index>(1, 5));
  const auto y = evaluate(exact(one), x), z = evaluate(exact(two), x);
  std::vector<Rational> expected;
  for (std::size_t i = 0; i < y.size(); ++i) expected.push_back(3 * y[i] - 2 * z[i]);
  RC_ASSERT(evaluate(exact(sum), x) == expected);
}

RC_GTEST_PROP(ExactMetamorphic, SplitAndPermutedHeadsAreTheSameLayer, ()) {
  const DenseLayer layer = draw_layer();
  const auto x = draw_tokens_of_signs(layer.d, *rc::gen::inRange<Index>(1, 5));
  DenseLayer split = layer;
  const Dense part = draw_matrix(layer.d, 9);
  split.heads.push_back({layer.heads[0].theta, part});
  split.heads[0].w = combined(1, layer.heads[0].w, -1, part);
  std::ranges::reverse(split.heads);
  RC_ASSERT(evaluate(exact(split), x) == evaluate(exact(layer), x));
}

RC_GTEST_PROP(ExactMetamorphic, OfTwoTokensTheNegativeThetaIsTheComplement, ()) {
  const DenseLayer layer = draw_layer();
  DenseLayer pairs = layer, others = layer;
  pairs.heads.clear();
  others.heads.clear();
  for (const DenseHead& head : layer.heads) {
    const Dense second = draw_matrix(layer.d, 9), none = zero(layer.d);
    pairs.heads.push_back(head);
    pairs.heads.push_back({combined(-1, head.theta, 0, none), second});
    others.heads.push_back({head.theta, combined(1, head.w, -1, second)});
    others.heads.push_back({none, combined(2, second, 0, none)});
  }
  const auto x = draw_tokens_of_signs(layer.d, 2);
  RC_ASSERT(evaluate(exact(pairs), x) == evaluate(exact(others), x));
}

RC_GTEST_PROP(ExactMetamorphic, EqualTokensGiveTheirProductWithWSum, ()) {
  const DenseLayer layer = draw_layer();
  const auto token = draw_tokens_of_signs(layer.d, 1);
  const int k = *rc::gen::inRange(1, 5);
  std::vector<int> x;
  for (int a = 0; a < k; ++a) x.insert(x.end(), token.begin(), token.end());
  const auto d = static_cast<std::size_t>(layer.d);
  const auto w_sum = exact(layer).w_sum();
  std::vector<Rational> expected(x.size(), Rational(0));
  for (std::size_t at = 0; at < x.size(); ++at)
    for (std::size_t a = 0; a < d; ++a) expected[at] += token[a] * w_sum[a * d + at % d];
  RC_ASSERT(evaluate(exact(layer), x) == expected);
}

// Where a feature is one number in all tokens, a column of theta that multiplies it moves all logits of a row
// together.
RC_GTEST_PROP(ExactMetamorphic, LogitsMovedTogetherMoveNothing, ()) {
  const DenseLayer layer = draw_layer();
  const auto d = static_cast<std::size_t>(layer.d);
  const auto feature = *rc::gen::inRange<std::size_t>(0, d);
  auto x = draw_tokens_of_signs(layer.d, *rc::gen::inRange<Index>(1, 5));
  for (std::size_t at = 0; at < x.size(); at += d) x[at + feature] = x[feature];
  DenseLayer moved = layer;
  for (DenseHead& head : moved.heads)
    for (auto& row : head.theta) row[feature] += *rc::gen::inRange<std::int64_t>(-5, 6);
  RC_ASSERT(evaluate(exact(moved), x) == evaluate(exact(layer), x));
}

}  // namespace
}  // namespace hardhead::attention
