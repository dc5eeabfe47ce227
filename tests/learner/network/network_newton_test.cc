#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learner/learner.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::NiceSource;

// Measured on these seeds: 17 exact, the worst error 5e-7.
TEST(NetworkNewton, LearnsHeadsAndNetworkFromExamples) {
  int exact = 0, cut = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const NiceSource block(fmt::format("block:d=4,k=2,m=1,width=3,inputs=gaussian,seed={}", seed));
    const Report report =
        learn(Spec::parse("network-newton:width=8"), block.source, {.heads = 1, .examples = 1000});
    ASSERT_TRUE(report.layer && report.layer->network) << report.message;
    const double error = relative_error(read_blocks(block.source, 1000, 500, RunContext{}), *report.layer);
    EXPECT_LT(error, 1e-5) << seed;
    if (error < 1e-12) ++exact;
    if (report.layer->network->width() < 8) ++cut;
  }
  EXPECT_GE(exact, 15);
  EXPECT_GE(cut, 16) << "units that can be spared are left out";
}

// Measured on these seeds: 16 are right.
TEST(NetworkNewton, FindsTheNumberOfHeads) {
  int right = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const NiceSource block(fmt::format("block:d=4,k=2,m=2,width=3,inputs=gaussian,seed={}", seed));
    const Report report =
        learn(Spec::parse("network-newton:width=8,starts=1"), block.source, {.examples = 1000});
    if (report.heads_found() == 2) ++right;
  }
  EXPECT_GE(right, 13);
}

TEST(NetworkNewton, AStudentOfAdamMayHaveANetwork) {
  const NiceSource block("block:d=4,k=2,m=1,width=3,seed=2");
  const Report report = learn(Spec::parse("adam:width=8,student=8,steps=3000"), block.source, {.heads = 1});
  ASSERT_TRUE(report.layer && report.layer->network) << report.message;
  constexpr double of_best_affine_function = 0.0313;
  EXPECT_LT(relative_error(read_blocks(block.source, 2'000'000, 500, RunContext{}), *report.layer),
            of_best_affine_function / 10);
}

TEST(NetworkNewton, AStudentWithoutANetworkTakesNoOptionOfOne) {
  EXPECT_THROW(Learner(Spec::parse("adam:residual=0")), InputError);
  EXPECT_THROW(Learner(Spec::parse("adam:width=8,theta=diagonal")), InputError);
  EXPECT_EQ(Learner(Spec::parse("adam:width=8,residual=0")).told(), Told::network);
}

}  // namespace
}  // namespace hardhead::learner
