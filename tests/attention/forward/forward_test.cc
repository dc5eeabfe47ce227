#include "attention/forward/forward.h"

#include <fmt/format.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <optional>

#include "attention/samples/inputs.h"
#include "attention/samples/sample_source.h"
#include "tests/simd_targets.h"

namespace hardhead::attention {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;

Layer random_layer(Index d, Index m, double theta_scale, std::uint64_t seed) {
  const Stream stream(Domain::instance, seed);
  Layer layer{d, {}};
  for (Index i = 0; i < m; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    stream.normals(static_cast<std::uint64_t>(2 * i), {head.theta.data(), static_cast<std::size_t>(d * d)});
    stream.normals(static_cast<std::uint64_t>(2 * i + 1), {head.w.data(), static_cast<std::size_t>(d * d)});
    head.theta *= theta_scale;
    layer.heads.push_back(std::move(head));
  }
  return layer;
}

/// The formula as it stands in attention/attention.h, sum by sum, in 50 digits, for one example.
struct Reference {
  std::vector<std::vector<Real>> y;               // [r][b]
  std::vector<std::vector<std::vector<Real>>> p;  // [i][r][j]
  double largest_logit = 0;

  Reference(const Layer& layer, const Block& block, Index n) {
    const Index d = layer.d, k = block.k;
    const auto x = [&](Index r, Index a) { return Real(block.x(a, block.column(r, n))); };
    y.assign(static_cast<std::size_t>(k), std::vector<Real>(static_cast<std::size_t>(d), Real(0)));
    for (const Head& head : layer.heads) {
      p.emplace_back();
      for (Index r = 0; r < k; ++r) {
        std::vector<Real> weight;
        Real total = 0;
        for (Index j = 0; j < k; ++j) {
          Real logit = 0;
          for (Index a = 0; a < d; ++a)
            for (Index b = 0; b < d; ++b) logit += x(r, a) * Real(head.theta(a, b)) * x(j, b);
          largest_logit = std::max(largest_logit, std::abs(static_cast<double>(logit)));
          weight.push_back(exp(logit));
          total += weight.back();
        }
        for (Real& v : weight) v /= total;
        for (Index b = 0; b < d; ++b)
          for (Index j = 0; j < k; ++j)
            for (Index a = 0; a < d; ++a)
              y[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)] +=
                  weight[static_cast<std::size_t>(j)] * x(j, a) * Real(head.w(a, b));
        p.back().push_back(std::move(weight));
      }
    }
  }
};

TEST(Forward, EqualsTheFormulaInFiftyDigits) {
  const struct {
    Index d, k, m;
    double theta_scale;
    Inputs inputs;
  } cases[] = {
      {1, 1, 1, 1.0, Inputs::gaussian}, {1, 5, 2, 1.0, Inputs::boolean},   {2, 2, 1, 1.0, Inputs::boolean},
      {3, 4, 5, 0.5, Inputs::gaussian}, {7, 3, 2, 0.3, Inputs::sphere},    {16, 2, 4, 0.1, Inputs::boolean},
      {5, 2, 3, 30., Inputs::gaussian}, {4, 3, 2, 300., Inputs::gaussian}, {9, 2, 12, 5.0, Inputs::boolean},
  };
  double worst = 0;
  for (const auto& c : cases) {
    const Layer layer = random_layer(c.d, c.m, c.theta_scale, 5);
    double weight = 0;
    for (const Head& head : layer.heads) weight += head.w.cwiseAbs().maxCoeff();
    Block block(c.d, c.k, 21);
    draw_tokens(c.inputs, Stream(Domain::test, 6), 0, block);
    Forward::Workspace workspace;
    Forward(layer).apply(block, workspace);
    double largest = 0, largest_logit = 0;
    for (Index n = 0; n < block.count; ++n) {
      const Reference reference(layer, block, n);
      largest_logit = std::max(largest_logit, reference.largest_logit);
      const double unit = (1 + reference.largest_logit) * weight;
      for (Index r = 0; r < c.k; ++r)
        for (Index b = 0; b < c.d; ++b) {
          const Real error = reference.y[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)] -
                             Real(block.y(b, block.column(r, n)));
          largest = std::max(largest, std::abs(static_cast<double>(error)) / unit);
        }
    }
    fmt::print("d={} k={} m={} {}: largest logit {:.3g}, error {:.2g} * (1 + logit) * sum |W_i|\n", c.d, c.k,
               c.m, name_of(c.inputs), largest_logit, largest);
    worst = std::max(worst, largest);
  }
  EXPECT_LE(worst, 5e-15);
}

