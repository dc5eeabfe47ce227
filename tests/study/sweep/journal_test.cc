#include "study/sweep/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "attention/files/layer_file.h"
#include "base/error.h"
#include "hardness/families/family.h"
#include "study/sweep/compare.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

Plan plan(const std::string& journal) {
  Plan out;
  out.sources = {"nice:d=6,k=2,m=2", "parity:d=6,m=2"};
  out.learners = {Spec::parse("gauss-newton")};
  out.seeds = 2;
  out.run.task.heads = 2;
  out.run.task.examples = 500;
  out.execution.journal = journal;
  return out;
}

TEST(Journal, ARunReadBackIsTheRunThatWasWritten) {
  const ScratchFolder folder;
  const RunResult result = run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {});
  EXPECT_EQ(to_json(run_from_json(to_json(result), "a run")), to_json(result));
  Journal(folder.path("j")).append("name", result);
  Journal again(folder.path("j"));
  ASSERT_TRUE(again.find("name"));
  EXPECT_EQ(to_json(*again.find("name")), to_json(result));
  EXPECT_FALSE(again.find("other"));
  EXPECT_EQ(again.unclaimed(), 0);
  EXPECT_EQ(Journal(folder.path("k")).unclaimed(), 0);
}

TEST(Journal, ARunOfBeforeThereWereDegreesHasTheOneThatItsNumbersDecide) {
  const RunResult result = run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {});
  nlohmann::ordered_json old = to_json(result);
  EXPECT_FALSE(old.at("degree").is_null());
  EXPECT_FALSE(old.at("advantage_interval").is_null());
  old.erase("degree");
  old.erase("advantage_interval");
  const auto degree_at = [&](double test_error, double advantage) {
    old["test_error"] = test_error;
    old["advantage"] = advantage;
    const Score score = run_from_json(old, "a run").score;
    EXPECT_FALSE(score.advantage_interval);
    return score.degree;
  };
  EXPECT_EQ(degree_at(1e-12, 1), Degree::recovered);
  EXPECT_EQ(degree_at(1e-6, 0.9999), Degree::learnt);
  EXPECT_EQ(degree_at(1, -0.5), Degree::nothing);
  EXPECT_EQ(degree_at(0.5, 0.5), std::nullopt) << "whether its interval is above 0 nobody wrote down";
  EXPECT_TRUE(to_json(run_from_json(old, "a run")).at("degree").is_null());
}

TEST(Journal, AFieldOfAnotherTypeIsRefusedByItsName) {
  const auto whole = to_json(run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {}));
  for (const std::string key : {"instance", "method", "options", "outcome", "message", "phases", "threads"}) {
    auto broken = whole;
    broken[key] = true;
    EXPECT_THAT(refusal_of([&] { run_from_json(broken, "a run"); }), HasSubstr("a run, " + key + ": "));
  }
}

TEST(Journal, AComparisonGoesOnWhereItStopped) {
  const ScratchFolder folder;
  const std::string journal = folder.path("journal.jsonl");
  const Comparison whole = compare(plan(journal), {});
  const std::string full = folder.read("journal.jsonl");
  ASSERT_EQ(std::count(full.begin(), full.end(), '\n'), 4);

  // As if the machine had died within the third line.
  const std::size_t second = full.find('\n', full.find('\n') + 1) + 1;
  folder.write("journal.jsonl", full.substr(0, second + 40));
  const Comparison resumed = compare(plan(journal), {});
  const std::string after = folder.read("journal.jsonl");
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 4);
  EXPECT_EQ(after.substr(0, second), full.substr(0, second));
  ASSERT_EQ(resumed.rows.size(), whole.rows.size());
  for (std::size_t r = 0; r < whole.rows.size(); ++r) {
    EXPECT_EQ(resumed.rows[r].test_error_median, whole.rows[r].test_error_median);
    EXPECT_EQ(resumed.rows[r].likely_causes, whole.rows[r].likely_causes);
  }

  compare(plan(journal), {});
  EXPECT_EQ(folder.read("journal.jsonl"), after) << "nothing is left to do";
  Plan other = plan(journal);
  other.run.task.examples = 600;
  compare(other, {});
  const std::string longer = folder.read("journal.jsonl");
  EXPECT_EQ(std::count(longer.begin(), longer.end(), '\n'), 8) << "another budget is another run";
}

