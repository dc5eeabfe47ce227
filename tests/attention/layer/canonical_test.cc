#include "attention/layer/canonical.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/samples/sample_source.h"
#include "base/numeric/decompositions.h"
#include "tests/refusal.h"

namespace hardhead::attention {
namespace {

/// A matrix of multiples of 2^-12 below 8: sums and differences of such are exact in double.
Matrix grid_matrix(Index d, std::uint64_t item, double scale = 0.3) {
  Matrix out(d, d);
  Stream(Domain::instance, 5, "canonical_test").normals(item, {out.data(), static_cast<std::size_t>(d * d)});
  return (scale * out).unaryExpr([](double x) { return std::round(x * 0x1p12) / 0x1p12; });
}

/// A layer whose heads differ and are not 0.
Layer grid_layer(Index d, Index m, std::uint64_t seed = 1) {
  Layer out{d, {}};
  for (Index i = 0; i < m; ++i) {
    const std::uint64_t item = 100 * seed + 2 * static_cast<std::uint64_t>(i);
    out.heads.push_back({grid_matrix(d, item), grid_matrix(d, item + 1)});
  }
  return out;
}

Layer with_heads(Layer layer, const std::vector<Head>& more) {
  layer.heads.insert(layer.heads.end(), more.begin(), more.end());
  return layer;
}

/// The largest difference of two layers on 64 inputs.
double largest_difference(const Layer& a, const Layer& b, Index k, Inputs inputs) {
  Block block(a.d, k, 64);
  draw_tokens(inputs, Stream(Domain::test, 3), 0, block);
  LayerTeacher(a).label(block);
  const RowMatrix y = block.y;
  LayerTeacher(b).label(block);
  return (y - block.y).cwiseAbs().maxCoeff();
}

void expect_one_function(const Layer& a, const Layer& b, Index k) {
  for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian, Inputs::sphere})
    EXPECT_LE(largest_difference(a, b, k, inputs), 1e-12) << "k = " << k << ", " << name_of(inputs);
}

bool same(const Layer& a, const Layer& b) {
  return a.d == b.d && std::ranges::equal(a.heads, b.heads, [](const Head& x, const Head& y) {
           return x.theta == y.theta && x.w == y.w;
         });
}

/// Two layers that are one function have one canonical form, which is the same function.
void expect_one_form(const Layer& a, const Layer& b, Index k) {
  expect_one_function(a, b, k);
  const Layer form = canonical_form(a, k).layer;
  EXPECT_TRUE(same(form, canonical_form(b, k).layer)) << "k = " << k;
  EXPECT_TRUE(same(form, canonical_form(form, k).layer)) << "k = " << k;
  expect_one_function(a, form, k);
}

TEST(Canonical, WhatAConstantFeatureLeavesFreeIsTakenOut) {
  const Layer layer = grid_layer(5, 4);
  Layer other = layer;
  std::ranges::rotate(other.heads, other.heads.begin() + 1);
  other.heads[0].theta.col(4) += Vector::Constant(5, 3);  // all logits of a row
  other.heads[2].w.row(4).array() += 2;                   // moved from head to head
  other.heads[3].w.row(4).array() -= 2;
  for (const Index k : {2, 3, 5}) {
    for (const Inputs inputs : {Inputs::boolean_and_one, Inputs::gaussian_and_one, Inputs::sphere_and_one})
      EXPECT_LE(largest_difference(layer, other, k, inputs), 1e-12) << k << " " << name_of(inputs);
    EXPECT_GT(largest_difference(layer, other, k, Inputs::gaussian), 0.1);
    const auto form_of = [&](const Layer& of) {
      return canonical_form(of, k, canonical_tolerance, LastFeature::is_one).layer;
    };
    const Layer form = form_of(layer);
    EXPECT_TRUE(same(form, form_of(other))) << k;
    EXPECT_TRUE(same(form, form_of(form))) << k;
    EXPECT_LE(largest_difference(layer, form, k, Inputs::gaussian_and_one), 1e-12);
    EXPECT_FALSE(same(canonical_form(layer, k).layer, canonical_form(other, k).layer));
  }
}

