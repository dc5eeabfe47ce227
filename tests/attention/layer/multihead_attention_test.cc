#include "attention/layer/multihead_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace hardhead::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Index d = 6, m = 3, l = 2;

/// Any numbers, all different.
Matrix some_matrix(Index rows, Index columns) {
  Matrix out(rows, columns);
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < columns; ++b) out(a, b) = std::sin(static_cast<double>(1 + a * columns + b));
  return out;
}

TEST(MultiheadAttention, MultipliesOutWhatPyTorchComputes) {
  const Matrix in = some_matrix(3 * d, d), out = some_matrix(d, d);
  const Layer layer = from_multihead_attention(in, out, m);
  ASSERT_EQ(layer.m(), m);
  for (Index i = 0; i < m; ++i)
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b) {
        double theta = 0, w = 0;
        for (Index c = i * l; c < (i + 1) * l; ++c) {
          theta += in(c, a) * in(d + c, b) / std::sqrt(2.0);  // (x Q^T) . (x' K^T) / sqrt(l)
          w += in(2 * d + c, a) * out(b, c);                  // (x V^T) O^T
        }
        const Head& head = layer.heads[static_cast<std::size_t>(i)];
        EXPECT_NEAR(head.theta(a, b), theta, 1e-15);
        EXPECT_NEAR(head.w(a, b), w, 1e-15);
      }
}

/// The module's output on the rows of x by its definition, head by head.
Matrix attention_of(const AttentionWeights& w, const Vector& key_bias, const Matrix& x) {
  const Index l_of = w.head_size(), sharing = w.heads / w.key_value_heads();
  const auto mapped = [&](const Matrix& map, const Vector& bias) -> Matrix {
    return (x * map.transpose()).rowwise() + bias.transpose();
  };
  const Matrix q = mapped(w.query, w.query_bias), k = mapped(w.key, key_bias),
               v = mapped(w.value, w.value_bias);
  Matrix heads(x.rows(), w.heads * l_of);
  for (Index i = 0; i < w.heads; ++i) {
    const Index g = i / sharing * l_of;
    Matrix p = q.middleCols(i * l_of, l_of) * k.middleCols(g, l_of).transpose() / std::sqrt(l_of);
    p = p.array().exp();
    p.array().colwise() /= p.rowwise().sum().array().eval();
    heads.middleCols(i * l_of, l_of) = p * v.middleCols(g, l_of);
  }
  return (heads * w.output.transpose()).rowwise() + w.output_bias.transpose();
}

/// F(X) of one input.
Matrix labels(const Layer& layer, const Matrix& x) {
  Matrix out = Matrix::Zero(x.rows(), layer.d);
  for (const Head& head : layer.heads) {
    Matrix p = (x * head.theta * x.transpose()).array().exp();
    p.array().colwise() /= p.rowwise().sum().array().eval();
    out += p * x * head.w;
  }
  return out;
}

TEST(MultiheadAttention, BiasesAndSharedKeysAreAConstantFeature) {
  constexpr Index heads = 4, groups = 2, size = 3, features = 5;
  AttentionWeights w{.heads = heads,
                     .query = some_matrix(heads * size, features),
                     .key = some_matrix(groups * size, features).array().cos(),
                     .value = some_matrix(groups * size, features).array().square(),
                     .output = some_matrix(features, heads * size)};
  w.query_bias = some_matrix(heads * size, 1);
  w.value_bias = some_matrix(groups * size, 1).array().cos();
  w.output_bias = some_matrix(features, 1);
  const Matrix x = some_matrix(6, features) * 2;
  Matrix tokens(6, features + 1);
  tokens << x, Vector::Ones(6);
  const Layer layer = layer_of(w);
  ASSERT_EQ(layer.d, features + 1);
  const Matrix y = labels(layer, tokens);
  for (const double of_keys : {0.0, 3.0}) {
    const Matrix expected = attention_of(w, Vector::Constant(groups * size, of_keys), x);
    EXPECT_LE((y.leftCols(features) - expected).cwiseAbs().maxCoeff(), 1e-13) << of_keys;
  }
  EXPECT_EQ(y.col(features), Vector::Zero(6));

  const Vector gain = some_matrix(features, 1).array() + 2, shift = some_matrix(features, 1).array().cos();
  const Matrix normed = (x * gain.asDiagonal()).rowwise() + shift.transpose();
  const Layer folded = layer_of(with_norm_folded(w, gain, shift));
  EXPECT_LE((labels(folded, tokens).leftCols(features) - attention_of(w, Vector::Zero(groups * size), normed))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
}

TEST(MultiheadAttention, RefusesWeightsThatDoNotFit) {
  const Matrix in = some_matrix(3 * d, d), out = some_matrix(d, d);
  const auto refuses = [](const Matrix& in_proj, const Matrix& out_proj, Index heads, const char* why) {
    EXPECT_THAT([&] { from_multihead_attention(in_proj, out_proj, heads); },
                ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refuses(in.topRows(2 * d), out, m, "in_proj_weight is 12 x 6");
  refuses(in, out.topRows(5), m, "out_proj_weight is 5 x 6");
  refuses(in, out, 4, "4 heads");
  refuses(in, out, 0, "0 heads");
  refuses(in * 1e200, out, m, "must be finite");
}

}  // namespace
}  // namespace hardhead::attention
