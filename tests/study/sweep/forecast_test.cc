#include "study/sweep/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

#include "base/error.h"
#include "learner/learner.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

RunRequest planned(const std::string& source, const std::string& method) {
  RunRequest run{source, {}, {}};
  run.run.method = parse_learner(method);
  return run;
}

TEST(Forecaster, KnowsTheTrueNumberOfHeads) {
  Forecaster forecaster;
  const auto two = forecaster.seconds(planned("nice:d=16,m=2,seed=1", "gauss-newton"));
  EXPECT_EQ(forecaster.seconds(planned("nice:d=16,m=2,seed=9", "gauss-newton")), two);
  EXPECT_GT(forecaster.seconds(planned("nice:d=16,m=4,seed=1", "gauss-newton"))->learnt, two->learnt);
  EXPECT_EQ(forecaster.seconds(planned("nice", "exec:true")), std::nullopt);
}

TEST(Forecaster, IsTheLearnersOwnPredictionForTheShape) {
  for (const char* method : {"sculpt", "paper", "gauss-newton", "lbfgs", "adam", "phase1"}) {
    RunRequest run = planned("nice:d=16,k=3,m=4", method);
    run.run.task.examples = 20'000;
    learner::Task task;
    task.examples = run.run.task.examples;
    EXPECT_EQ(Forecaster().seconds(run), run.run.method.predicted_seconds({16, 3}, 4, task)) << method;
    run.run.task.heads = task.heads = 2;
    EXPECT_EQ(Forecaster().seconds(run), run.run.method.predicted_seconds({16, 3}, 4, task)) << method;
  }
}

TEST(Forecast, SaysWhatThereIsToDoAndHowLongItTakes) {
  Forecast forecast{.runs = 6, .from_journal = 2, .jobs = 2};
  forecast.add("sculpt", {{100, 1000}}, 600);
  forecast.add("exec", std::nullopt, 600);
  forecast.add("sculpt", {{140, 1400}}, 300);
  forecast.add("phase1", {{0.2, 0.2}}, 600);
  EXPECT_EQ(
      forecast.str(),
      "6 runs, 2 of them in the journal, 2 at a time. Predicted for one run, where a layer is learnt as "
      "nice ones are: 2 min of sculpt (2 runs), an unknown time of exec (1 run), under 1 s of phase1 "
      "(1 run). A run is stopped after 10 min: 18 min for all at most");
  Forecast endless{.runs = 1};
  endless.add("phase1", {{0.2, 0.2}}, std::nullopt);
  EXPECT_EQ(endless.str(),
            "1 run. Predicted for one run, where a layer is learnt as nice ones are: under 1 s of phase1 "
            "(1 run)");
  Forecast short_runs{.runs = 2};
  short_runs.add("phase1", {{0.2, 0.2}}, 0.25);
  EXPECT_THAT(short_runs.str(), testing::EndsWith(". A run is stopped after 0.25 s: 0.25 s for all at most"));
  EXPECT_EQ((Forecast{.runs = 3, .from_journal = 3}.str()), "3 runs, 3 of them in the journal");
}

TEST(Execute, CountsProgressInPredictedSecondsAndAnnouncesThePlan) {
  const std::vector<RunRequest> plan = {planned("nice:d=6,seed=1", "phase1"),
                                        planned("nice:d=16,seed=1", "sculpt"),
                                        planned("nice:d=6,seed=2", "phase1")};
  std::vector<double> done;
  std::vector<std::string> said;
  RunContext context;
  context.progress.on_progress = [&](std::string_view, double share) { done.push_back(share); };
  context.progress.on_announcement = [&](std::string_view sentence) { said.emplace_back(sentence); };
  execute(plan, {.announce = true}, context);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0], 0);
  EXPECT_LT(done[1], 0.1);
  EXPECT_GT(done[2], 0.9);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(
      said[0],
      HasSubstr("3 runs. Predicted for one run, where a layer is learnt as nice ones are: under 1 s of "
                "phase1 (2 runs), "));
}

