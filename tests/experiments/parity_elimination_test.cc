#include "experiments/parity_elimination.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "study/problem/problem.h"

namespace hardhead::experiments {
namespace {

TEST(ParityElimination, FindsTheHiddenSetOfBothVariantsFromFourTimesAsManyExamplesAsFeatures) {
  for (const char* variant : {"exact", "minimal"})
    for (int m = 1; m <= 7; ++m)
      for (int seed = 1; seed <= 5; ++seed) {
        const study::Problem problem = study::open_problem(
            "parity:d=20,m=" + std::to_string(m) + ",variant=" + variant + ",seed=" + std::to_string(seed),
            {});
        // Half of the examples are equations; 2d of these leave one set but for a chance of 2^-d.
        const ParityElimination result = eliminate_parity(*problem.training, problem.d - 1, 4 * problem.d);
        EXPECT_TRUE(result.verified()) << problem.spec;
        EXPECT_EQ(result.found, problem.instance->hidden) << problem.spec;
      }
}

TEST(ParityElimination, TooFewExamplesLeaveSeveralSets) {
  const study::Problem problem = study::open_problem("parity:d=20,m=6", {});
  const ParityElimination result = eliminate_parity(*problem.training, problem.d - 1, 10);
  EXPECT_FALSE(result.unique);
  EXPECT_TRUE(result.found.empty());
  EXPECT_FALSE(result.verified());
}

TEST(ParityElimination, RefusesWhatIsNoParity) {
  EXPECT_THROW(eliminate_parity(*study::open_problem("nice:d=8,k=3", {}).training, 7, 100), InputError);
  EXPECT_THROW(eliminate_parity(*study::open_problem("parity:d=8,m=2", {}).training, 8, 100), InputError);
  EXPECT_THROW(eliminate_parity(*study::open_problem("parity:d=8,m=2", {}).training, 7, 0), InputError);
}

}  // namespace
}  // namespace hardhead::experiments
