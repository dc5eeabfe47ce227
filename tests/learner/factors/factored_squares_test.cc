#include "learner/factors/factored_squares.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <Eigen/Dense>

#include "learner/fits/gauss_newton.h"
#include "learner/learner.h"
#include "learner/objective/blocks.h"
#include "learner/objective/least_squares.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using attention::Layer;
using attention::Matrix;
using testing::NiceSource;

Stacked random_factors(const Factors& factors, Index d, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(factors.rows() * d));
  Stream(Domain::test, 1, "factored squares").normals(item, numbers);
  return Eigen::Map<const Stacked>(numbers.data(), factors.rows(), d) / std::sqrt(static_cast<double>(d));
}

struct FactoredCase {
  NiceSource nice{"nice:d=6,k=3,m=2,seed=3,inputs=gaussian"};
  std::vector<Block> blocks = read_blocks(nice.source, 0, 700, {});
  Factors factors{.m = 3, .form = 2, .value = 4};
  Stacked at = random_factors(factors, 6, 0), u = random_factors(factors, 6, 1),
          v = random_factors(factors, 6, 2);
  FactoredSquares squares{blocks, factors, at};

  // The change of a whole layer along a direction of its factors; a layer is quadratic in them.
  Stacked of_layer(const Stacked& direction) const {
    return (stack(factors.layer(at + direction)) - stack(factors.layer(at - direction))) / 2;
  }
};

TEST(FactoredSquares, AreThoseOfTheWholeLayerByTheChainRule) {
  const FactoredCase given;
  const Linearisation whole(given.blocks, given.factors.layer(given.at));
  EXPECT_NEAR(given.squares.relative_error(), whole.relative_error(), 1e-13);
  const Stacked du = given.of_layer(given.u), dv = given.of_layer(given.v);
  const double slope = whole.gradient().cwiseProduct(du).sum();
  EXPECT_NEAR(given.squares.gradient().cwiseProduct(given.u).sum(), slope, 1e-12 * std::abs(slope));
  const double curvature = whole.normal_product(dv).cwiseProduct(du).sum();
  EXPECT_NEAR(given.squares.normal_product(given.v).cwiseProduct(given.u).sum(), curvature,
              1e-12 * std::sqrt(whole.normal_product(du).cwiseProduct(du).sum() *
                                whole.normal_product(dv).cwiseProduct(dv).sum()));
}

TEST(FactoredSquares, PreconditionerIsExactInTheOutputsAndSolvesWhatItApplies) {
  const FactoredCase given;
  const auto preconditioner = given.squares.preconditioner();
  EXPECT_LT((preconditioner->solve(preconditioner->apply(given.v)) - given.v).norm(), 1e-9 * given.v.norm());
  const Index outputs = given.factors.m * given.factors.value;
  Stacked of_outputs = given.v;
  of_outputs.topRows(given.v.rows() - outputs).setZero();
  const Matrix exact = given.squares.normal_product(of_outputs).bottomRows(outputs);
  EXPECT_LT((preconditioner->apply(given.v).bottomRows(outputs) - exact).norm(), 1e-6 * exact.norm());
}

// The largest eigenvalue of M^-1 J^T J, by the power method: from below.
double largest_eigenvalue(const FactoredSquares& squares, Stacked v) {
  const auto m = squares.preconditioner();
  double out = 0;
  for (int step = 0; step < 30; ++step) {
    const Stacked image = squares.normal_product(v);
    out = v.cwiseProduct(image).sum() / v.cwiseProduct(m->apply(v)).sum();
    v = m->solve(image);
    v /= v.norm();
  }
  return out;
}

TEST(FactoredSquares, ThePreconditionerIsOfTheSizeOfWhatItStandsFor) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Index d = 96;
    const Factors factors{.m = 2, .form = 12, .value = 12};
    const NiceSource nice(fmt::format("transformer:d={},k=2,m=2,seed={},inputs=gaussian", d, seed));
    const std::vector<Block> blocks = read_blocks(nice.source, 0, 6000, {});
    const Stacked at = random_factors(factors, d, static_cast<std::uint64_t>(seed));
    const double largest = largest_eigenvalue(FactoredSquares(blocks, factors, at), at);
    EXPECT_LT(largest, 12) << seed;
  }
}

// Where most rows attend to one token, few of them say what C is.
TEST(FactoredSquares, SoItIsWhereAttentionIsSharp) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Index d = 32;
    const Factors factors{.m = 2, .form = 8, .value = 8};
    const NiceSource nice(fmt::format("transformer:d={},k=8,m=2,seed={}", d, seed));
    const std::vector<Block> blocks = read_blocks(nice.source, 0, 8000, {});
    Stacked at = random_factors(factors, d, static_cast<std::uint64_t>(seed));
    at.topRows(2 * factors.m * factors.form) *= 5;
    const double largest = largest_eigenvalue(FactoredSquares(blocks, factors, at), at);
    EXPECT_LT(largest, 6) << seed;
  }
}

TEST(FactoredSquares, HaveTheSameBitsForAnyThreadsAndWhateverIsKept) {
  const FactoredCase given;
  const Stacked expected = given.squares.normal_product(given.v);
  for (const double kept_bytes : {0.0, 3e5}) {
    tbb::task_arena(3).execute([&] {
      const FactoredSquares other(given.blocks, given.factors, given.at, kept_bytes);
      EXPECT_EQ(other.normal_product(given.v), expected) << kept_bytes;
      EXPECT_EQ(other.gradient(), given.squares.gradient()) << kept_bytes;
      EXPECT_EQ(other.preconditioner()->solve(given.v), given.squares.preconditioner()->solve(given.v));
    });
  }
}

