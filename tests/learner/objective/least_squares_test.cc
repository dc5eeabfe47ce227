#include "learner/objective/least_squares.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <optional>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/residuals.h"
#include "tests/simd_targets.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Layer;
using attention::Matrix;
using attention::Vector;
using testing::NiceSource;
using testing::residuals;

// A layer that is not the teacher, so that residuals and Jacobian are both of order one.
Layer other_layer(Index d, Index m) {
  return hardness::make_instance(Spec::parse(fmt::format("nice:seed=99,d={},m={}", d, m))).layer;
}

TEST(LeastSquares, AgreesWithACentralDifferenceJacobian) {
  const NiceSource nice("nice:d=4,k=3,m=2");
  const auto blocks = read_blocks(nice.source, 0, 100, RunContext{});
  const Layer layer = other_layer(4, 2);
  const Stacked at = stack(layer);
  const Linearisation linear(blocks, layer);
  const Vector r = residuals(blocks, layer);
  double total = 0;
  for (const auto& block : blocks) total += block.y.squaredNorm();

  Matrix jacobian(r.size(), at.size());
  constexpr double h = 1e-5;
  for (Index e = 0; e < at.size(); ++e) {
    Stacked up = at, down = at;
    up.data()[e] += h;
    down.data()[e] -= h;
    jacobian.col(e) = (residuals(blocks, unstack(up)) - residuals(blocks, unstack(down))) / (2 * h);
  }
  EXPECT_NEAR(linear.relative_error(), r.squaredNorm() / total, 1e-13);
  const Vector gradient = jacobian.transpose() * r / total;
  EXPECT_LT((linear.gradient().reshaped() - gradient).norm(), 1e-8 * gradient.norm());
  const Stacked v = stack(other_layer(4, 2));
  const Vector product = jacobian.transpose() * (jacobian * v.reshaped()) / total;
  EXPECT_LT((linear.normal_product(v).reshaped() - product).norm(), 1e-8 * product.norm());
}

TEST(LeastSquares, PreconditionerIsExactInWAndSolvesWhatItApplies) {
  const NiceSource nice("nice:d=6,k=2,m=3");
  const auto blocks = read_blocks(nice.source, 0, 300, RunContext{});
  const Layer layer = other_layer(6, 3);
  const Linearisation linear(blocks, layer);
  const auto preconditioner = linear.preconditioner();
  Stacked v = stack(layer);
  EXPECT_LT((preconditioner->solve(preconditioner->apply(v)) - v).norm(), 1e-9 * v.norm());
  v.topRows(18).setZero();
  const Stacked exact = linear.normal_product(v).bottomRows(18);
  EXPECT_LT((preconditioner->apply(v).bottomRows(18) - exact).norm(), 1e-6 * exact.norm());
}

TEST(LeastSquares, StackAndUnstackAreInverse) {
  const Layer layer = other_layer(5, 3);
  const Layer back = unstack(stack(layer));
  ASSERT_EQ(back.m(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(back.heads[i].theta == layer.heads[i].theta);
    EXPECT_TRUE(back.heads[i].w == layer.heads[i].w);
  }
}

TEST(LeastSquares, IsBitIdenticalForOneAndTwoThreads) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto blocks = read_blocks(nice.source, 0, 2000, RunContext{});
  const Layer layer = other_layer(8, 2);
  for (const auto product : {&Linearisation::normal_product, &Linearisation::rough_normal_product}) {
    const auto product_with = [&](int threads) {
      Stacked out;
      tbb::task_arena(threads).execute([&] { out = (Linearisation(blocks, layer).*product)(stack(layer)); });
      return out;
    };
    EXPECT_TRUE(product_with(1) == product_with(2));
  }
}

