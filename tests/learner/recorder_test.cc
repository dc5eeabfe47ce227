#include "learner/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace hardhead::learner {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Recorder, HandsOnWhatThePhaseReturns) {
  Recorder recorder{StopToken()};
  EXPECT_EQ(recorder.phase("one", 100,
                           [](Phase& phase) {
                             phase.add("x", 1);
                             return 7;
                           }),
            7);
  recorder.phase("two", 30, [](Phase&) {});
  const Report& report = recorder.report();
  ASSERT_EQ(report.phases.size(), 2);
  EXPECT_EQ(report.phases[0].name, "one");
  EXPECT_EQ(report.phases[0].examples, 100);
  EXPECT_THAT(report.phases[0].measures, ElementsAre(Pair("x", 1)));
  EXPECT_EQ(report.examples_used, 100) << "those of the second phase are among them";
}

TEST(Recorder, KeepsThePhaseThatIsCutShortAndWhatItHadMeasured) {
  Recorder recorder{StopToken()};
  int steps = 0;
  const auto cut_short = [&] {
    recorder.phase(
        "fit", 10,
        [&](Phase&) {
          steps = 3;
          throw Stopped{"interrupted"};
        },
        [&](Phase& phase) { phase.add("steps", steps); });
  };
  EXPECT_THROW(cut_short(), Stopped);
  ASSERT_EQ(recorder.report().phases.size(), 1);
  EXPECT_THAT(recorder.report().phases[0].measures, ElementsAre(Pair("steps", 3)));
}

TEST(Recorder, BeginsNoPhaseOnceItIsStopped) {
  const std::atomic<bool> stop = true;
  Recorder recorder{StopToken(&stop)};
  EXPECT_THROW(recorder.phase("one", 100, [](Phase&) { ADD_FAILURE(); }), Stopped);
  EXPECT_TRUE(recorder.report().phases.empty());
  EXPECT_EQ(recorder.report().examples_used, 0);
}

}  // namespace
}  // namespace hardhead::learner
