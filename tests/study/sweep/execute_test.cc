#include "study/sweep/execute.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

RunRequest planned(const std::string& method, std::uint64_t seed = 1) {
  RunRequest out{Source(fmt::format("nice:d=4,k=2,m=1,seed={}", seed))};
  out.run.method = parse_learner(method);
  out.run.task.examples = 99;
  out.run.task.seed = seed;
  return out;
}

struct AJournal : ScratchFolder {
  Executed execute(const std::vector<RunRequest>& plan, ExecuteOptions options = {}) const {
    options.journal.emplace(path("journal"));
    return study::execute(plan, options, {});
  }
  std::size_t runs() const {
    return std::filesystem::exists(path("journal")) ? read_journal(path("journal")).size() : 0;
  }
};

/// A program of the user's that says why it fails.
std::string program(const AJournal& folder, const std::string& text) {
  const std::string file = folder.write("mine.sh", text);
  return "exec:sh " + file;
}

TEST(Execute, AProgramThatWasChangedIsAnotherOne) {
  const AJournal folder;
  const auto message = [&](const std::string& text) {
    return folder.execute({planned(program(folder, text))}).results.front()->report.message;
  };
  EXPECT_THAT(message("echo first; exit 1"), HasSubstr("first"));
  EXPECT_THAT(message("echo second; exit 1"), HasSubstr("second"))
      << "its failure was mended, or is another one";
  EXPECT_EQ(folder.runs(), 2U);
  EXPECT_EQ(folder.execute({planned(program(folder, "echo first; exit 1"))}).from_journal, 1) << "as it was";
}

TEST(Execute, AProgramThatChangesWhileItRunsHasNoResult) {
  const AJournal folder;
  const std::string file = folder.path("mine.sh");
  const std::vector<RunRequest> plan{planned(program(folder, "echo exit 1 >>" + file + "; exit 1"))};
  EXPECT_THAT(refusal_of([&] { folder.execute(plan); }), HasSubstr("was changed while it ran"));
  EXPECT_EQ(folder.runs(), 0U);
}

TEST(Execute, WhatTheMachineEndedIsNoResultAndTheOthersGoOn) {
  const AJournal folder;
  const std::vector<RunRequest> plan{planned("exec:kill -9 $$"), planned("phase1"),
                                     planned("exec:no-such-program"), planned("exec:exit 3")};
  const Executed done = folder.execute(plan, {.without_undone = true});
  EXPECT_FALSE(done.results[0]);
  EXPECT_TRUE(done.results[1]);
  EXPECT_FALSE(done.results[2]);
  ASSERT_TRUE(done.results[3]) << "a code is the program's own";
  ASSERT_EQ(done.undone.size(), 2U);
  EXPECT_THAT(done.undone[0].why, HasSubstr("signal 9"));
  EXPECT_THAT(text_of(done.undone), HasSubstr("2 runs were ended by the machine"));
  EXPECT_EQ(folder.runs(), 2U);
  EXPECT_THROW(folder.execute(plan), MachineError) << "it is tried again";
  EXPECT_EQ(folder.execute(plan, {.without_undone = true}).from_journal, 2);
}

TEST(Execute, ADiskWithoutRoomIsNoResult) {
  const AJournal folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder.path("none").c_str(), 1);
  EXPECT_THROW(folder.execute({planned("exec:true")}, {.bad_point = BadPoint::is_a_result}), MachineError);
  if (before == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_EQ(folder.runs(), 0U);
}

TEST(Execute, FailedRunsAreDoneAgainWhereThatIsAskedFor) {
  const AJournal folder;
  const std::vector<RunRequest> plan{planned("exec:exit 3"), planned("gauss-newton")};
  folder.execute(plan);
  EXPECT_EQ(folder.execute(plan).from_journal, 2);
  EXPECT_EQ(folder.execute(plan, {.retry_failed = true}).from_journal, 1);
  EXPECT_EQ(folder.runs(), 2U) << "under the same name";
}

TEST(Execute, NamesAreHandedOverBeforeTheFirstRun) {
  const AJournal folder;
  std::vector<std::string> names;
  const std::vector<RunRequest> plan{planned("phase1"), planned("phase1", 2)};
  folder.execute(plan, {.named = [&](const std::vector<std::string>& of_all) {
                   names = of_all;
                   EXPECT_EQ(folder.runs(), 0U);
                 }});
  ASSERT_EQ(names.size(), 2U);
  const std::vector<NamedRun> runs = read_journal(folder.path("journal"));
  EXPECT_EQ(runs[0].name, names[0]);
  EXPECT_EQ(runs[1].name, names[1]);
}

}  // namespace
}  // namespace hardhead::study