TEST(LeastSquares, HasTheSameBitsWhetherPatternsAreKeptOrNot) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto blocks = read_blocks(nice.source, 0, 1000, RunContext{});  // the last block is shorter
  const Layer layer = other_layer(8, 2);
  const Stacked v = stack(layer);
  const double all = 8.0 * 1000 * 2 * 3 * (3 + 8);
  const Linearisation kept(blocks, layer, all);
  for (const double bytes : {0.0, all / 2, all - 1}) {
    const Linearisation other(blocks, layer, bytes);
    EXPECT_EQ(other.relative_error(), kept.relative_error()) << bytes;
    EXPECT_TRUE(other.gradient() == kept.gradient()) << bytes;
    EXPECT_TRUE(other.normal_product(v) == kept.normal_product(v)) << bytes;
    EXPECT_TRUE(other.preconditioner()->apply(v) == kept.preconditioner()->apply(v)) << bytes;
    EXPECT_TRUE(other.preconditioner()->solve(v) == kept.preconditioner()->solve(v)) << bytes;
  }
}

TEST(LeastSquares, RoughProductsAreThoseOfDoubleWithTheSameBitsOnEachTarget) {
  struct Case {
    Index d, k, m;
    std::int64_t examples;
  };
  for (const auto& [d, k, m, examples] : {Case{16, 3, 2, 180},
                                          {32, 2, 3, 300},
                                          {9, 5, 2, 97},
                                          {5, 4, 1, 40},
                                          {40, 7, 2, 192},
                                          {3, 2, 6, 1000}}) {
    const std::string spec = fmt::format("nice:d={},k={},m={}", d, k, m);
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, examples, RunContext{});
    const Layer layer = other_layer(d, m);
    const Stacked v = stack(layer);
    std::optional<Stacked> first;
    on_each_simd_target([&](SimdTarget target) {
      const Linearisation linear(blocks, layer);
      ASSERT_TRUE(linear.is_rough());
      const Stacked exact = linear.normal_product(v), rough = linear.rough_normal_product(v);
      EXPECT_LT((rough - exact).norm(), 3e-6 * exact.norm()) << spec << " " << name_of(target);
      EXPECT_GT((rough - exact).norm(), 0);  // it is in single precision
      if (!first) first = rough;
      EXPECT_TRUE(rough == *first) << spec << " " << name_of(target);
    });
  }
}

TEST(LeastSquares, RoughProductsAreInDoubleForOtherInputsAndWhereMemoryIsShort) {
  const auto is_exact = [](const std::string& spec, double kept_bytes) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 200, RunContext{});
    const Layer layer = other_layer(8, 2);
    const Linearisation linear(blocks, layer, kept_bytes);
    return !linear.is_rough() &&
           linear.rough_normal_product(stack(layer)) == linear.normal_product(stack(layer));
  };
  EXPECT_TRUE(is_exact("nice:d=8,k=3,m=2,inputs=gaussian", Linearisation::default_kept_bytes));
  EXPECT_TRUE(is_exact("nice:d=8,k=3,m=2", 0));
  EXPECT_FALSE(is_exact("nice:d=8,k=3,m=2", Linearisation::default_kept_bytes));
}

TEST(LeastSquares, LossIsThatOfTheLinearisation) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto blocks = read_blocks(nice.source, 0, 1000, RunContext{});
  const Layer layer = other_layer(8, 2);
  LossScratch scratch;
  const Loss direct = loss(blocks, layer, scratch);
  const Linearisation linear(blocks, layer);
  EXPECT_EQ(direct.relative_error(), linear.relative_error());
  EXPECT_TRUE(direct.gradient / direct.total == linear.gradient());
  EXPECT_NEAR(direct.relative_error(), relative_error(blocks, layer), 1e-14);
}

TEST(LinearW, RecoversWExactlyWhenThetaIsTrue) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto blocks = read_blocks(nice.source, 0, 500, RunContext{});
  const Layer fitted = fit_w(blocks, {nice.layer().heads[0].theta, nice.layer().heads[1].theta});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT((fitted.heads[i].w - nice.layer().heads[i].w).norm(), 1e-9);
  EXPECT_LT(relative_error(blocks, fitted), 1e-18);
}

TEST(LinearW, EqualHeadsDoNoHarm) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const auto blocks = read_blocks(nice.source, 0, 500, RunContext{});
  const Layer fitted = fit_w(blocks, {nice.layer().heads[0].theta, nice.layer().heads[0].theta});
  EXPECT_LT(relative_error(blocks, fitted), 1e-12);
}

}  // namespace
}  // namespace hardhead::learner
