#include "attention/layer/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/numeric/random.h"

namespace hardhead::attention {
namespace {

Matrix random_costs(std::uint64_t item, Index rows) {
  std::vector<double> entries(static_cast<std::size_t>(rows * rows));
  Stream(Domain::instance, 1, "assignment_test").normals(item, entries);
  return Eigen::Map<Matrix>(entries.data(), rows, rows);
}

double cost_of(const Matrix& cost, const std::vector<Index>& columns) {
  double sum = 0;
  for (Index i = 0; i < cost.rows(); ++i) sum += cost(i, columns[static_cast<std::size_t>(i)]);
  return sum;
}

TEST(Assignment, IsTheCheapestOfAllPermutations) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const Index n = 1 + static_cast<Index>(trial % 6);
    const Matrix cost = random_costs(trial, n);
    const std::vector<Index> found = cheapest_assignment(cost);
    std::vector<Index> columns(static_cast<std::size_t>(n));
    std::iota(columns.begin(), columns.end(), Index{0});
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), columns.begin()));
    double best = cost_of(cost, columns);
    while (std::next_permutation(columns.begin(), columns.end()))
      best = std::min(best, cost_of(cost, columns));
    EXPECT_NEAR(cost_of(cost, found), best, 1e-12);
  }
}

}  // namespace
}  // namespace hardhead::attention