TEST(Canonical, TheOrderOfHeadsDoesNotMatter) {
  const Layer layer = grid_layer(5, 4);
  Layer other = layer;
  std::ranges::rotate(other.heads, other.heads.begin() + 3);
  for (const Index k : {2, 3, 5}) expect_one_form(layer, other, k);
}

TEST(Canonical, HeadsOfEqualThetaAreOne) {
  const Layer layer = grid_layer(5, 3);
  Layer split = with_heads(layer, {{layer.heads[1].theta, grid_matrix(5, 50)}});
  split.heads[1].w -= split.heads[3].w;
  for (const Index k : {2, 3, 5}) expect_one_form(layer, split, k);
  const ReducedLayer reduced = reduced_layer(split, 3);
  EXPECT_EQ(reduced.parts[1], (std::vector<HeadPart>{{1}, {3}}));
  EXPECT_FALSE(reduced.nothing_merged());
  EXPECT_TRUE(reduced_layer(layer, 3).nothing_merged());
}

TEST(Canonical, HeadsWhoseWSumToZeroVanish) {
  const Layer layer = grid_layer(5, 2);
  const Matrix theta = grid_matrix(5, 60), w = grid_matrix(5, 61), zero = Matrix::Zero(5, 5);
  const Layer more = with_heads(layer, {{theta, w}, {grid_matrix(5, 62), zero}, {theta, -w}});
  for (const Index k : {2, 3, 5}) expect_one_form(layer, more, k);
  const ReducedLayer reduced = reduced_layer(more, 3);
  EXPECT_EQ(reduced.vanished, (std::vector<std::vector<HeadPart>>{{{2}, {4}}, {{3}}}));
  EXPECT_TRUE(same(reduced.layer, layer));
}

TEST(Canonical, ConstantHeadsAreOneAndTheLast) {
  const Layer layer = grid_layer(5, 2);
  const Matrix zero = Matrix::Zero(5, 5), v = grid_matrix(5, 70), w = grid_matrix(5, 71);
  for (const Index k : {2, 3, 5})
    expect_one_form(with_heads({5, {{zero, v}}}, {layer.heads[0], {zero, w}, layer.heads[1]}),
                    with_heads(layer, {{zero, v + w}}), k);
  const ReducedLayer reduced = reduced_layer(with_heads({5, {{zero, v}}}, layer.heads), std::nullopt);
  EXPECT_TRUE(reduced.has_constant);
  EXPECT_EQ(reduced.layer.heads.back().w, v);
}

TEST(Canonical, ALayerWhoseHeadsAllVanishIsOneZeroHead) {
  const Head head = grid_layer(4, 1).heads[0];
  for (const Index k : {2, 3}) {
    const ReducedLayer form = canonical_form({4, {head, {head.theta, -head.w}}}, k);
    ASSERT_EQ(form.layer.m(), 1);
    EXPECT_TRUE(form.layer.heads[0].w.isZero(0));
  }
}

// {(Theta, V), (-Theta, W)} and {(Theta, V - W), (0, 2 W)}, and each head turned by itself.
TEST(Canonical, OfTwoTokensHeadsMayBeTurned) {
  for (const Index d : {1, 2, 5}) {
    const Layer layer = grid_layer(d, 3);
    const Matrix zero = Matrix::Zero(d, d), w = grid_matrix(d, 80);
    const Head& first = layer.heads[0];
    expect_one_form(with_heads(layer, {{-first.theta, w}}),
                    {d, {{first.theta, first.w - w}, layer.heads[1], layer.heads[2], {zero, 2 * w}}}, 2);
    for (std::size_t i = 0; i < 3; ++i) {
      Layer turned = with_heads(layer, {{zero, 2 * layer.heads[i].w}});
      turned.heads[i] = {-layer.heads[i].theta, -layer.heads[i].w};
      expect_one_form(layer, turned, 2);
    }
  }
}

