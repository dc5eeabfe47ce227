#include "experiments/claims/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "base/error.h"
#include "base/files/folder_lock.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::experiments {
namespace {

using testing::HasSubstr;

TEST(Experiments, AreNineteenEachWithAClaimASourceAndACriterion) {
  int number = 0;
  for (const Experiment& experiment : experiments()) {
    EXPECT_EQ(experiment.id, fmt::format("R{}", ++number));
    for (const std::string* text : {&experiment.title, &experiment.claim, &experiment.source,
                                    &experiment.method, &experiment.criterion})
      EXPECT_FALSE(text->empty()) << experiment.id;
    EXPECT_GT(experiment.quick_seconds, 0) << experiment.id;
    EXPECT_GT(experiment.full_seconds, experiment.quick_seconds) << experiment.id;
  }
  EXPECT_EQ(number, 19);
}

TEST(Experiments, TheQuickSettingIsPredictedUnderFifteenMinutes) {
  double seconds = 0;
  for (const Experiment& experiment : experiments()) seconds += experiment.quick_seconds;
  EXPECT_LT(seconds, 15 * 60);
}

// The two that take well under a second.
const std::vector<std::string> fast = {"R5", "R2"};

TEST(Reproduce, LeavesVerdictsFiguresAndTables) {
  const ScratchFolder folder;
  const Reproduction done =
      reproduce({.ids = fast, .folder = folder.path(), .quick = true, .command = "hardhead reproduce"}, {});
  EXPECT_EQ(done.performed, 2);
  EXPECT_FALSE(done.interrupted);
  const std::vector<report::Finding> findings = report::read_verdicts(folder.path());
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].id, "R2");
  EXPECT_EQ(findings[1].id, "R5");
  for (const report::Finding& finding : findings) {
    EXPECT_NE(finding.verdict, report::Verdict::does_not_hold) << finding.reason;
    EXPECT_EQ(finding.setting, "quick");
    EXPECT_EQ(finding.command, "hardhead reproduce");
    EXPECT_FALSE(finding.reason.empty());
    ASSERT_FALSE(finding.figures.empty());
    for (const std::string& figure : finding.figures)
      for (const char* ending : {".svg", ".pdf"})
        EXPECT_GT(std::filesystem::file_size(folder.path(figure + ending)), 1000u);
    const report::Table table = report::parse_csv(folder.read(finding.table), finding.table);
    EXPECT_GT(table.rows.size(), 5u);
  }
}

TEST(Reproduce, DoesNotDoAgainWhatIsThereInTheSameSetting) {
  const ScratchFolder folder;
  ReproduceOptions options{.ids = {"R5"}, .folder = folder.path(), .quick = true};
  EXPECT_EQ(reproduce(options, {}).performed, 1);
  EXPECT_EQ(reproduce(options, {}).performed, 0);
  options.ids = {"R5", "R2"};
  const Reproduction more = reproduce(options, {});
  EXPECT_EQ(more.performed, 1);
  EXPECT_EQ(more.findings.size(), 2u);
}

TEST(Reproduce, AnotherSeedIsAnotherExperiment) {
  const ScratchFolder folder;
  ReproduceOptions options{.ids = fast, .folder = folder.path(), .quick = true};
  reproduce(options, {});
  const std::string first[] = {folder.read("R2/table.csv"), folder.read("R5/table.csv")};
  options.seed = 101;
  const Reproduction other = reproduce(options, {});
  EXPECT_EQ(other.performed, 2) << "a finding of another seed is not this one";
  EXPECT_NE(folder.read("R2/table.csv"), first[0]);
  EXPECT_NE(folder.read("R5/table.csv"), first[1]);
  for (const report::Finding& finding : other.findings) {
    EXPECT_EQ(finding.seed, 101u);
    EXPECT_NE(finding.verdict, report::Verdict::does_not_hold) << finding.reason;
  }
  EXPECT_EQ(reproduce(options, {}).performed, 0);
}