TEST(Pace, IsThatOfARowOnceOneOfItsRunsIsDone) {
  Pace pace;  // 4 runs of each of two rows, predicted alike; those of row 1 take ten times as long
  for (int seed = 0; seed < 4; ++seed)
    for (const std::size_t row : {0u, 1u}) pace.plan(row, 2);
  EXPECT_EQ(pace.fraction(), 0);
  pace.finish(0, 2, 1);
  EXPECT_DOUBLE_EQ(pace.fraction(), 1.0 / 8)
      << "all that is known is that runs take half as long as predicted";
  pace.finish(1, 2, 10);
  EXPECT_DOUBLE_EQ(pace.fraction(), 0.25);
  pace.finish(0, 2, 1);
  EXPECT_DOUBLE_EQ(pace.fraction(), 12.0 / 44);
  for (int seed = 2; seed < 4; ++seed) pace.finish(0, 2, 1);
  for (int seed = 1; seed < 4; ++seed) pace.finish(1, 2, 10);
  EXPECT_DOUBLE_EQ(pace.fraction(), 1);
}

TEST(Pace, SaysWhatIsAheadByTheFirstRunOfEachRow) {
  Pace pace;
  for (int seed = 0; seed < 3; ++seed)
    for (const std::size_t row : {0u, 1u}) pace.plan(row, 2);
  pace.finish(0, 2, 1);
  EXPECT_FALSE(pace.knows_all_rows());
  pace.finish(1, 2, 10);
  EXPECT_TRUE(pace.knows_all_rows());
  EXPECT_DOUBLE_EQ(pace.seconds_ahead(), 2 * 1 + 2 * 10);
}

TEST(Pace, RunsOfBeforeTellTheirRowAndAreNoProgress) {
  Pace pace;  // 3 runs of a row, predicted at 1 s; the first was done before and took 9
  for (int i = 0; i < 3; ++i) pace.plan(0, 1);
  pace.recall(0, 1, 9);
  EXPECT_EQ(pace.fraction(), 0);
  pace.finish(0, 1, 11);
  EXPECT_DOUBLE_EQ(pace.fraction(), 11. / (11 + 10));  // the third as long as the mean of both
  pace.drop(0, 1);
  EXPECT_EQ(pace.fraction(), 1);
}

TEST(Pace, DoesNotFallWhenRunsTurnOutLong) {
  Pace pace;
  pace.plan(0, 1);
  for (int run = 0; run < 2; ++run) pace.plan(1, 1);
  pace.finish(0, 1, 1);
  const double before = pace.fraction();
  pace.finish(1, 1, 1000);
  EXPECT_GE(pace.fraction(), before);
  Pace instant;  // clocks may not tell it from 0
  instant.plan(0, 1);
  instant.finish(0, 1, 0);
  EXPECT_GE(instant.fraction(), 0);
}

TEST(Execute, DoesTheFirstRunOfEachRowFirst) {
  const std::vector<RunRequest> plan = {
      planned("nice:d=6,seed=1", "phase1"), planned("nice:d=6,seed=2", "phase1"),
      planned("nice:d=5,seed=1", "phase1"), planned("nice:d=5,seed=2", "phase1")};
  std::vector<std::string> said;
  RunContext context;
  context.progress.on_progress = [&](std::string_view what, double) { said.emplace_back(what); };
  const Executed done = execute(plan, {}, context);
  EXPECT_THAT(said, testing::ElementsAre(
                        HasSubstr("run 1 of 4: nice:d=6,seed=1"), HasSubstr("run 2 of 4: nice:d=5,seed=1"),
                        HasSubstr("run 3 of 4: nice:d=6,seed=2"), HasSubstr("run 4 of 4: nice:d=5,seed=2")));
  for (std::size_t i = 0; i < plan.size(); ++i)
    EXPECT_EQ(done.results[i]->problem.source, plan[i].source.name()) << "results are in the plan's order";
}

TEST(Execute, DoesARunThatIsPlannedTwiceOnce) {
  const ScratchFolder folder;
  const std::vector<RunRequest> plan(3, planned("nice:d=6,seed=1", "phase1"));
  const Executed done = execute(plan, {.journal = folder.path() + "/j", .jobs = 2}, {});
  for (const auto& result : done.results) ASSERT_TRUE(result);
  EXPECT_EQ(done.results[2]->score.test_error, done.results[0]->score.test_error);
  const std::string journal = folder.read("j");
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 1);
}

