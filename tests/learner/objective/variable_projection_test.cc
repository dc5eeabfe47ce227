#include "learner/objective/variable_projection.h"

#include <gtest/gtest.h>

#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"
#include "tests/learner/true_hull.h"

namespace hardhead::learner {
namespace {

using attention::Index;
using attention::Matrix;
using testing::NiceSource;
using testing::true_hull;

// Coordinates of the heads in their hull.
Matrix coordinates(const AffineHull& hull, const attention::Layer& layer) {
  Matrix out(static_cast<Index>(hull.directions.size()), layer.m());
  for (Index i = 0; i < out.cols(); ++i)
    for (Index l = 0; l < out.rows(); ++l)
      out(l, i) = layer.heads[static_cast<std::size_t>(i)]
                      .theta.cwiseProduct(hull.directions[static_cast<std::size_t>(l)])
                      .sum();
  return out;
}

TEST(VariableProjection, ConvergesToTheHeadsFromNearby) {
  for (const char* spec : {"nice:d=8,k=3,m=2", "nice:d=8,k=2,m=3"}) {
    const NiceSource nice(spec);
    const auto blocks = read_blocks(nice.source, 0, 400, RunContext{});
    const AffineHull hull = true_hull(nice.layer());
    const Matrix truth = coordinates(hull, nice.layer());
    Matrix start = truth;
    for (Index i = 0; i < start.size(); ++i) start(i) += i % 2 == 0 ? 0.3 : -0.2;
    const ProjectionResult found = variable_projection(blocks, hull, start, RunContext{});
    EXPECT_LT((found.coordinates - truth).norm(), 1e-8) << spec;
    EXPECT_LT(found.error, 1e-16) << spec;
    EXPECT_LE(found.iterations, 20) << "converged, not cut off: " << spec;
  }
}

TEST(VariableProjection, NeverEndsWorseThanItStarts) {
  const NiceSource nice("nice:d=8,k=2,m=3");
  const auto blocks = read_blocks(nice.source, 0, 400, RunContext{});
  AffineHull wrong = true_hull(nice.layer());
  wrong.offset *= 0.5;
  const Matrix start = Matrix::Constant(2, 3, 0.1);  // three equal heads: a singular problem
  const std::vector<Matrix> equal(3, wrong.point(start.col(0)));
  const double before = relative_error(blocks, fit_w(blocks, equal));
  const ProjectionResult after = variable_projection(blocks, wrong, start, RunContext{});
  EXPECT_LE(after.error, before);
  EXPECT_NEAR(relative_error(blocks, after.layer), after.error, 1e-12);
}

}  // namespace
}  // namespace hardhead::learner
