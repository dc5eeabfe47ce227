#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <map>

#include "hardness/families/family.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Index;
using attention::Matrix;

TEST(Orthogonal, ThetaTimesItsTransposeIsAMultipleOfTheIdentity) {
  for (const char* name : {"orthogonal", "permutation"})
    for (const Index d : {1, 2, 3, 64}) {
      const Instance instance = make(fmt::format("{}:d={},theta_norm=3", name, d));
      for (const auto& head : instance.layer.heads) {
        const Matrix gram = head.theta * head.theta.transpose() * static_cast<double>(d) / 9;
        EXPECT_LE((gram - Matrix::Identity(d, d)).norm(), 1e-13) << name << " " << d;
      }
    }
}

TEST(Orthogonal, RotationsOfThePlaneAreUniformWithHalfOfThemReflections) {
  constexpr int draws = 2000;
  int reflections = 0;
  std::array<int, 8> octants{};
  for (int seed = 0; seed < draws; ++seed) {
    const Matrix theta = make(fmt::format("orthogonal:d=2,m=1,seed={}", seed)).layer.heads[0].theta;
    if (theta.determinant() < 0) ++reflections;
    const double turns = std::atan2(theta(1, 0), theta(0, 0)) / (2 * M_PI) + 0.5;
    ++octants[std::min<std::size_t>(7, static_cast<std::size_t>(8 * turns))];
  }
  EXPECT_NEAR(reflections, draws / 2, 5 * std::sqrt(draws) / 2);
  for (const int count : octants) EXPECT_NEAR(count, draws / 8, 5 * std::sqrt(draws / 8));
}

TEST(Permutation, EveryRowAndColumnHasOneEntryAndAllPermutationsAndSignsOccur) {
  std::map<std::vector<int>, int> seen;
  constexpr int draws = 2400;
  for (int seed = 0; seed < draws; ++seed) {
    const Matrix theta =
        make(fmt::format("permutation:d=3,m=1,theta_norm=1,seed={}", seed)).layer.heads[0].theta;
    std::vector<int> signs;
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) signs.push_back(theta(a, b) == 0 ? 0 : theta(a, b) < 0 ? -1 : 1);
    EXPECT_NEAR(theta.cwiseAbs().maxCoeff(), 1 / std::sqrt(3.0), 1e-15);
    ++seen[signs];
  }
  EXPECT_EQ(seen.size(), 48u);  // 3! orders, 2^3 signs
  for (const auto& [signs, count] : seen) EXPECT_NEAR(count, 50, 40);
}

TEST(Orthogonal, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("orthogonal").digest, "f8fe4bc33eccbe038d53657b773c28401583cf64c5682d881fcb89a8013179d1");
  EXPECT_EQ(make("permutation").digest, "52ce66854f10c74b49346b6f1b2865d7abcfaab1ccdede1088b7c6872faf9673");
}

}  // namespace
}  // namespace hardhead::hardness
