#include "learner/mobius/common_signs.h"

#include <gtest/gtest.h>

#include "learner/mobius/logit_systems.h"
#include "tests/learner/layer_error.h"

namespace hardhead::learner::mobius {
namespace {

constexpr Index d = 10, m = 3;

CommonSigns drawn(const Matrix& w_sum = Matrix::Zero(d, d)) {
  CommonSigns out(w_sum, 9, 5);
  out.draw({.scout = 9, .fill = 4, .pairs = 3}, {});
  out.draw_block();
  return out;
}

Matrix some(Index rows, Index columns, double first) {
  Matrix out(rows, columns);
  for (Index n = 0; n < out.size(); ++n) out.reshaped()(n) = std::sin(first + static_cast<double>(n * n));
  return out;
}

// Z_j as a matrix, of one block or two.
Matrix z_of(const CommonSigns& signs, Index feature, Index blocks) {
  Matrix x(signs.first_pair(blocks), d);
  x.topRows(signs.first_pair(1)) = signs.first_round().x;
  if (blocks == 2) x.bottomRows(x.rows() - signs.first_pair(1)) = signs.block(1).x;
  Matrix out(2 * x.rows(), d);
  out << x, -x;
  out.col(feature).setOnes();
  return out;
}

TEST(CommonSigns, ProductsAreThoseOfEachFeaturesMatrix) {
  const CommonSigns signs = drawn();
  const std::vector<Index> features = {0, 4, 9}, blocks = {1, 2, 1};
  CommonSigns::Each u, s;
  for (std::size_t n = 0; n < features.size(); ++n) {
    u.push_back(some(d, m, static_cast<double>(n)));
    s.push_back(some(2 * signs.first_pair(blocks[n]), m, 7. + static_cast<double>(n)));
  }
  const auto images = signs.times(features, blocks, u), adjoints = signs.adjoint(features, blocks, s);
  for (std::size_t n = 0; n < features.size(); ++n) {
    const Matrix z = z_of(signs, features[n], blocks[n]);
    EXPECT_TRUE((z.array().abs() == 1).all() && (z.col(features[n]).array() == 1).all());
    EXPECT_LE((images[n] - z * u[n]).norm(), 1e-13);
    EXPECT_LE((adjoints[n] - z.transpose() * s[n]).norm(), 1e-13);
    const Vector weight = s[n].col(0).cwiseAbs2();
    EXPECT_LE((signs.weighted_gram(features[n], blocks[n], weight) - z.transpose() * weight.asDiagonal() * z)
                  .norm(),
              1e-12);
  }
}

TEST(CommonSigns, AFeatureHasTheValuesOfItsFlips) {
  const attention::Layer layer = instance_of("nice:k=2,d=10,m=3").layer;
  ValueOracle oracle(std::make_shared<attention::LayerTeacher>(layer), d, {.tokens = 2});
  Matrix w_sum = Matrix::Zero(d, d);
  for (const attention::Head& head : layer.heads) w_sum += head.w;
  const CommonSigns signs = drawn(w_sum);
  for (const Index j : {Index{0}, Index{7}}) {
    Matrix x = signs.first_round().x;
    x.col(j).setOnes();
    const std::vector<Index> only_j = {j};
    const Points points = ask_flips(oracle, w_sum, only_j, x);
    EXPECT_EQ(points.z, z_of(signs, j, 1));
    EXPECT_LE((points.v - ask_feature(oracle, w_sum, j, signs.first_round())).norm(), 1e-13);
  }
}

TEST(LogitSystems, AreSolvedAsTheirMatricesAre) {
  const CommonSigns signs = drawn();
  const Matrix weight = some(2 * signs.first_pair(2), m, 3).cwiseAbs2(),
               gram = some(m, m, 1) * some(m, m, 1).transpose() + Matrix::Identity(m, m);
  const auto middle = [&](const Matrix& t) -> Matrix {
    return weight.cwiseProduct(weight.cwiseProduct(t) * gram);
  };
  const auto inverses = HeadInverses::of(signs, 4, 2, weight.cwiseAbs2() * gram.diagonal().asDiagonal(), {});
  const LogitSystem system{
      .feature = 4, .blocks = 2, .middle = middle, .right = some(d, m, 2), .inverses = &*inverses};
  const auto solutions = solve(signs, {system, system}, 1e-13, {});
  EXPECT_EQ(solutions[0], solutions[1]) << "whatever stands beside it";
  const Matrix z = z_of(signs, 4, 2);
  EXPECT_LE((z.transpose() * middle(z * solutions[0]) - system.right).norm(), 1e-10);
}

TEST(LogitSystems, WeightsThatShowNothingHaveNoInverses) {
  const CommonSigns signs = drawn();
  Matrix weight = Matrix::Ones(2 * signs.first_pair(1), m);
  weight.col(1).tail(weight.rows() - d + 1).setZero();
  EXPECT_FALSE(HeadInverses::of(signs, 0, 1, weight, {}));
}

}  // namespace
}  // namespace hardhead::learner::mobius
