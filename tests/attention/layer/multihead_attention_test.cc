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
