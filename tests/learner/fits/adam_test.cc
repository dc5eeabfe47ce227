#include "learner/fits/adam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>

#include "learner/objective/loss.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::fresh_error;
using ::testing::HasSubstr;
using testing::NiceSource;
using testing::run;

TEST(Adam, RecoversNiceLayersFromEveryInputDistribution) {
  for (const char* spec : {"nice:d=16,k=3,m=2,seed=1", "nice:d=16,k=3,m=2,seed=2,inputs=gaussian",
                           "nice:d=16,k=3,m=2,seed=3,inputs=sphere", "nice:d=8,k=2,m=1,seed=4"}) {
    const NiceSource nice(spec);
    const Report report = run("adam", nice, {.heads = nice.layer().m()});
    EXPECT_EQ(report.ending, Ending::finished) << spec << ": " << report.message;
    EXPECT_LT(fresh_error(nice, report), 1e-10) << spec;
    EXPECT_EQ(report.heads_found(), nice.layer().m()) << spec;
  }
}

TEST(Adam, CountsDistinctExamplesAndGoesRoundWhenTheyRunOut) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  EXPECT_EQ(run("adam:steps=10,batch=50", nice, {.heads = 2}).examples_used,
            500 + 250);  // a tenth is held back
  const Report capped = run("adam:steps=100,batch=50", nice, {.heads = 2, .examples = 1000});
  EXPECT_EQ(capped.examples_used, 1000);
  EXPECT_NEAR(capped.phases.front().measures.at(2).second, 5000.0 / 900, 1e-12) << "rounds";
  // A batch larger than all there is goes round within a step.
  EXPECT_EQ(run("adam:steps=3,batch=1000", nice, {.heads = 2, .examples = 100}).examples_used, 100);
}

TEST(Adam, IsBitIdenticalForOneAndTwoThreads) {
  const NiceSource nice("nice:d=8,k=3,m=2");
  const auto layer_with = [&](int threads) {
    Report report;
    tbb::task_arena(threads).execute([&] { report = run("adam:steps=50", nice, {.heads = 2}); });
    return stack(report.layer.value());
  };
  EXPECT_TRUE(layer_with(1) == layer_with(2));
}

TEST(Adam, StudentHasTheHeadsAskedForStatedOrEight) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  EXPECT_EQ(run("adam:steps=5", nice, {}).heads_found(), 8);
  EXPECT_EQ(run("adam:steps=5", nice, {.heads = 2}).heads_found(), 2);
  EXPECT_EQ(run("adam:steps=5,student=3", nice, {.heads = 2}).heads_found(), 3);
}

TEST(Adam, SaysWhatStarvedIt) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Report short_run = run("adam:steps=5", nice, {.heads = 2});
  EXPECT_EQ(short_run.ending, Ending::failed);
  EXPECT_EQ(short_run.failed_phase, "descent");
  EXPECT_THAT(short_run.message, HasSubstr("steps ran out after 5"));
  const NiceSource hard("parity:d=12,m=3");
  const Report blind = run("adam:steps=500", hard, {.heads = 8});
  EXPECT_EQ(blind.ending, Ending::failed);
  EXPECT_GT(fresh_error(hard, blind), 0.9);
}

TEST(Adam, StoppedMidwayItHandsBackWhatItHas) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view, double done) { stop = stop || done > 0.03; };
  const Report report = run("adam", nice, {.heads = 2}, context);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(report.message, HasSubstr("interrupted"));
  EXPECT_LT(fresh_error(nice, report), 0.6);
}

}  // namespace
}  // namespace hardhead::learner
