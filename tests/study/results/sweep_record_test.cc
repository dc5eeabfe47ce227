#include "study/results/sweep_folder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

TEST(SweepRecord, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  EXPECT_FALSE(read_sweep_record(folder.path()));
  write_sweep_record({.command = "hardhead sweep", .file = "seeds = 3\n", .runs = 48, .names = {"a", "b"}},
                     folder.path());
  const auto record = read_sweep_record(folder.path());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->command, "hardhead sweep");
  EXPECT_EQ(record->file, "seeds = 3\n");
  EXPECT_EQ(record->runs, 48);
  EXPECT_EQ(record->names, (std::vector<std::string>{"a", "b"}));
}

TEST(SweepRecord, OneOfAnOlderVersionHasNoNames) {
  const ScratchFolder folder;
  folder.write("sweep.json", R"({"command": "hardhead sweep", "runs": 2, "file": ""})");
  EXPECT_TRUE(read_sweep_record(folder.path())->names.empty());
}

TEST(SweepRecord, AnythingElseIsRefused) {
  const ScratchFolder folder;
  for (const char* text :
       {"", "[]", "{}", R"({"command": 1, "file": "", "runs": 1})",
        R"({"command": "", "file": "", "runs": 1, "more": [[[]]]})",
        R"({"command": "", "file": "", "runs": 1, "names": [1]})",
        R"({"command": "", "file": "", "runs": "1"})", R"({"command": "", "file": "", "runs": 1e300})"}) {
    folder.write("sweep.json", text);
    EXPECT_THROW(read_sweep_record(folder.path()), InputError) << text;
  }
}

}  // namespace
}  // namespace hardhead::study