TEST(Execute, RecognisesTheSameRunWithoutAJournalHoweverItsSourceIsSpelt) {
  const std::vector<RunRequest> plan = {planned("nice:d=6,seed=1", "phase1"),
                                        planned("nice:seed=1,d=6", "phase1"), planned("nice:d=6", "phase1"),
                                        planned("nice:d=6,seed=2", "phase1")};
  int carried_out = 0;
  RunContext context;
  context.progress.on_progress = [&](std::string_view, double) { ++carried_out; };
  const Executed done = execute(plan, {}, context);
  EXPECT_EQ(carried_out, 2);
  EXPECT_EQ(done.completion, Completion::complete);
  EXPECT_EQ(done.results[1]->score.test_error, done.results[0]->score.test_error);
  EXPECT_NE(done.results[3]->score.test_error, done.results[0]->score.test_error);
}

/// Ranks of a job as threads of this process.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : size_(size), inbox_(static_cast<std::size_t>(size)) {}

  class Rank final : public Communicator {
   public:
    Rank(ThreadRanks& job, int rank) : job_(job), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return job_.size_; }
    std::vector<std::string> all_gather(const std::string& own) const override {
      std::unique_lock lock(job_.mutex_);
      const std::size_t round = job_.rounds_of_[rank_]++;
      job_.gathered_.resize(std::max(job_.gathered_.size(), round + 1));
      job_.gathered_[round][rank_] = own;
      job_.changed_.notify_all();
      job_.changed_.wait(lock, [&] { return std::ssize(job_.gathered_[round]) == job_.size_; });
      std::vector<std::string> out;
      for (const auto& [rank, message] : job_.gathered_[round]) out.push_back(message);
      return out;
    }
    void send(int to, const std::string& message, const StopToken&) const override {
      const std::lock_guard lock(job_.mutex_);
      job_.inbox_[static_cast<std::size_t>(to)].emplace_back(rank_, message);
      job_.changed_.notify_all();
    }
    std::pair<int, std::string> receive(const StopToken&) const override {
      std::unique_lock lock(job_.mutex_);
      auto& inbox = job_.inbox_[static_cast<std::size_t>(rank_)];
      job_.changed_.wait(lock, [&] { return !inbox.empty(); });
      auto out = std::move(inbox.front());
      inbox.pop_front();
      return out;
    }

   private:
    ThreadRanks& job_;
    int rank_;
  };

 private:
  int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<std::pair<int, std::string>>> inbox_;
  std::vector<std::map<int, std::string>> gathered_;
  std::map<int, std::size_t> rounds_of_;
};

TEST(Execute, RanksCarryOutWhatTheRootHandsThemAndNeedNoPlan) {
  std::vector<RunRequest> plan;
  for (int seed = 1; seed <= 6; ++seed) {
    plan.push_back(planned("nice:d=6,seed=" + std::to_string(seed), "phase1"));
    plan.back().run.task.seed = static_cast<std::uint64_t>(seed);
    plan.back().run.task.examples = 500;
    plan.back().run.recovery = 0.25;
    plan.back().problem.seed = 7;
  }
  const Executed alone = execute(plan, {}, {});
  ThreadRanks job(3);
  std::vector<Executed> done(3);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&, rank] {
      const ThreadRanks::Rank self(job, rank);
      RunContext context;
      context.communicator = &self;
      done[static_cast<std::size_t>(rank)] =
          execute(rank == 0 ? std::span<const RunRequest>(plan) : std::span<const RunRequest>(), {}, context);
    });
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(done[0].completion, Completion::complete);
  for (std::size_t i = 0; i < plan.size(); ++i)
    EXPECT_EQ(done[0].results[i]->score.test_error, alone.results[i]->score.test_error) << i;
  for (const std::size_t other : {1, 2}) {
    EXPECT_EQ(done[other].completion, Completion::elsewhere);
    EXPECT_TRUE(done[other].results.empty());
  }
}

TEST(Execute, AWrongSourceIsRefusedOnAllRanks) {
  const std::vector<RunRequest> plan = {planned("nise:d=6", "phase1")};
  ThreadRanks job(2);
  std::atomic<int> refused = 0;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      const ThreadRanks::Rank self(job, rank);
      RunContext context;
      context.communicator = &self;
      try {
        execute(rank == 0 ? std::span<const RunRequest>(plan) : std::span<const RunRequest>(), {}, context);
      } catch (const InputError&) {
        ++refused;
      }
    });
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(refused, 2);
}

}  // namespace
}  // namespace hardhead::study
