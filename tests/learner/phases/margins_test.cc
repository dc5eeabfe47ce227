#include "learner/phases/margins.h"

#include <gtest/gtest.h>

#include "learner/phases/w_sum.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::NiceSource;

TEST(Margins, TrimmingKeepsRowsWhoseMarginHoldsInEveryHead) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  const attention::Matrix truth = nice.layer().w_sum();
  const attention::Matrix crude = estimate_w_sum(nice.source, 20'000, RunContext{}).estimate;
  const attention::Matrix proxy = 0.5 * (nice.layer().heads[0].theta + nice.layer().heads[1].theta);
  const auto error = [&](double kept) {
    const MarginWSum refined =
        refine_w_sum({nice.source, 0, 200'000}, proxy, crude, {.share = 0.01, .kept_fraction = kept},
                     RunContext{}, "w_sum_refined");
    EXPECT_EQ(refined.rows_kept, static_cast<std::int64_t>(6000 * kept));
    return (refined.estimate - truth).norm() / truth.norm();
  };
  const double crude_error = (crude - truth).norm() / truth.norm();
  const double trimmed = error(0.25), untrimmed = error(1);
  EXPECT_LT(trimmed, 0.02);
  EXPECT_LT(trimmed, untrimmed / 2);
  EXPECT_LT(untrimmed, crude_error);
}

}  // namespace
}  // namespace hardhead::learner
