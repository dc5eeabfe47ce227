#include "study/best/best_shot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using ::testing::HasSubstr;

BestShotOptions on(const std::string& source, const std::string& method) {
  BestShotOptions out;
  out.source = source;
  out.method = Spec::parse(method);
  out.seeds = 4;
  out.wanted = 3;
  return out;
}

TEST(BestShot, EndsAtTheFirstBudgetThatSucceeds) {
  const BestShotOptions options = on("nice:d=8,k=2,m=2", "gauss-newton");
  const BestShot shot = best_shot(options, {});
  EXPECT_EQ(shot.ending, LadderEnding::reached);
  EXPECT_EQ(shot.degree, Degree::recovered);
  const RungResult& last = shot.ladder.back();
  EXPECT_GE(last.successes, 3);
  EXPECT_EQ(last.fresh.size(), 4);
  // Three settings on one layer, the better two on a second, the best on a third.
  EXPECT_EQ(last.tuning.size(), 3 + 2 + 1);
  EXPECT_EQ(shot.examples_median, 1000);
  EXPECT_THAT(summary(shot, options), HasSubstr("fresh layers: gauss-newton:oversampling=8,starts=2"));
}

TEST(BestShot, ChoosesOnLayersThatItDoesNotReportOn) {
  const BestShot shot = best_shot(on("nice:d=8,k=2,m=2,seed=5", "gauss-newton"), {});
  std::set<std::string> chosen, fresh;
  for (const RunResult& run : shot.ladder.back().tuning) chosen.insert(run.problem.spec);
  for (const RunResult& run : shot.ladder.back().fresh) fresh.insert(run.problem.spec);
  EXPECT_EQ(fresh.size(), 4);
  EXPECT_THAT(*fresh.begin(), HasSubstr("seed=5"));
  for (const std::string& spec : chosen) EXPECT_FALSE(fresh.contains(spec)) << spec;
}

TEST(BestShot, TellsTheWholeLadderThatFailed) {
  BestShotOptions options = on("parity:d=10,m=5", "phase1");
  options.most_examples = 500'000;
  const BestShot shot = best_shot(options, {});
  EXPECT_EQ(shot.ending, LadderEnding::most_examples);
  EXPECT_THAT(shot.degree, ::testing::AnyOf(Degree::nothing, std::nullopt));
  ASSERT_EQ(shot.ladder.size(), 3) << "25,000, 100,000 and 400,000 examples";
  for (const RungResult& rung : shot.ladder) EXPECT_TRUE(rung.fresh.empty());
  EXPECT_THAT(summary(shot, options), HasSubstr("not learnt on 3 of 4 fresh layers with any of 3 budgets"));
  const auto json = nlohmann::json::parse(json_text(shot, options));
  EXPECT_TRUE(json.at("budget").is_null());
  EXPECT_EQ(json.at("ladder").size(), 3);
  EXPECT_EQ(json.at("ended_by"), "most_examples");
}

TEST(BestShot, TriesNoBudgetBeyondItsExamples) {
  BestShotOptions options = on("nice:d=8,k=2,m=2", "gauss-newton");
  options.most_examples = 999;  // the first rung reads 1000
  const BestShot shot = best_shot(options, {});
  EXPECT_EQ(shot.ending, LadderEnding::most_examples);
  EXPECT_TRUE(shot.ladder.empty());
  EXPECT_EQ(shot.degree, std::nullopt);
}

TEST(BestShot, OptionsThatAreGivenStayAsTheyAre) {
  BestShotOptions options = on("nice:d=8,k=2,m=1", "gauss-newton:start_norm=1,starts=1");
  const BestShot shot = best_shot(options, {});
  EXPECT_EQ(shot.ladder.front().tuning.size(), 1) << "nothing is left to choose";
  EXPECT_EQ(*shot.ladder.front().method.value("start_norm"), "1");
}

TEST(BestShot, GoesOnFromItsJournal) {
  const ScratchFolder folder;
  BestShotOptions options = on("nice:d=8,k=2,m=2", "gauss-newton");
  options.execution.journal = folder.path("journal.jsonl");
  const auto text = [&] { return json_text(best_shot(options, {}), options); };
  EXPECT_EQ(text(), text()) << "with the seconds of the first time";
}

TEST(BestShot, StoppedItHasTheRungsBefore) {
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  EXPECT_EQ(best_shot(on("nice:d=8,k=2,m=2", "gauss-newton"), context).ending, LadderEnding::interrupted);
}

}  // namespace
}  // namespace hardhead::study
