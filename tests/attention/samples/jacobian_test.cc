#include "attention/samples/jacobian_rank.h"

#include <gtest/gtest.h>

#include "attention/samples/sample_source.h"

namespace hardhead::attention {
namespace {

Layer differentiated_layer(Index d, Index m) {
  Layer out{d, {}};
  const Stream stream(Domain::instance, 1, "jacobian_test");
  for (Index i = 0; i < m; ++i) {
    Head head{Matrix(d, d), Matrix(d, d)};
    stream.normals(2 * static_cast<std::uint64_t>(i), {head.theta.data(), static_cast<std::size_t>(d * d)});
    stream.normals(2 * static_cast<std::uint64_t>(i) + 1, {head.w.data(), static_cast<std::size_t>(d * d)});
    head.theta *= 0.4;
    out.heads.push_back(head);
  }
  return out;
}

/// F at a block's X in the order of the Jacobian's rows.
Vector values_of(const Layer& layer, Block block) {
  LayerTeacher(layer).label(block);
  Vector out(block.y.size());
  write_as_array(block.y, block.k, out.data());
  return out;
}

TEST(Jacobian, IsTheDerivativeOfTheForwardPass) {
  const Index d = 3, m = 2;
  const Layer layer = differentiated_layer(d, m);
  for (const Index k : {2, 4}) {
    Block block(d, k, 5);
    draw_tokens(Inputs::gaussian, Stream(Domain::test, 2), 0, block);
    const Matrix found = jacobian(layer, block);
    ASSERT_EQ(found.rows(), 5 * k * d);
    ASSERT_EQ(found.cols(), 2 * m * d * d);
    // The error of a central difference is of the order of step^2 and of 1e-16 / step.
    constexpr double step = 1e-5;
    Index column = 0;
    for (Matrix Head::* matrix : {&Head::theta, &Head::w})
      for (std::size_t i = 0; i < 2; ++i)
        for (Index entry = 0; entry < d * d; ++entry) {
          Layer up = layer, down = layer;
          (up.heads[i].*matrix)(entry) += step;
          (down.heads[i].*matrix)(entry) -= step;
          const Vector slope = (values_of(up, block) - values_of(down, block)) / (2 * step);
          EXPECT_LE((slope - found.col(column)).cwiseAbs().maxCoeff(), 1e-8) << "column " << column;
          ++column;
        }
  }
}

}  // namespace
}  // namespace hardhead::attention
