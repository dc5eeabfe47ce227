#include "study/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learner/external.h"
#include "learner/learner.h"
#include "study/named_source.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

PlannedRun planned(const std::string& source, const std::string& method) {
  PlannedRun run{source, {}, {}};
  run.run.method = learner::parse_method(method);
  return run;
}

TEST(Forecaster, KnowsTheTrueNumberOfHeads) {
  Forecaster forecaster;
  const auto two = forecaster.seconds(planned("nice:d=16,m=2,seed=1", "gauss-newton"));
  EXPECT_EQ(forecaster.seconds(planned("nice:d=16,m=2,seed=9", "gauss-newton")), two);
  EXPECT_GT(forecaster.seconds(planned("nice:d=16,m=4,seed=1", "gauss-newton")), two);
  EXPECT_EQ(forecaster.seconds(planned("nice", "exec:true")), std::nullopt);
}

TEST(Forecaster, IsTheLearnersOwnPredictionForTheShape) {
  for (const char* method : {"sculpt", "paper", "gauss-newton", "lbfgs", "adam", "phase1"}) {
    PlannedRun run = planned("nice:d=16,k=3,m=4", method);
    run.run.examples = 20'000;
    learner::Task task;
    task.examples = run.run.examples;
    EXPECT_EQ(Forecaster().seconds(run), learner::predicted_seconds(run.run.method, 16, 3, 4, task))
        << method;
    run.run.heads = task.heads = 2;
    EXPECT_EQ(Forecaster().seconds(run), learner::predicted_seconds(run.run.method, 16, 3, 4, task))
        << method;
  }
}

TEST(Forecast, SaysWhatThereIsToDoAndHowLongItTakes) {
  Forecast forecast{.runs = 6, .from_journal = 2, .jobs = 2};
  forecast.add("sculpt", 100);
  forecast.add("exec", std::nullopt);
  forecast.add("sculpt", 140);
  forecast.add("phase1", 0.2);
  EXPECT_EQ(
      forecast.str(),
      "6 runs, 2 of them in the journal; predicted, roughly: 2 of sculpt 4 min, 1 of exec unknown, 1 of phase1 "
      "under 1 s, 2 min and more in all, 2 at a time");
  EXPECT_EQ((Forecast{.runs = 3, .from_journal = 3}.str()), "3 runs, 3 of them in the journal");
}

TEST(Execute, CountsProgressInPredictedSecondsAndAnnouncesThePlan) {
  const std::vector<PlannedRun> plan = {planned("nice:d=6,seed=1", "phase1"),
                                        planned("nice:d=16,seed=1", "sculpt"),
                                        planned("nice:d=6,seed=2", "phase1")};
  std::vector<double> done;
  std::vector<std::string> said;
  RunControl control;
  control.set_progress([&](std::string_view, double share) { done.push_back(share); });
  control.set_announce([&](std::string_view sentence) { said.emplace_back(sentence); });
  execute(plan, {.announce = true}, control);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0], 0);
  EXPECT_LT(done[1], 0.1);
  EXPECT_GT(done[2], 0.9);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("3 runs; predicted, roughly: 2 of phase1 under 1 s, 1 of sculpt "));
}

TEST(Execute, DoesARunThatIsPlannedTwiceOnce) {
  const ScratchFolder folder;
  const std::vector<PlannedRun> plan(3, planned("nice:d=6,seed=1", "phase1"));
  const Executed done = execute(plan, {.journal = folder.path() + "/j", .jobs = 2}, {});
  for (const auto& result : done.results) ASSERT_TRUE(result);
  EXPECT_EQ(done.results[2]->test_error, done.results[0]->test_error);
  const std::string journal = folder.read("j");
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 1);
}

}  // namespace
}  // namespace hardhead::study