TEST(Forward, PatternsAndMeanTokensLieWhereTheHeaderSays) {
  const Layer layer = random_layer(3, 4, 0.5, 8);
  Block block(3, 2, 10);
  draw_tokens(Inputs::gaussian, Stream(Domain::test, 9), 0, block);
  Forward::Workspace workspace, one;
  Forward(layer).attend(block, workspace);
  for (Index n = 0; n < block.count; ++n) {
    const Reference reference(layer, block, n);
    for (Index i = 0; i < 4; ++i)
      for (Index r = 0; r < 2; ++r) {
        Vector mean = Vector::Zero(3);
        for (Index j = 0; j < 2; ++j) {
          const auto p = static_cast<double>(
              reference
                  .p[static_cast<std::size_t>(i)][static_cast<std::size_t>(r)][static_cast<std::size_t>(j)]);
          EXPECT_NEAR(workspace.p(i * 2 + j, r * block.count + n), p, 1e-13);
          mean += p * block.x.col(block.column(j, n));
        }
        for (Index f = 0; f < 3; ++f) EXPECT_NEAR(workspace.z(i * 3 + f, block.column(r, n)), mean(f), 1e-13);
      }
  }
  attend_one(layer.heads[2].theta, block, one);
  EXPECT_LE((one.p - workspace.p.middleRows(4, 2)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LE((one.z - workspace.z.middleRows(6, 3)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Forward, LabelsAndPatternsHaveTheSameBitsOnEachTarget) {
  for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian})
    for (const auto& [d, k, count] :
         {std::array<Index, 3>{16, 2, 51}, {20, 3, 96}, {9, 4, 51}, {33, 5, 8}, {6, 7, 3}, {24, 1, 20}}) {
      const Layer layer = random_layer(d, 3, 0.1, 5);
      std::optional<RowMatrix> labels, patterns;
      on_each_simd_target([&](SimdTarget target) {
        Block block(d, k, count);
        draw_tokens(inputs, Stream(Domain::test, 6), 0, block);
        Forward::Workspace workspace;
        Forward(layer).apply(block, workspace);
        Forward(layer).attend_values(block, workspace);
        if (!labels) labels = block.y, patterns = workspace.p;
        EXPECT_EQ(block.y, *labels) << name_of(target) << ": " << name_of(inputs) << ", " << d << ", " << k;
        EXPECT_EQ(workspace.p, *patterns) << name_of(target) << ", " << d << ", " << k;
      });
    }
}

TEST(Forward, ValuesAndMeanTokensGiveTheLabels) {
  for (const Inputs inputs : {Inputs::boolean, Inputs::gaussian}) {
    const Layer layer = random_layer(20, 3, 0.1, 5);
    const Forward forward(layer);
    Block block(20, 3, 51);
    draw_tokens(inputs, Stream(Domain::test, 6), 0, block);
    Forward::Workspace means, values;
    forward.apply(block, means);
    forward.attend(block, means);
    forward.attend_values(block, values);
    RowMatrix by_means = RowMatrix::Zero(20, 3 * 51), by_values = by_means;
    for (Index i = 0; i < 3; ++i) {
      by_means += layer.heads[static_cast<std::size_t>(i)].w.transpose() * means.z.middleRows(20 * i, 20);
      for (Index r = 0; r < 3; ++r)
        for (Index j = 0; j < 3; ++j)
          for (Index n = 0; n < 51; ++n)
            by_values.col(block.column(r, n)) += values.p(3 * i + j, block.column(r, n)) *
                                                 values.v.col(block.column(j, n)).segment(20 * i, 20);
    }
    EXPECT_LE((by_means - block.y).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((by_values - block.y).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Forward, HugeLogitsGiveHardAttentionAndNoNaN) {
  Layer layer{2, {{Matrix::Identity(2, 2) * 1e150, Matrix::Identity(2, 2)}}};
  Block block(2, 2, 4);
  for (Index n = 0; n < 4; ++n) {
    block.x.col(block.column(0, n)) << 1, 1;
    block.x.col(block.column(1, n)) << 1, -1;
  }
  Forward::Workspace workspace;
  Forward(layer).apply(block, workspace);
  EXPECT_EQ(block.y, block.x);  // every token attends to itself alone
  layer.heads[0].theta *= -1;
  Forward(layer).apply(block, workspace);
  EXPECT_EQ(block.y.leftCols(4), block.x.rightCols(4));
}

TEST(Forward, EqualTokensAttendEqually) {
  const Layer layer = random_layer(3, 2, 1.0, 12);
  Block block(3, 5, 1);
  for (Index j = 0; j < 5; ++j) block.x.col(j) << 0.5, -2, 1;
  Forward::Workspace workspace;
  Forward(layer).apply(block, workspace);
  const Vector expected = layer.w_sum().transpose() * block.x.col(0);
  for (Index r = 0; r < 5; ++r) EXPECT_LE((block.y.col(r) - expected).norm(), 1e-14 * expected.norm());
  EXPECT_LE((workspace.p.array() - 0.2).abs().maxCoeff(), 1e-15);
}

}  // namespace
}  // namespace hardhead::attention
