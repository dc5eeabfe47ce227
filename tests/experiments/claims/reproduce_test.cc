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

TEST(Experiments, AreThirteenEachWithAClaimASourceAndACriterion) {
  int number = 0;
  for (const Experiment& experiment : experiments()) {
    EXPECT_EQ(experiment.id, fmt::format("R{}", ++number));
    for (const std::string* text : {&experiment.title, &experiment.claim, &experiment.source,
                                    &experiment.method, &experiment.criterion})
      EXPECT_FALSE(text->empty()) << experiment.id;
    EXPECT_GT(experiment.quick_seconds, 0) << experiment.id;
    EXPECT_GT(experiment.full_seconds, experiment.quick_seconds) << experiment.id;
  }
  EXPECT_EQ(number, 13);
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
    EXPECT_EQ(finding.verdict, report::Verdict::holds) << finding.reason;
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
  EXPECT_THAT(refusal({.ids = {"R14"}, .folder = folder.path()}), HasSubstr("experiment 'R14'"));
  const FolderLock held(folder.path());
  EXPECT_THAT(refusal({.ids = fast, .folder = folder.path()}), HasSubstr("another process is at work in it"));
  folder.write("taken", "");
  EXPECT_THAT(refusal({.ids = fast, .folder = folder.path("taken")}), HasSubstr("is not a folder"));
}

}  // namespace
}  // namespace hardhead::experiments
