#include "attention/layer/exact.h"

#include <fmt/format.h>

#include <boost/multiprecision/mpfr.hpp>
#include <cmath>

#include "attention/samples/sample_source.h"
#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

ExactLayer random_layer(Index d, Index m, std::int64_t base, std::int64_t largest, std::uint64_t seed) {
  const Stream stream(Domain::instance, seed);
  std::uint64_t item = 0;
  const auto pick = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(stream.below(item++, static_cast<std::uint64_t>(2 * bound + 1))) - bound;
  };
  ExactLayer layer{d, base, {}};
  for (Index i = 0; i < m; ++i) {
    ExactLayer::Head head;
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b) {
        if (stream.below(item++, 3) > 0) head.theta.push_back({a, b, pick(largest)});
        if (stream.below(item++, 3) > 0) head.w.push_back({a, b, Rational(pick(20), 1 + std::abs(pick(6)))});
      }
    layer.heads.push_back(std::move(head));
  }
  return layer;
}

/// Entry n of example `example` of an enumeration.
std::vector<int> input(std::int64_t example, Index entries) {
  std::vector<int> x;
  for (Index n = 0; n < entries; ++n) x.push_back((example >> n) & 1 ? -1 : 1);
  return x;
}

/// The formula with dense matrices and single logits n_j ln(B)/2, for B = root^2, so that exp(logit) =
/// root^n_j is rational by itself and nothing need be subtracted.
std::vector<Rational> direct(const ExactLayer& layer, const std::vector<int>& x, std::int64_t root) {
  const auto d = static_cast<std::size_t>(layer.d), k = x.size() / d;
  std::vector<Rational> y(x.size(), Rational(0));
  for (const auto& head : layer.heads) {
    std::vector<std::int64_t> theta(d * d, 0);
    std::vector<Rational> w(d * d, Rational(0));
    for (const auto& e : head.theta)
      theta[static_cast<std::size_t>(e.row * layer.d + e.column)] = e.half_units;
    for (const auto& e : head.w) w[static_cast<std::size_t>(e.row * layer.d + e.column)] = e.value;
    for (std::size_t r = 0; r < k; ++r) {
      std::vector<Rational> weight;
      Rational total = 0;
      for (std::size_t j = 0; j < k; ++j) {
        long logit = 0;
        for (std::size_t a = 0; a < d; ++a)
          for (std::size_t b = 0; b < d; ++b) logit += x[r * d + a] * theta[a * d + b] * x[j * d + b];
        weight.push_back(power(Rational(root), logit));
        total += weight.back();
      }
      for (std::size_t j = 0; j < k; ++j)
        for (std::size_t a = 0; a < d; ++a)
          for (std::size_t b = 0; b < d; ++b) y[r * d + b] += weight[j] / total * x[j * d + a] * w[a * d + b];
    }
  }
  return y;
}

TEST(Exact, EqualsDirectRationalSoftmaxOnEveryInput) {
  const struct {
    Index d, k, m;
    std::int64_t root, largest;
  } cases[] = {{2, 2, 1, 2, 5}, {3, 2, 3, 2, 2}, {2, 3, 2, 3, 4},
               {3, 3, 2, 4, 1}, {2, 1, 2, 2, 3}, {1, 4, 2, 5, 40}};
  for (const auto& c : cases) {
    const ExactLayer layer = random_layer(c.d, c.m, c.root * c.root, c.largest, 41);
    for (std::int64_t example = 0; example < std::int64_t{1} << (c.k * c.d); ++example) {
      const auto x = input(example, c.k * c.d);
      ASSERT_EQ(evaluate(layer, x), direct(layer, x, c.root)) << "d=" << c.d << " example " << example;
    }
  }
}

TEST(Exact, ABaseThatIsNotASquareWorksThroughDifferencesOfLogits) {
  // One head, Theta = (ln B / 2) N, k = 2: p = 1 / (1 + B^-(x_1^T N (x_2 - x_1)) / 2) by hand.
  const ExactLayer layer{1, 3, {{{{0, 0, 1}}, {{0, 0, Rational(1)}}}}};
  // x = (1, -1): e = 1 * 1 * (-2) / 2 = -1, so p_1 = 1/(1+1/3) = 3/4 and y_1 = 3/4 - 1/4.
  EXPECT_EQ(evaluate(layer, std::vector{1, -1}), (std::vector<Rational>{Rational(1, 2), Rational(-1, 2)}));
  EXPECT_EQ(evaluate(layer, std::vector{1, 1}), (std::vector<Rational>{Rational(1), Rational(1)}));
}

