#include "study/best/best_shot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using ::testing::HasSubstr;

BestShotOptions three_of_four() {
  BestShotOptions out;
  out.plan.seeds = 4;
  out.wanted = 3;
  return out;
}

BestShot shot_of(const std::string& source, const std::string& method,
                 const BestShotOptions& options = three_of_four(), const RunContext& context = {}) {
  return best_shot(source, Spec::parse(method), options, context);
}

TEST(BestShot, EndsAtTheFirstBudgetThatSucceeds) {
  const BestShot shot = shot_of("nice:d=8,k=2,m=2", "gauss-newton");
  EXPECT_EQ(shot.ending, LadderEnding::reached);
  EXPECT_EQ(shot.degree, Degree::recovered);
  const RungResult& last = shot.ladder.back();
  EXPECT_GE(last.successes, 3);
  EXPECT_EQ(last.fresh.size(), 4);
  EXPECT_EQ(shot.asked_median, 1000);
  EXPECT_THAT(summary(shot, three_of_four()), HasSubstr("fresh layers: gauss-newton:oversampling=4"));
}

TEST(BestShot, HalvesTheSettingsOfARungUntilOneIsLeft) {
  const BestShot shot = shot_of("nice:d=8,k=2,m=2", "adam:batch=64");
  // Three settings on one layer, the better two on a second, the best on a third.
  EXPECT_EQ(shot.ladder.front().tuning.size(), 3 + 2 + 1);
}

TEST(BestShot, ChoosesOnLayersThatItDoesNotReportOn) {
  const BestShot shot = shot_of("nice:d=8,k=2,m=2,seed=5", "gauss-newton");
  std::set<std::string> chosen, fresh;
  for (const RunResult& run : shot.ladder.back().tuning) chosen.insert(run.problem.spec);
  for (const RunResult& run : shot.ladder.back().fresh) fresh.insert(run.problem.spec);
  EXPECT_EQ(fresh.size(), 4);
  EXPECT_THAT(*fresh.begin(), HasSubstr("seed=5"));
  for (const std::string& spec : chosen) EXPECT_FALSE(fresh.contains(spec)) << spec;
}

TEST(BestShot, TellsTheWholeLadderThatFailed) {
  BestShotOptions options = three_of_four();
  options.most_examples = 500'000;
  const BestShot shot = shot_of("parity:d=10,m=5", "phase1", options);
  EXPECT_EQ(shot.ending, LadderEnding::most_examples);
  EXPECT_THAT(shot.degree, ::testing::AnyOf(Degree::nothing, std::nullopt));
  ASSERT_EQ(shot.ladder.size(), 3) << "25,000, 100,000 and 400,000 examples";
  for (const RungResult& rung : shot.ladder) EXPECT_TRUE(rung.fresh.empty());
  EXPECT_THAT(summary(shot, options), HasSubstr("not learnt on 3 of 4 fresh layers with any of 3 budgets"));
  const auto json = nlohmann::json::parse(json_text({shot}, options)).at("shots").at(0);
  EXPECT_TRUE(json.at("budget").is_null());
  EXPECT_EQ(json.at("ladder").size(), 3);
  EXPECT_EQ(json.at("ended_by"), "most_examples");
}

TEST(BestShot, TriesNoBudgetBeyondItsExamples) {
  BestShotOptions options = three_of_four();
  options.most_examples = 999;  // the first rung reads 1000
  const BestShot shot = shot_of("nice:d=8,k=2,m=2", "gauss-newton", options);
  EXPECT_EQ(shot.ending, LadderEnding::most_examples);
  EXPECT_TRUE(shot.ladder.empty());
  EXPECT_EQ(shot.degree, std::nullopt);
}

TEST(BestShot, OptionsThatAreGivenStayAsTheyAre) {
  const BestShot shot = shot_of("nice:d=8,k=2,m=1", "gauss-newton:start_norm=1,starts=1");
  EXPECT_EQ(shot.ladder.front().tuning.size(), 1) << "nothing is left to choose";
  EXPECT_EQ(*shot.ladder.front().method.value("start_norm"), "1");
}

TEST(BestShot, GoesOnFromItsJournal) {
  const ScratchFolder folder;
  BestShotOptions options = three_of_four();
  options.plan.execution.journal = folder.path("journal.jsonl");
  const auto text = [&] {
    return json_text({shot_of("nice:d=8,k=2,m=2", "gauss-newton", options)}, options);
  };
  EXPECT_EQ(text(), text()) << "with the seconds of the first time";
}

TEST(BestShot, TellsTheLearnerWhatIsWanted) {
  BestShotOptions options;
  options.plan.seeds = options.wanted = 1;
  const auto until = [&] {
    return *shot_of("parity:d=6,m=2", "adam:student=1,steps=5", options).ladder.front().method.value("until");
  };
  // The null predictor of this layer has an error of 1: `learnt` asks for 0.01.
  EXPECT_EQ(until(), "0.0033");
  options.goal = Degree::recovered;
  EXPECT_EQ(until(), "1e-06");
}

TEST(BestShots, EveryMethodOnEverySource) {
  BestShotOptions options = three_of_four();
  options.most_examples = 70'000;
  std::vector<std::string> outcomes;
  RunContext context;
  context.progress.on_announcement = [&](std::string_view text) { outcomes.emplace_back(text); };
  options.plan.sources = {"nice:d=8,k=2,m=1", "nice:d=8,k=2,m=2"};
  options.plan.learners = {Spec{"gauss-newton", {}}, Spec{"phase1", {}}};
  const std::vector<BestShot> shots = best_shots(options, context);
  ASSERT_EQ(shots.size(), 4);
  EXPECT_EQ(shots[0].ending, LadderEnding::reached);
  EXPECT_EQ(shots[3].source, "nice:d=8,k=2,m=2");
  EXPECT_EQ(shots[3].method.name(), "phase1");
  EXPECT_EQ(shots[3].ending, LadderEnding::most_examples);
  ASSERT_EQ(outcomes.size(), 4);
  EXPECT_THAT(outcomes[0], HasSubstr("nice:d=8,k=2,m=1, gauss-newton: learnt on"));
}

TEST(BestShot, OfALearnerByValuesHasOneRung) {
  BestShotOptions options = three_of_four();
  options.most_examples = 1;
  const BestShot shot = shot_of("parity:d=8,m=3", "flip", options);
  EXPECT_EQ(shot.ending, LadderEnding::reached);
  EXPECT_EQ(shot.degree, Degree::recovered);
  EXPECT_EQ(shot.asked_median, 7) << "queries, one for each coordinate but the switch";
  EXPECT_THAT(summary(shot, options), HasSubstr("flip, 7 queries"));
  EXPECT_EQ(shot_of("nice:d=6,k=2,m=2", "mobius", options).degree, Degree::recovered);
}

TEST(BestShots, RefuseASuiteBeforeTheFirstRun) {
  BestShotOptions options = three_of_four();
  options.plan.sources = series_of("suite:nice-v1");
  options.plan.learners = {Spec{"gauss-newton", {}}};
  EXPECT_THAT(refusal_of([&] { best_shots(options, {}); }), HasSubstr("a best shot needs fresh layers"));
}

TEST(BestShot, StoppedItHasTheRungsBefore) {
  const std::atomic<bool> stop = true;
  RunContext context;
  context.stop = StopToken(&stop);
  EXPECT_EQ(shot_of("nice:d=8,k=2,m=2", "gauss-newton", three_of_four(), context).ending,
            LadderEnding::interrupted);
}

}  // namespace
}  // namespace hardhead::study
