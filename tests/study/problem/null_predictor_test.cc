#include "study/problem/null_predictor.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "study/problem/problem.h"

namespace hardhead::study {
namespace {

TEST(NullPredictor, AlongThePathItRunsIntoTheExactOneOfTheParityLayer) {
  for (const std::string variant : {"exact", "minimal"}) {
    const std::string path = "path:d=12,m=4,variant=" + variant;
    const Problem end = open_problem(path + ",t=1", {});
    ASSERT_TRUE(end.instance->null.exact_error);
    // The labels of t = 1 are continuous in t, and so is the best affine predictor of them.
    const double fitted = open_problem(path + ",t=0.999999", {}).null_error;
    std::printf("%s: fitted %.4f, exact %.4f\n", variant.c_str(), fitted, end.null_error);
    EXPECT_NEAR(fitted, end.null_error, 0.02 * end.null_error);
    EXPECT_LT(open_problem(path + ",t=0", {}).null_error, 0.7);
  }
}

}  // namespace
}  // namespace hardhead::study
