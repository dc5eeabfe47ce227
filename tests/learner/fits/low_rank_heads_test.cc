#include "learner/fits/low_rank_heads.h"
#include "base/numeric/decompositions.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;

Matrix gaussian_entries(Index rows, Index columns, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  Stream(Domain::test, 1, "low rank heads").normals(item, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

// sum_i W_i <Theta_i, .> for heads of low rank with Theta_i of norms 0.7, 0.9, 1.1, .., and noise.
struct KnownHeads final : MatrixMap {
  KnownHeads(Index features, const Factors& factors, std::uint64_t seed, double noise,
             std::uint64_t examples = 99)
      : d(features), noise_matrix(noise * gaussian_entries(d * d, d * d, 100 * seed + examples)) {
    const auto [m, form, value] = factors;
    for (Index i = 0; i < m; ++i) {
      const std::uint64_t item = 100 * seed + 4 * static_cast<std::uint64_t>(i);
      thetas.push_back((0.7 + 0.2 * static_cast<double>(i)) *
                       (gaussian_entries(d, form, item) * gaussian_entries(form, d, item + 1)).normalized());
      ws.push_back(
          (gaussian_entries(d, value, item + 2) * gaussian_entries(value, d, item + 3)).normalized());
    }
  }

  Matrix matrix() const {
    Matrix out = noise_matrix;
    for (std::size_t i = 0; i < ws.size(); ++i)
      out += ws[i].reshaped() * thetas[i].transpose().reshaped().transpose();
    return out;
  }
  Matrix image(const Matrix& matrices) const override { return as_stack(matrix() * as_columns(matrices), d); }
  Matrix adjoint(const Matrix& matrices) const override {
    return as_stack(matrix().transpose() * as_columns(matrices), d);
  }
  Matrix w_sum() const {
    Matrix sum = Matrix::Zero(d, d);
    for (const Matrix& w : ws) sum += w;
    return sum;
  }
  Matrix leading(Index m) const {
    const Matrix map = matrix();
    return as_stack(symmetric_eigen(map.transpose() * map).vectors.rowwise().reverse().leftCols(m), d);
  }

  Index d;
  Matrix noise_matrix;
  std::vector<Matrix> thetas, ws;
};

Matrix theta_of(const Matrix& inner, const Factors& factors, Index i) {
  return inner.middleRows(factors.query(i), factors.form).transpose() *
         inner.middleRows(factors.key(i), factors.form);
}

// The true head that is nearest in its direction.
std::size_t nearest(const Matrix& theta, const std::vector<Matrix>& thetas) {
  std::size_t match = 0;
  const auto cosine = [&](std::size_t j) {
    return std::abs(theta.cwiseProduct(thetas[j]).sum()) / thetas[j].norm();
  };
  for (std::size_t j = 1; j < thetas.size(); ++j)
    if (cosine(j) > cosine(match)) match = j;
  return match;
}

struct Case {
  Index d;
  Factors factors;
};

TEST(LowRankHeads, AreThoseOfAnExactFirstOrderMapWhateverTheirOrder) {
  for (const Case& given :
       {Case{16, {.m = 4, .form = 4, .value = 4}}, Case{12, {.m = 3, .form = 2, .value = 5}},
        Case{10, {.m = 1, .form = 3, .value = 2}}})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto& [d, factors] = given;
      const KnownHeads known(d, factors, seed, 0), &others = known;
      const auto [inner, standing_out] =
          low_rank_heads({known, others, known.w_sum()}, known.leading(factors.m), factors,
                         Stream(Domain::learner, seed, "test"));
      ASSERT_EQ(inner.rows(), factors.outputs());
      EXPECT_EQ(standing_out, factors.m);
      const double median = known.thetas[static_cast<std::size_t>((factors.m - 1) / 2)].norm();
      std::vector<bool> taken(static_cast<std::size_t>(factors.m));
      for (Index i = 0; i < factors.m; ++i) {
        const Matrix theta = theta_of(inner, factors, i);
        const std::size_t match = nearest(theta, known.thetas);
        // With its sign, and its norm over the median one.
        EXPECT_LT((median * theta - known.thetas[match]).norm(), 1e-2)
            << "d = " << d << ", seed " << seed << ", head " << i;
        EXPECT_FALSE(taken[match]) << "two heads are the same, seed " << seed;
        taken[match] = true;
        // V_i spans the columns of W_i.
        const Matrix v = inner.middleRows(factors.values(i), factors.value), w = known.ws[match];
        EXPECT_LT((w - v.transpose() * (v * w)).norm(), 1e-2 * w.norm()) << "seed " << seed << ", head " << i;
      }
    }
}

// Heads that singular matrices show with an overlap of about a half.
TEST(LowRankHeads, AreBetterThanTheSingularMatricesOfANoisyMap) {
  constexpr Index d = 24;
  const Factors factors{.m = 4, .form = 2, .value = 2};
  double in_space = 0, in_heads = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const KnownHeads known(d, factors, seed, 0.02), others(d, factors, seed, 0.06, 98);
    const Matrix leading = known.leading(factors.m), space = as_columns(leading);
    const Matrix inner = low_rank_heads({known, others, known.w_sum()}, leading, factors,
                                        Stream(Domain::learner, seed, "test"))
                             .inner;
    for (Index i = 0; i < factors.m; ++i) {
      const Matrix theta = theta_of(inner, factors, i), truth = known.thetas[nearest(theta, known.thetas)];
      in_space += (space.transpose() * truth.transpose().reshaped()).norm() / truth.norm() / 20;
      in_heads += theta.cwiseProduct(truth).sum() / truth.norm() / theta.norm() / 20;
    }
  }
  RecordProperty("cosine_of_space", std::to_string(in_space));
  RecordProperty("cosine_of_heads", std::to_string(in_heads));
  EXPECT_LT(in_space, 0.9);
  EXPECT_GT(in_heads, 0.95);
}

TEST(LowRankHeads, StandOutOfTheNoiseAsOftenAsThereAreHeads) {
  constexpr Index d = 24;
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Factors factors{.m = 3, .form = 2, .value = 2};
    const KnownHeads known(d, factors, seed, 0.01), others(d, factors, seed, 0.03, 98);
    for (const Index m : {3, 4, 5})
      right += low_rank_heads({known, others, known.w_sum()}, known.leading(m),
                              {.m = m, .form = 2, .value = 2}, Stream(Domain::learner, seed, "test"))
                           .standing_out == 3
                   ? 1
                   : 0;
  }
  EXPECT_GE(right, 57) << "of 60";
}

TEST(LowRankHeads, OfFullRankSpanEverythingThatTheyMay) {
  const Factors factors{.m = 2, .form = 2, .value = 6};
  const KnownHeads known(6, factors, 1, 0), &others = known;
  const Matrix inner = low_rank_heads({known, others, known.w_sum()}, known.leading(2), factors,
                                      Stream(Domain::learner, 1, "test"))
                           .inner,
               v = inner.middleRows(factors.values(1), 6);
  EXPECT_LT((v * v.transpose() - Matrix::Identity(6, 6)).norm(), 1e-12);
}

}  // namespace
}  // namespace hardhead::learner
