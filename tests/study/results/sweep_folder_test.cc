#include "study/results/sweep_folder.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hardhead::study
