#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using testing::fresh_error;
using ::testing::HasSubstr;
using testing::NiceSource;
using testing::run;

TEST(Lbfgs, RecoversNiceLayersFromEveryInputDistribution) {
  for (const char* spec : {"nice:d=16,k=3,m=2,seed=1", "nice:d=16,k=3,m=2,seed=2,inputs=gaussian",
                           "nice:d=16,k=3,m=2,seed=3,inputs=sphere", "nice:d=8,k=2,m=1,seed=4"}) {
    const NiceSource nice(spec);
    const Report report = run("lbfgs", nice, {.heads = nice.layer().m()});
    EXPECT_EQ(report.ending, Ending::finished) << spec << ": " << report.message;
    EXPECT_LT(fresh_error(nice, report), 1e-20) << spec;
    EXPECT_EQ(report.examples_used, 1000) << spec;
    EXPECT_EQ(report.heads_found(), nice.layer().m()) << spec;
  }
}

TEST(Lbfgs, StudentHasTheHeadsAskedForStatedOrEight) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  EXPECT_EQ(run("lbfgs:iterations=5", nice, {}).heads_found(), 8);
  EXPECT_EQ(run("lbfgs:iterations=5", nice, {.heads = 2}).heads_found(), 2);
  EXPECT_EQ(run("lbfgs:iterations=5,student=3", nice, {.heads = 2}).heads_found(), 3);
}

TEST(Lbfgs, NamesTheLibrarysCodeWhenItStarves) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  const Report report = run("lbfgs:iterations=10", nice, {.heads = 2});
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_EQ(report.failed_phase, "fit_2_heads");
  EXPECT_THAT(report.message, HasSubstr("LBFGSERR_MAXIMUMITERATION"));
}

TEST(Lbfgs, StoppedMidwayItHandsBackWhatItHas) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_progress = [&](std::string_view, double done) { stop = stop || done > 0.01; };
  const Report report = run("lbfgs", nice, {.heads = 2}, context);
  EXPECT_EQ(report.ending, Ending::stopped);
  EXPECT_THAT(report.message, HasSubstr("interrupted"));
  EXPECT_LT(fresh_error(nice, report), 0.6);
}

TEST(Lbfgs, AnExceptionOfTheProgressSinkComesOutAsItIs) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  RunContext context;
  context.progress.on_progress = [](std::string_view, double) { throw std::runtime_error("the sink broke"); };
  EXPECT_THROW(run("lbfgs", nice, {.heads = 2}, context), std::runtime_error);
}

}  // namespace
}  // namespace hardhead::learner
