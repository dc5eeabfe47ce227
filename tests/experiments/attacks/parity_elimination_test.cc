#include "experiments/attacks/parity_elimination.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

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

// 1% may fail at most, by a bound that is not tight.
TEST(ParityElimination, SeldomFailsFromThePredictedNumberOfExamples) {
  constexpr int runs = 300;
  for (const int d : {6, 20, 40}) {
    int failed = 0;
    for (int seed = 1; seed <= runs; ++seed) {
      const study::Problem problem = study::open_problem(fmt::format("parity:d={},m=3,seed={}", d, seed), {});
      const auto found = eliminate_parity(*problem.training, d - 1, elimination_examples(d, 0.01)).found;
      failed += found == problem.instance->hidden ? 0 : 1;
    }
    EXPECT_LE(failed, 8) << "d=" << d << ": more than 8 of 300 has probability 0.4% at a rate of 1%";
  }
}

TEST(ParityElimination, PredictsTheFewestExamplesThatItsBoundAllows) {
  for (const int d : {2, 20, 64}) {
    const auto bound = [&](std::int64_t n) { return (std::exp2(d - 1) + 1) * std::pow(0.75, n); };
    const std::int64_t examples = elimination_examples(d, 0.01);
    EXPECT_LE(bound(examples), 0.01);
    EXPECT_GT(bound(examples - 1), 0.01);
  }
  EXPECT_THROW(elimination_examples(1, 0.01), InputError);
  EXPECT_THROW(elimination_examples(20, 0), InputError);
  EXPECT_THROW(elimination_examples(20, 1), InputError);
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