TEST(Journal, SaysWhichFileAndLineItCannotRead) {
  const ScratchFolder folder;
  const auto rejection = [](const std::string& path) -> std::string {
    try {
      Journal journal(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(rejection(folder.write("j", "{\"run\":\n")), HasSubstr("j', line 1: not JSON at offset 7"));
  EXPECT_THAT(rejection(folder.write("j", "{\"run\": \"a\"}\n")),
              HasSubstr("j', line 1, instance: is missing"));
  EXPECT_THAT(rejection(folder.write("j", "[1]\n")), HasSubstr("line 1: an object is expected, not array"));
  EXPECT_THAT(rejection(folder.write("j", "{\"run\": \"a\", \"run\": \"b\"}\n")), HasSubstr("\"run\" twice"));
  EXPECT_THAT(rejection(folder.write("j", "\n" + std::string(1'000'000, '[') + "\n")),
              HasSubstr("line 1: not JSON"));
  EXPECT_THAT(rejection(folder.write("j", std::string(1'000'000, '[') + "\n")),
              HasSubstr("line 1: the JSON is nested too deeply"));
  EXPECT_EQ(rejection(folder.path("new")), "accepted");
  EXPECT_THAT(rejection(folder.path()), HasSubstr("not a regular file"));
  EXPECT_THAT(rejection(folder.path("none/j")), HasSubstr("cannot be opened"));
  Journal held(folder.path("held"));
  EXPECT_THAT(rejection(folder.path("held")), HasSubstr("another process holds it"));
}

TEST(Journal, LeavesAFileThatIsNoJournalAsItWas) {
  const ScratchFolder folder;
  for (const std::string text : {"x", "no line end", "{\"runs\":", "one\ntwo", "{\"run\":\"a\"}\n{\"r"}) {
    EXPECT_THAT(refusal_of([&] { Journal(folder.write("a.txt", text)); }), HasSubstr("a.txt'")) << text;
    EXPECT_EQ(folder.read("a.txt"), text);
  }
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder.path("pipe"), std::string("/dev/zero"), std::string("/dev/null")})
    EXPECT_THAT(refusal_of([&] { const Journal journal(path); }), HasSubstr("not a regular file"));
}

TEST(Journal, CutsOffALineThatWasNotWrittenToItsEnd) {
  const ScratchFolder folder;
  for (const std::string start : {"{", "{\"ru", "{\"run\":\"", "{\"run\":\"5a0f\",\"sche"}) {
    Journal(folder.write("j", start))
        .append("one", run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {}));
    EXPECT_EQ(read_journal(folder.path("j")).size(), 1u) << start;
  }
}

// What a power failure leaves, or an editor.
TEST(Journal, CutsOffBlankLinesAndNulsAtItsEnd) {
  const ScratchFolder folder;
  compare(plan(folder.path("j")), {});
  const std::string whole = folder.read("j");
  for (const std::string& end : {std::string("\n"), std::string("\n \t\r\n"), std::string(4096, '\0'),
                                 "{\"run\":\"ab" + std::string(100, '\0'), std::string("\0\n\0", 3)}) {
    folder.write("j", whole + end);
    EXPECT_EQ(read_journal(folder.path("j")).size(), 4) << end;
    {
      const Journal mended(folder.path("j"));
    }
    EXPECT_EQ(folder.read("j"), whole) << end;
  }
  for (const std::string& other : {std::string("\n\n"), std::string(9, '\0')})
    EXPECT_THROW(Journal(folder.write("other", other)), InputError) << "no run: it may be another file";
}

TEST(Journal, KeepsItsRunsElsewhereOnceItIsRemovedReplacedOrCut) {
  const RunResult result = run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {});
  const auto lost = [&](const std::function<void(const std::string&)>& lose) {
    const ScratchFolder folder;
    Journal journal(folder.path("j"));
    journal.append("one", result);
    lose(folder.path("j"));
    EXPECT_THAT(refusal_of([&] { journal.append("two", result); }), HasSubstr("all 2 runs that"));
    EXPECT_EQ(read_journal(folder.path("j.kept")).size(), 2);
  };
  lost([](const std::string& path) { std::filesystem::remove(path); });
  lost([](const std::string& path) { std::filesystem::resize_file(path, 100); });
  lost([](const std::string& path) {
    std::filesystem::copy_file(path, path + ".copy");
    std::filesystem::rename(path + ".copy", path);
  });
}

