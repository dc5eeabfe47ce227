#include "learner/fits/low_rank_heads.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "learner/objective/orthonormal.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using attention::Vector;

Matrix gaussian(Index rows, Index columns, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  Stream(Domain::test, 1, "low rank heads").normals(item, numbers);
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

/// Heads of low rank, Theta_i of norm 1, and the leading matrices of sum_i c_i W_i <Theta_i^T, .>.
struct KnownHeads {
  KnownHeads(Index d, const Factors& factors, std::uint64_t seed) {
    const auto [m, form, value] = factors;
    Matrix all_forms(d * d, m), all_w(d * d, m);
    for (Index i = 0; i < m; ++i) {
      const std::uint64_t item = 100 * seed + 4 * static_cast<std::uint64_t>(i);
      thetas.push_back((gaussian(d, form, item) * gaussian(form, d, item + 1)).normalized());
      ws.push_back(gaussian(d, value, item + 2) * gaussian(value, d, item + 3));
      all_forms.col(i) = Matrix(thetas.back().transpose()).reshaped();
      all_w.col(i) = (1 + 0.1 * static_cast<double>(i)) * ws.back().reshaped();
    }
    const Matrix forms = orthonormal(all_forms), w = orthonormal(all_w);
    const Eigen::JacobiSVD<Matrix> core(w.transpose() * all_w * (forms.transpose() * all_forms).transpose(),
                                        Eigen::ComputeFullU | Eigen::ComputeFullV);
    leading = {core.singularValues(), stacked(forms * core.matrixV(), d), stacked(w * core.matrixU(), d)};
  }

  static Matrix stacked(const Matrix& columns, Index d) {
    Matrix out(columns.cols() * d, d);
    for (Index j = 0; j < columns.cols(); ++j) out.middleRows(j * d, d) = columns.col(j).reshaped(d, d);
    return out;
  }

  std::vector<Matrix> thetas, ws;
  LeadingHeads leading;
};

TEST(LowRankHeads, AreThoseOfAnExactFirstOrderMapWhateverTheirOrder) {
  struct Case {
    Index d;
    Factors factors;
  };
  for (const Case& given :
       {Case{16, {.m = 4, .form = 4, .value = 4}}, Case{12, {.m = 3, .form = 2, .value = 5}},
        Case{10, {.m = 1, .form = 3, .value = 2}}})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto& [d, factors] = given;
      const KnownHeads known(d, factors, seed);
      const Matrix inner = low_rank_heads(known.leading, factors, Stream(Domain::learner, seed, "test"));
      ASSERT_EQ(inner.rows(), factors.outputs());
      std::vector<bool> taken(static_cast<std::size_t>(factors.m));
      for (Index i = 0; i < factors.m; ++i) {
        const Matrix theta = inner.middleRows(factors.query(i), factors.form).transpose() *
                             inner.middleRows(factors.key(i), factors.form);
        EXPECT_NEAR(theta.norm(), 1, 1e-12);
        std::size_t match = 0;
        const auto off = [&](std::size_t j) {
          return 1 - std::abs(theta.cwiseProduct(known.thetas[j]).sum());
        };
        for (std::size_t j = 1; j < known.thetas.size(); ++j)
          if (off(j) < off(match)) match = j;
        EXPECT_LT(off(match), 1e-6) << "d = " << d << ", seed " << seed << ", head " << i;
        EXPECT_FALSE(taken[match]) << "two heads are the same, seed " << seed;
        taken[match] = true;
        // V_i spans the columns of W_i.
        const Matrix v = inner.middleRows(factors.values(i), factors.value), w = known.ws[match];
        EXPECT_LT((w - v.transpose() * (v * w)).norm(), 1e-2 * w.norm()) << "seed " << seed << ", head " << i;
      }
    }
}

TEST(LowRankHeads, OfFullRankSpanEverythingThatTheyMay) {
  const Factors factors{.m = 2, .form = 2, .value = 6};
  const KnownHeads known(6, factors, 1);
  const Matrix inner = low_rank_heads(known.leading, factors, Stream(Domain::learner, 1, "test")),
               v = inner.middleRows(factors.values(1), 6);
  EXPECT_LT((v * v.transpose() - Matrix::Identity(6, 6)).norm(), 1e-12);
}

}  // namespace
}  // namespace hardhead::learner
