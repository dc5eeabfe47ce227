#include "learner/objective/lanes.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/numeric/random.h"

namespace hardhead::learner {
namespace {

using attention::FloatMatrix;
using attention::Index;

constexpr Index features = 5, columns = 2 * lane;

FloatMatrix random_rows(Index rows, std::uint64_t item) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  Stream(Domain::test, 1, "lanes").normals(item, numbers);
  return Eigen::Map<const attention::RowMatrix>(numbers.data(), rows, columns).cast<float>();
}

// Feature f of token t is row t features + f.
Rows rows_of(const FloatMatrix& tokens, Index token) {
  return {tokens.data() + token * features * columns, columns};
}

TEST(Lanes, PairProductsAreSumsOverFeaturesInTheirOrder) {
  for (const Index lefts : {1, 2, 5})
    for (const Index rights : {1, 4, 7}) {
      const FloatMatrix left = random_rows(lefts * features, 1), right = random_rows(rights * features, 2);
      FloatMatrix sums = random_rows(lefts * rights, 3), expected = sums;
      for (Index a = 0; a < lefts; ++a)
        for (Index b = 0; b < rights; ++b)
          for (Index f = 0; f < features; ++f)
            expected.row(a * rights + b) +=
                left.row(a * features + f).cwiseProduct(right.row(b * features + f));
      add_pair_products(
          lefts, [&](Index a) { return rows_of(left, a); }, rights,
          [&](Index b) { return rows_of(right, b); }, features, columns,
          [&](Index a, Index b) { return &sums(a * rights + b, 0); });
      EXPECT_EQ(sums, expected) << lefts << " by " << rights;
    }
}

TEST(Lanes, WeightedSumsAreSumsOverTermsInTheirOrder) {
  for (const Index terms : {0, 1, 2, 3, 4, 7, 9})
    for (const bool add : {false, true}) {
      const FloatMatrix weights = random_rows(terms, 4), rows = random_rows(terms * features, 5);
      FloatMatrix out = random_rows(features, 6), expected = out;
      if (!add) expected.setZero();
      for (Index t = 0; t < terms; ++t)
        for (Index f = 0; f < features; ++f)
          expected.row(f) += weights.row(t).cwiseProduct(rows.row(t * features + f));
      set_weighted_sum(
          terms, [&](Index t) { return &weights(t, 0); }, [&](Index t) { return rows_of(rows, t); }, features,
          columns, {out.data(), columns}, add);
      EXPECT_EQ(out, expected) << terms << (add ? " more" : "");
    }
}

}  // namespace
}  // namespace hardhead::learner