TEST(Exact, RoundedLayerComputesTheSameInDouble) {
  double worst = 0;
  for (const std::int64_t base : {2, 3, 4, 10, 1024})
    for (const Index k : {2, 3}) {
      const Index d = 3;
      const ExactLayer layer = random_layer(d, 3, base, 2, 42);
      double weight = 0;
      for (const auto& head : layer.heads)
        for (const auto& e : head.w) weight = std::max(weight, std::abs(round_to_nearest(e.value)));
      const EnumerationSource source(std::make_shared<LayerTeacher>(layer.rounded()), d, k);
      Block block(d, k, source.size());
      source.read(0, block);
      for (Index n = 0; n < block.count; ++n) {
        const auto y = evaluate(layer, input(n, k * d));
        for (Index a = 0; a < k; ++a)
          for (Index f = 0; f < d; ++f) {
            const Rational error =
                y[static_cast<std::size_t>(a * d + f)] - Rational(block.y(f, block.column(a, n)));
            worst = std::max(worst, std::abs(round_to_nearest(error)) / weight);
          }
      }
    }
  fmt::print("forward pass of rounded layers: largest error {:.2g} of the largest weight\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(Exact, RoundedEntriesAreTheNearestDoubles) {
  using Wide = boost::multiprecision::mpfr_float_500;
  ExactLayer layer{4, 2, {{}}};
  layer.heads[0].w = {{0, 0, Rational(1, 3)}, {1, 2, 1 + power(2, -53) + power(2, -200)}};
  const Stream stream(Domain::test, 43);
  for (std::uint64_t item = 0; item < 200; ++item) {
    layer.base = 2 + static_cast<std::int64_t>(stream.below(2 * item, 100'000));
    const std::int64_t n = static_cast<std::int64_t>(stream.below(2 * item + 1, 20001)) - 10000;
    layer.heads[0].theta = {{3, 1, n}};
    const double value = layer.rounded().heads[0].theta(3, 1);
    const Wide exact = log(Wide(layer.base)) * n / 2;
    for (const double direction : {-HUGE_VAL, HUGE_VAL})
      ASSERT_LE(abs(exact - value), abs(exact - std::nextafter(value, direction))) << layer.base << ' ' << n;
  }
  const Matrix w = layer.rounded().heads[0].w;
  EXPECT_EQ(w(0, 0), 1.0 / 3);
  EXPECT_EQ(w(1, 2), 1 + 0x1p-52);
  EXPECT_EQ(w.cwiseAbs().sum(), w(0, 0) + w(1, 2));
}

TEST(Exact, WSumAddsHeadsEntryByEntry) {
  const ExactLayer layer{
      2, 2, {{{}, {{0, 1, Rational(1, 3)}}}, {{}, {{0, 1, Rational(1, 6)}, {1, 0, Rational(2)}}}}};
  EXPECT_EQ(layer.w_sum(), (std::vector<Rational>{0, Rational(1, 2), 2, 0}));
}

TEST(Exact, RejectionsNameTheEntryAndTheConstraint) {
  const auto rejected = [](const ExactLayer& layer, const std::string& text) {
    EXPECT_THAT([&] { layer.validate(); }, ThrowsMessage<InputError>(HasSubstr(text)));
    EXPECT_THROW(layer.rounded(), InputError);
    EXPECT_THROW(layer.w_sum(), InputError);
    EXPECT_THROW(evaluate(layer, std::vector{1, 1, 1, 1}), InputError);
  };
  const Rational one(1);
  rejected({0, 2, {}}, "d >= 1, not d = 0");
  rejected({2, 1, {}}, "B >= 2, not 1");
  rejected({2, -4, {}}, "B >= 2, not -4");
  rejected({2, 2, {{}, {{{0, 2, 1}}, {}}}}, "head 1: theta[0,2] is outside the 2 x 2");
  rejected({2, 2, {{{}, {{-1, 0, one}}}}}, "head 0: w[-1,0] is outside the 2 x 2");
  rejected({2, 2, {{{{1, 1, 3}, {0, 1, 2}, {1, 1, -3}}, {}}}}, "head 0: theta[1,1] is listed twice");
  rejected({2, 2, {{{}, {{0, 1, one}, {0, 1, one}}}}}, "head 0: w[0,1] is listed twice");
  rejected({2, 2, {{{{0, 0, INT64_MAX}}, {}}}}, "head 0: powers of 2 may take");

  const ExactLayer proper{2, 2, {{}}};
  const auto bad_input = [&](std::vector<int> x, const std::string& text) {
    EXPECT_THAT([&] { evaluate(proper, x); }, ThrowsMessage<InputError>(HasSubstr(text)));
  };
  bad_input({1, -1, 1}, "3 entries is not k x d for d = 2");
  bad_input({}, "0 entries");
  bad_input({1, -1, 1, 0}, "x[1,1] is 0, but must be -1 or +1");
}

}  // namespace
}  // namespace hardhead::attention