TEST(Canonical, OfThreeTokensATurnedHeadIsAnother) {
  const Layer layer = grid_layer(5, 1);
  const Layer turned{
      5, {{-layer.heads[0].theta, -layer.heads[0].w}, {Matrix::Zero(5, 5), 2 * layer.heads[0].w}}};
  for (const std::optional<Index> k : {std::optional<Index>(3), std::optional<Index>()}) {
    EXPECT_FALSE(same(canonical_form(layer, k).layer, canonical_form(turned, k).layer));
    EXPECT_TRUE(canonical_form(turned, k).has_constant);
    EXPECT_TRUE(reduced_layer(turned, k).nothing_merged());
  }
  EXPECT_GT(largest_difference(layer, turned, 3, Inputs::boolean), 1e-3);
}

TEST(Canonical, OfOneTokenOnlyWSumIsLeft) {
  const Layer layer = grid_layer(4, 3);
  const ReducedLayer form = canonical_form(layer, 1);
  ASSERT_EQ(form.layer.m(), 1);
  EXPECT_EQ(form.layer.heads[0].w, layer.w_sum());
  expect_one_function(layer, form.layer, 1);
}

TEST(Canonical, OfTwoTokensTheLargestEntryIsPositiveAndTheFirstOfThose) {
  Layer layer = grid_layer(3, 1);
  layer.heads[0].theta << 1, -2, 0, 2, 0, 1, -2, 0, 0;
  const ReducedLayer form = canonical_form(layer, 2);
  EXPECT_EQ(form.layer.heads[0].theta, -layer.heads[0].theta);
  EXPECT_EQ(form.layer.heads[1].w, 2 * layer.heads[0].w);
  EXPECT_EQ(form.parts, (std::vector<std::vector<HeadPart>>{{{0, true}}, {{0, true}}}));
  // Rounding does not decide which of equal entries comes first.
  layer.heads[0].theta(1, 0) = std::nextafter(2, 3);
  EXPECT_GT(canonical_form(layer, 2).layer.heads[0].theta(0, 1), 0);
}

TEST(Canonical, TheToleranceSaysWhatIsEqual) {
  const Layer layer = grid_layer(4, 2);
  Layer near = with_heads(layer, {layer.heads[0]});
  near.heads[2].theta(1, 1) += 1e-9;
  EXPECT_EQ(canonical_form(near, 3).layer.m(), 3);
  EXPECT_EQ(canonical_form(near, 3, 1e-8).layer.m(), 2);
  near.heads[2].theta(1, 1) -= 1e-9 - 1e-14;
  EXPECT_EQ(canonical_form(near, 3).layer.m(), 2);
  EXPECT_EQ(canonical_form(near, 3, 0).layer.m(), 3);
  Layer small = layer;  // small weights are no reason to vanish, sums that cancel are
  small.heads[0].w *= 1e-200;
  EXPECT_EQ(canonical_form(small, 3).layer.m(), 2);
  small.heads.push_back({layer.heads[1].theta, -(1 + 1e-15) * layer.heads[1].w});
  EXPECT_EQ(canonical_form(small, 3).layer.m(), 1);
}

TEST(Canonical, RefusesWhatHasNoForm) {
  const Layer layer = grid_layer(4, 2);
  EXPECT_NE(refusal_of([&] { canonical_form(layer, 0); }).find("k = 0"), std::string::npos);
  EXPECT_NE(refusal_of([&] { reduced_layer(layer, 2, 1); }).find("tolerance = 1"), std::string::npos);
  EXPECT_NE(refusal_of([&] { reduced_layer({4, {}}, 2); }).find("at least one head"), std::string::npos);
}