TEST(Compared, PlansKeepTheirRowsAndSeedsAreCountedFromTheSettings) {
  const std::vector<learner::Learner> methods = {Spec::parse("phase1"), Spec::parse("gauss-newton")};
  const ScratchFolder folder;
  const std::vector<study::Plan> plans = {
      {.sources = {"nice:d=6,k=2", "nice:d=5,k=2"}, .learners = methods, .seeds = 2},
      {.sources = {}, .learners = methods},
      {.sources = {"nice:d=6,k=2,theta_norm=1"}, .learners = methods}};
  std::vector<std::string> phases;
  RunContext context;
  context.progress.on_progress = [&](std::string_view phase, double) { phases.emplace_back(phase); };
  const auto rows =
      compared(plans, {.seed = 7, .journal = folder.path("journal")}, whole_experiment("R0", context));
  ASSERT_EQ(rows.size(), 3u);
  ASSERT_EQ(rows[0].size(), 4u);
  EXPECT_EQ(rows[1].size(), 0u);
  ASSERT_EQ(rows[2].size(), 2u);
  EXPECT_THAT(rows[0][2].source, HasSubstr("d=5"));
  EXPECT_THAT(rows[2][0].source, HasSubstr("theta_norm=1"));
  for (const std::size_t plan : {std::size_t{0}, std::size_t{2}})
    for (std::size_t r = 0; r < rows[plan].size(); ++r) {
      const study::ComparisonRow& row = rows[plan][r];
      EXPECT_EQ(row.method, r % 2 == 0 ? "phase1" : "gauss-newton");
      ASSERT_EQ(row.runs.size(), plan == 0 ? 2u : 1u);
      for (std::size_t i = 0; i < row.runs.size(); ++i) {
        EXPECT_THAT(row.runs[i].problem.spec, HasSubstr(fmt::format("seed={}", 7 + i)));
        EXPECT_EQ(row.runs[i].request.task.seed, 7 + i);
      }
    }
  ASSERT_FALSE(phases.empty());
  for (const std::string& phase : phases) EXPECT_THAT(phase, HasSubstr("R0: run "));
  EXPECT_THAT(phases.front(), HasSubstr("of 10")) << "the runs of all plans are counted together";
}

TEST(Compared, SeedsForNinetyPercentAreTheFewestThatCanShowIt) {
  EXPECT_GE(statistics::clopper_pearson(seeds_for_ninety_percent, seeds_for_ninety_percent).low, 0.9);
  EXPECT_LT(statistics::clopper_pearson(seeds_for_ninety_percent - 1, seeds_for_ninety_percent - 1).low, 0.9);
  EXPECT_LE(statistics::clopper_pearson(0, seeds_for_ninety_percent).high, 0.1);
}

TEST(Compared, AMedianOfFewSeedsHasNoInterval) {
  EXPECT_EQ(median_text({1, 2, 3}), "2 (too few seeds for an interval)");
  EXPECT_EQ(report::at_least(median_known({9, 9, 9, 9, 9}), 3), report::Verdict::inconclusive);
  EXPECT_EQ(median_text({1, 2, 3, 4, 5, 6}), "3.5 (1 .. 6)");
  EXPECT_EQ(report::at_least(median_known({9, 9, 9, 9, 9, 9}), 3), report::Verdict::holds);
}

TEST(Reproduce, KeepsWhatWasDoneWhenItIsStopped) {
  const ScratchFolder folder;
  std::atomic<bool> stop = false;
  RunContext context;
  context.stop = StopToken(&stop);
  context.progress.on_announcement = [&](std::string_view sentence) {
    stop = stop || sentence.starts_with("R2 ");
  };
  const Reproduction done = reproduce({.ids = fast, .folder = folder.path(), .quick = true}, context);
  EXPECT_TRUE(done.interrupted);
  EXPECT_EQ(done.performed, 1);
  EXPECT_EQ(report::read_verdicts(folder.path()).size(), 1u);
}

TEST(Reproduce, RefusesAnUnknownExperimentAndAFolderThatIsTakenOrNone) {
  const ScratchFolder folder;
  const auto refusal = [](const ReproduceOptions& options) {
    return refusal_of([&] { reproduce(options, {}); });
  };
  EXPECT_THAT(refusal({.ids = {"R99"}, .folder = folder.path()}), HasSubstr("experiment 'R99'"));
  const FolderLock held(folder.path());
  EXPECT_THAT(refusal({.ids = fast, .folder = folder.path()}), HasSubstr("another process is at work in it"));
  folder.write("taken", "");
  EXPECT_THAT(refusal({.ids = fast, .folder = folder.path("taken")}), HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace hardhead::experiments