TEST(Journal, IsGoneAgainIfNothingWasWrittenToIt) {
  const ScratchFolder folder;
  {
    const Journal journal(folder.path("j"));
    EXPECT_EQ(folder.file_count(), 1) << "where it cannot be written to shows at the start";
  }
  EXPECT_EQ(folder.file_count(), 0);
  {
    Plan bad = plan(folder.path("j"));
    bad.sources = {"nice:d=6,k=1"};  // one token: there is nothing to attend to
    EXPECT_THROW(compare(bad, {}), InputError);
  }
  EXPECT_EQ(folder.file_count(), 0);
  {
    const Journal journal(folder.write("empty", ""));
  }
  EXPECT_EQ(folder.file_count(), 1) << "a file that was there stays";
}

TEST(Journal, AFileIsOpenedOnceForAllPlans) {
  const ScratchFolder folder;
  const Plan both = plan(folder.path("j"));
  EXPECT_EQ(folder.file_count(), 0) << "nothing is opened before it is needed";
  compare(both, {});
  const JournalFile copy = *both.execution.journal;
  EXPECT_EQ(&copy.open(), &both.execution.journal->open());
  EXPECT_THROW(Journal(folder.path("j")), InputError) << "it is held";
  compare(both, {});
  EXPECT_EQ(read_journal(folder.path("j")).size(), 4u);
}

TEST(Journal, IsReadWhileAnotherHoldsIt) {
  const ScratchFolder folder;
  const std::string path = folder.path("j");
  RunResult result = run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {});
  {
    Journal journal(path);
    journal.append("one", result);
    journal.append("two", result);
    result.report.seconds = 7;
    journal.append("one", result);
    EXPECT_EQ(read_journal(path).size(), 2u);
  }
  folder.write("j", folder.read("j") + R"({"run": "torn)");
  const std::vector<NamedRun> runs = read_journal(path);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].result.report.seconds, 7) << "as it was last written, where it first came";
  EXPECT_THAT(folder.read("j"), testing::EndsWith("torn")) << "nothing is changed";
  EXPECT_THROW(read_journal(folder.path("none")), InputError);
  folder.write("j", "{}\n");
  EXPECT_THROW(read_journal(path), InputError);
}

TEST(Journal, ALineThatDoesNotFitOnTheDiskLeavesNoPartOfIt) {
  const ScratchFolder folder;
  Journal journal(folder.path("j"));
  const RunResult result = run(open_problem("parity:d=6,m=2", {}), {.task = {.examples = 500}}, {});
  journal.append("one", result);
  const std::string whole = folder.read("j");
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files stands for the end of the disk
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{whole.size() + 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  EXPECT_THROW(journal.append("two", result), InputError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(folder.read("j"), whole);
  journal.append("three", result);
  EXPECT_EQ(read_journal(folder.path("j")).size(), 2U);
}

TEST(RunDigest, IsAnotherForWhateverDecidesTheResult) {
  const RunOptions run;
  const ProblemOptions problem;
  const std::string name = run_digest("source", problem, run);
  EXPECT_EQ(name, run_digest("source", problem, run));
  EXPECT_NE(name, run_digest("other", problem, run));
  EXPECT_NE(name, run_digest("source", {.seed = 2}, run));
  EXPECT_NE(name, run_digest("source", problem, {.task = {.heads = 2}}));
  EXPECT_NE(name, run_digest("source", problem, {.task = {.examples = 2}}));
  EXPECT_NE(name, run_digest("source", problem, {.method = Spec::parse("sculpt:rows=7")}));
  EXPECT_EQ(name, run_digest("source", problem, {.method = Spec::parse("sculpt:rows=0")})) << "the default";

  const ScratchFolder folder;
  const auto with_truth = [&](const char* file, const char* spec) {
    attention::write_layer(folder.path(file), hardness::make_instance(Spec::parse(spec)).layer, {});
    return run_digest("source", {.truth = folder.path(file)}, run);
  };
  const std::string compared = with_truth("one", "nice:d=4,seed=1");
  EXPECT_NE(compared, name);
  EXPECT_EQ(compared, with_truth("two", "nice:d=4,seed=1")) << "what a file is called does not count";
  EXPECT_NE(compared, with_truth("one", "nice:d=4,seed=2")) << "what it holds does";
}

}  // namespace
}  // namespace hardhead::study