TEST(FactoredSquares, RoughProductsAreThoseOfDoubleUpToTheRoundingOfFloats) {
  for (const char* spec : {"nice:d=6,k=3,m=2,seed=3,inputs=gaussian", "nice:d=9,k=2,m=2,seed=4"}) {
    const NiceSource nice(spec);
    // The last block fills no whole lane.
    const std::vector<Block> blocks = read_blocks(nice.source, 0, 201, {});
    const Factors factors{.m = 3, .form = 2, .value = 4};
    const Index d = nice.layer().d;
    const FactoredSquares squares(blocks, factors, random_factors(factors, d, 0));
    ASSERT_TRUE(squares.is_rough());
    const Stacked v = random_factors(factors, d, 1), exact = squares.normal_product(v),
                  rough = squares.rough_normal_product(v);
    EXPECT_LT((rough - exact).norm(), 3e-6 * exact.norm()) << spec;
    EXPECT_GT((rough - exact).norm(), 0) << "they are in single precision";
    tbb::task_arena(3).execute([&] { EXPECT_EQ(squares.rough_normal_product(v), rough) << spec; });
  }
}

TEST(FactoredSquares, RoughProductsFollowTheLayerAndAreInDoubleWhereMemoryIsShort) {
  FactoredCase given;
  given.squares.move_to(given.u);
  const FactoredSquares there(given.blocks, given.factors, given.u);
  EXPECT_EQ(given.squares.rough_normal_product(given.v), there.rough_normal_product(given.v));
  const FactoredSquares short_of_memory(given.blocks, given.factors, given.u, 1000);
  EXPECT_FALSE(short_of_memory.is_rough());
  EXPECT_EQ(short_of_memory.rough_normal_product(given.v), there.normal_product(given.v));
}

TEST(FactoredSquares, StepsDoNotCareAboutTheGauge) {
  const FactoredCase given;
  const Index form = given.factors.form, value = given.factors.value, m = given.factors.m;
  const Matrix a{{2, 1}, {-1, 0.5}}, inverse = a.inverse();
  const Matrix b = Matrix::Identity(value, value) + 0.3 * given.u.topLeftCorner(value, value);
  Stacked turned = given.at;
  for (Index i = 0; i < m; ++i) {
    turned.middleRows(i * form, form) = a.transpose() * given.at.middleRows(i * form, form);
    turned.middleRows((m + i) * form, form) = inverse * given.at.middleRows((m + i) * form, form);
    const Index v = 2 * m * form + i * value, o = v + m * value;
    turned.middleRows(v, value) = b.transpose() * given.at.middleRows(v, value);
    turned.middleRows(o, value) = b.inverse() * given.at.middleRows(o, value);
  }
  const auto after_a_step = [&](const Stacked& from) {
    GaussNewton fit(factored_layers(given.blocks, given.factors, 0, {}), given.blocks, from,
                    {.iterations = 1}, {});
    fit.minimise({}, "");
    EXPECT_GT(fit.result().inner_steps, 0);
    return stack(fit.result().layer);
  };
  const Stacked start = stack(given.factors.layer(given.at)), one = after_a_step(given.at),
                other = after_a_step(turned);
  EXPECT_LT((stack(given.factors.layer(turned)) - start).norm(), 1e-12 * start.norm());
  EXPECT_GT((one - start).norm(), 0.01 * start.norm());
  EXPECT_LT((other - one).norm(), 1e-4 * (one - start).norm());
}

TEST(FactoredSquares, FittedOutputsLeaveNothingToGainInThem) {
  FactoredCase given;
  const Index outputs = given.factors.m * given.factors.value, inner = given.factors.rows() - outputs;
  const double before = given.squares.gradient().norm();
  const Stacked fitted = given.squares.move_to_best(given.at);
  EXPECT_EQ(fitted.topRows(inner), given.at.topRows(inner));
  EXPECT_LT(given.squares.gradient().bottomRows(outputs).norm(), 1e-6 * before);
  const FactoredSquares there(given.blocks, given.factors, fitted);
  EXPECT_EQ(there.gradient(), given.squares.gradient());
  for (const double kept_bytes : {0.0, 3e5}) {
    const FactoredSquares made(given.blocks, given.factors, given.at, kept_bytes, {}, Outputs::fitted);
    EXPECT_EQ(made.parameters(), fitted) << kept_bytes;
  }
}

TEST(FactoredSquares, BoundsOnExamplesCountTheUnknownsOfLowRank) {
  EXPECT_EQ((Factors{.m = 4, .form = 8, .value = 8}.unknowns(64)), 4 * 2 * 8 * 120);
  EXPECT_EQ(counting_bound(Factors{4, 8, 8}, 64, 4), 30);
  EXPECT_EQ(pattern_bound(Factors{4, 8, 8}, 64, 4), 80);
  for (const Index d : {7, 16})
    for (const Index k : {2, 3}) {
      EXPECT_EQ(counting_bound(Factors{5, d, d}, d, k), counting_bound(d, k, 5));
      EXPECT_EQ(pattern_bound(Factors{5, d, d}, d, k), pattern_bound(d, k));
    }
}

}  // namespace
}  // namespace hardhead::learner