/// The same function written in another way: heads split, heads that cancel, heads turned where k = 2, all
/// in another order.
Layer rewritten(const Layer& layer, Index k) {
  Layer out = layer;
  const int changes = *rc::gen::inRange(1, 8);
  for (int change = 0; change < changes; ++change) {
    const auto i = *rc::gen::inRange<std::size_t>(0, out.heads.size());
    const Matrix w = grid_matrix(layer.d, *rc::gen::inRange<std::uint64_t>(1000, 2000));
    const Head head = out.heads[i];
    switch (*rc::gen::inRange(0, k == 2 ? 4 : 2)) {
      case 0:
        out.heads[i].w -= w;
        out.heads.push_back({head.theta, w});
        break;
      case 1: {
        const Matrix theta = grid_matrix(layer.d, *rc::gen::inRange<std::uint64_t>(2000, 3000));
        out.heads.push_back({theta, w});
        out.heads.push_back({theta, -w});
        break;
      }
      case 2:
        out.heads[i] = {-head.theta, -head.w};
        out.heads.push_back({Matrix::Zero(layer.d, layer.d), 2 * head.w});
        break;
      default:
        out.heads[i].w += w;
        out.heads.push_back({-head.theta, w});
        out.heads.push_back({Matrix::Zero(layer.d, layer.d), -2 * w});
    }
  }
  const auto shift = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(out.heads.size()));
  std::ranges::rotate(out.heads, out.heads.begin() + shift);
  return out;
}

RC_GTEST_PROP(CanonicalProperties, AFunctionWrittenInAnotherWayHasTheSameForm, ()) {
  const Index k = *rc::gen::inRange<Index>(2, 5);
  const Layer layer = grid_layer(*rc::gen::inRange<Index>(1, 6), *rc::gen::inRange<Index>(1, 5),
                                 *rc::gen::inRange<std::uint64_t>(1, 100));
  const Layer other = rewritten(layer, k);
  RC_ASSERT(same(canonical_form(layer, k).layer, canonical_form(other, k).layer));
  RC_ASSERT(largest_difference(layer, other, k, Inputs::gaussian) <= 1e-12);
}

/// A head alpha e_a e_b^T, W.
Head single_entry(double alpha, Index a, Index b, const Matrix& w) {
  Head out{Matrix::Zero(w.rows(), w.rows()), w};
  out.theta(a, b) = alpha;
  return out;
}

// What the header says of tokens of signs: more layers are one function there than on real inputs.
TEST(Canonical, OnSignsTheSizeOfASingleEntryIsNotDetermined) {
  const Layer layer = grid_layer(4, 1);
  const Matrix w = grid_matrix(4, 90), zero = Matrix::Zero(4, 4);
  const double alpha = 0.7, beta = 1.9, c = std::tanh(alpha) / std::tanh(beta);
  for (const auto& [a, b] : {std::pair<Index, Index>{0, 2}, {1, 1}}) {
    const Layer one = with_heads(layer, {single_entry(alpha, a, b, w)});
    const Layer other = with_heads(layer, {single_entry(beta, a, b, c * w), {zero, (1 - c) * w}});
    EXPECT_LE(largest_difference(one, other, 2, Inputs::boolean), 1e-12);
    EXPECT_GT(largest_difference(one, other, 2, Inputs::gaussian), 1e-3);
  }
}

TEST(Canonical, OnSignsOnlyKHeadsOfASingleEntryAreIndependent) {
  const Index d = 3;
  for (const Index k : {2, 3, 4}) {
    const EnumerationSource source(std::make_shared<LayerTeacher>(grid_layer(d, 1)), d, k);
    Block block(d, k, source.size());
    source.read(0, block);
    Matrix values(block.x.size(), 6);
    for (Index i = 0; i < 6; ++i) {
      const double alpha = 0.5 * static_cast<double>(i);
      LayerTeacher({d, {single_entry(alpha, 0, 1, Matrix::Identity(d, d))}}).label(block);
      values.col(i) = block.y.reshaped();
    }
    const Vector s = singular_values(values, SingularVectors::none).values;
    EXPECT_GT(s(k - 1), 1e-6 * s(0)) << "k = " << k;
    EXPECT_LT(s(k), 1e-13 * s(0)) << "k = " << k;
  }
}

}  // namespace
}  // namespace hardhead::attention
