#include "study/results/sweep_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "study/report/table.h"
#include "study/results/folder_page.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

TEST(SweepFolder, GoesOnFromItsJournal) {
  const ScratchFolder folder;
  const SweepRequest request{
      .file = folder.write("s.toml",
                           "seeds = 2\n[[grid]]\nsource = 'nice:d=4,k=2,m=1'\nmethod = 'phase1'\n"
                           "examples = 100\n"),
      .folder = folder.path("out"),
      .command = "hardhead sweep s.toml --out out"};
  const SweepOutcome first = run_sweep(request, {}), again = run_sweep(request, {});
  EXPECT_EQ(first.results.size(), 2U);
  EXPECT_EQ(first.from_journal, 0);
  EXPECT_EQ(again.from_journal, 2);
  EXPECT_EQ(again.runs, 2);
  EXPECT_EQ(again.results.front().score.test_error, first.results.front().score.test_error);
  EXPECT_NE(folder.read("out/results.csv").find("phase1"), std::string::npos);
  EXPECT_NE(folder.read("out/sweep.json").find(request.command), std::string::npos);
}

// Parts share the runs between them, and the sweep without parts has them all and does none again.
TEST(SweepFolder, IsCarriedOutInParts) {
  const ScratchFolder folder;
  SweepRequest request{.file = folder.write("s.toml",
                                            "seeds = 12\n[[grid]]\nsource = 'nice:d=4,k=2,m=1'\n"
                                            "method = 'phase1'\nexamples = 100\n"),
                       .folder = folder.path("out"),
                       .command = "hardhead sweep s.toml --out out"};
  std::int64_t runs = 0;
  for (int i = 1; i <= 3; ++i) {
    request.part = Part{i, 3};
    const SweepOutcome part = run_sweep(request, {});
    EXPECT_EQ(part.completion, Completion::complete);
    EXPECT_EQ(std::ssize(part.results), part.runs);
    EXPECT_LT(part.runs, 12);
    runs += part.runs;
  }
  EXPECT_EQ(runs, 12);
  request.part.reset();
  const SweepOutcome all = run_sweep(request, {});
  EXPECT_EQ(all.runs, 12);
  EXPECT_EQ(all.from_journal, 12);
  EXPECT_EQ(all.unclaimed, 0);
  EXPECT_EQ(run_sweep(request, {}).from_journal, 12) << "the parts are taken once";

  request.folder = folder.path("alone");
  const SweepOutcome alone = run_sweep(request, {});
  ASSERT_EQ(alone.results.size(), all.results.size());
  for (std::size_t i = 0; i < all.results.size(); ++i)
    EXPECT_EQ(alone.results[i].score.test_error, all.results[i].score.test_error);
}

TEST(SweepFolder, AReportHasTheRowsOfThePlanThatWasRunLast) {
  const ScratchFolder folder;
  const auto sweep = [&](int seeds, int limit, const char* recovery) {
    const std::string file = folder.write(
        "s.toml",
        fmt::format("seeds = {}\ntime_limit = {}\nrecovery = {}\n[[grid]]\nsource = 'nice:d=4,k=2,m=1'\n"
                    "method = 'phase1'\nexamples = 100\n",
                    seeds, limit, recovery));
    run_sweep({.file = file, .folder = folder.path("out"), .command = "hardhead sweep"}, {});
    return folder_page(folder.path("out"), folder.path("out")).html;
  };
  const auto runs = [&] {
    const report::Table table = report::parse_csv(folder.read("out/report.csv"), "report.csv");
    EXPECT_EQ(table.rows.size(), 1U);
    const auto column = std::ranges::find(table.columns, "runs") - table.columns.begin();
    return table.rows.front().at(static_cast<std::size_t>(column));
  };
  EXPECT_NE(sweep(3, 100, "1e-10").find("3 of 3 runs."), std::string::npos);
  EXPECT_EQ(runs(), "3");
  EXPECT_NE(sweep(3, 101, "1e-10").find("3 more runs in the journal"), std::string::npos) << "another limit";
  EXPECT_EQ(runs(), "3");
  EXPECT_NE(sweep(2, 101, "1e-3").find("2 of 2 runs. 6 more runs"), std::string::npos) << "fewer seeds";
  EXPECT_EQ(runs(), "2");
}

}  // namespace
}  // namespace hardhead::study
