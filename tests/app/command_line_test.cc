#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "learner/learner.h"
#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

/// Without what may differ between two runs: seconds, and the number of threads itself.
json without_seconds(json value) {
  if (value.is_object()) {
    value.erase("seconds");
    value.erase("threads");
  }
  if (value.is_structured())
    for (json& child : value) child = without_seconds(child);
  return value;
}

const Arguments quick_learn = {"learn",      "nice:d=8,k=2,m=2,seed=3",
                               "--method",   "gauss-newton",
                               "--heads",    "2",
                               "--seed",     "5",
                               "--examples", "2000"};

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

TEST(CommandLine, LearnReportsEveryField) {
  const ScratchFolder folder;
  const json report = run_json(folder, quick_learn);
  for (const char* field : {"schema",    "instance",      "method",     "options",
                            "outcome",   "failed_phase",  "degree",     "advantage_interval",
                            "message",   "heads_found",   "test_error", "null_error",
                            "advantage", "recovery",      "holdout",    "parameter_error",
                            "phases",    "examples_used", "seconds",    "threads",
                            "seed",      "version"})
    EXPECT_TRUE(report.contains(field)) << field;
  for (const char* field : {"spec", "digest", "d", "k", "m", "inputs"})
    EXPECT_TRUE(report["instance"].contains(field)) << field;
  for (const json& phase : report["phases"])
    for (const char* field : {"name", "seconds", "examples", "rows_kept"})
      EXPECT_TRUE(phase.contains(field)) << field;
  EXPECT_EQ(report["schema"], "hardhead.report/1");
  EXPECT_EQ(report["outcome"], "recovered");
  EXPECT_EQ(report["degree"], "recovered");
  EXPECT_EQ(report["method"], "gauss-newton");
  EXPECT_EQ(report["heads_found"], 2);
  EXPECT_EQ(report["parameter_error"]["theta"].size(), 2u);
  EXPECT_LE(report["examples_used"], 2000);
}

TEST(CommandLine, ResultsDoNotDependOnTheRunOrTheThreads) {
  const ScratchFolder folder;
  for (const char* method : {"gauss-newton", "sculpt"}) {
    const Arguments learn = {"learn", "nice:d=8,k=2,m=2,seed=3", "--method", method, "--examples", "20000"};
    const json one = without_seconds(run_json(folder, learn + Arguments{"--threads", "1"}));
    EXPECT_EQ(one, without_seconds(run_json(folder, learn + Arguments{"--threads", "1"})));
    EXPECT_EQ(one, without_seconds(run_json(folder, learn + Arguments{"--threads", "2"})));
    EXPECT_EQ(one, without_seconds(run_json(folder, learn + Arguments{"--threads", "3"})));
  }
}

TEST(CommandLine, ALayerAndADataFileServeAsSources) {
  const ScratchFolder folder;
  run_json(folder, {"generate", "nice:d=8,k=2,m=2,seed=3", "-o", "layer"});
  run_json(folder, {"sample", "layer", "-n", "3000", "-o", "data.safetensors", "--seed", "5"});
  const Arguments how = {"--method", "gauss-newton", "--heads", "2", "--seed", "5"};
  const json spec =
      run_json(folder, Arguments{"learn", "nice:d=8,k=2,m=2,seed=3", "--examples", "2700"} + how);
  const json layer = run_json(folder, Arguments{"learn", "layer", "--examples", "2700"} + how);
  const json data = run_json(folder, Arguments{"learn", "data.safetensors", "--truth", "layer"} + how);

  EXPECT_EQ(without_seconds(layer["phases"]), without_seconds(spec["phases"]));
  EXPECT_EQ(layer["instance"]["spec"], spec["instance"]["spec"]);
  EXPECT_EQ(data["outcome"], "recovered");
  EXPECT_LE(data["examples_used"], 2700) << "a tenth is held back";
  EXPECT_EQ(data["holdout"], 0.1);
  EXPECT_TRUE(data["instance"]["spec"].is_null());
  for (const json& error : data["parameter_error"]["theta"]) EXPECT_LE(error, 1e-9);

  const json unknown = run_json(folder, Arguments{"learn", "data.safetensors"} + how);
  EXPECT_TRUE(unknown["parameter_error"].is_null());
  EXPECT_TRUE(unknown["instance"]["m"].is_null());
  EXPECT_EQ(unknown["test_error"], data["test_error"]);
}

TEST(CommandLine, TheLearntLayerIsSavedAndIsTheLayer) {
  const ScratchFolder folder;
  run_json(folder, quick_learn + Arguments{"-o", "learnt"});
  const json found = run_json(folder, {"inspect", "learnt"});
  EXPECT_EQ(found["kind"], "layer");
  EXPECT_EQ(found["m"], 2);
  EXPECT_EQ(found["digest_right"], true);
  EXPECT_FALSE(found["metadata"].contains("spec"));
  const json again =
      run_json(folder, Arguments{"learn", "learnt"} + Arguments(quick_learn.begin() + 2, quick_learn.end()));
  EXPECT_EQ(again["outcome"], "recovered");
}

TEST(CommandLine, LearnWritesTheCurveOfTheError) {
  const ScratchFolder folder;
  const Arguments learn{"learn", "nice:d=8,k=2,m=2", "--heads", "2", "--curve", "curve.csv"};
  const ProgramResult fitted = run_program(folder.path(), learn + Arguments{"--method", "gauss-newton"});
  EXPECT_EQ(fitted.exit, 0) << fitted.err;
  std::istringstream file(folder.read("curve.csv"));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "phase,seconds,steps,holdout_error");
  Arguments rows;
  while (std::getline(file, line)) rows.push_back(line);
  ASSERT_GT(rows.size(), 2);
  EXPECT_THAT(rows, testing::Each(testing::StartsWith("fit_2_heads,")));
  EXPECT_GT(std::stod(rows.front().substr(rows.front().rfind(',') + 1)), 0.1);
  EXPECT_LT(std::stod(rows.back().substr(rows.back().rfind(',') + 1)), 1e-20);

  std::filesystem::remove(folder.path("curve.csv"));
  const ProgramResult none = run_program(folder.path(), learn + Arguments{"--method", "phase1"});
  EXPECT_EQ(none.exit, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("phase1 keeps no curve of its error: 'curve.csv' is not written"));
  EXPECT_EQ(folder.file_count(), 0);

  const ProgramResult both = run_program(folder.path(), learn + Arguments{"-o", "curve.csv"});
  EXPECT_EQ(both.exit, 2);
  EXPECT_THAT(both.err, HasSubstr("--curve curve.csv: --output writes this file"));
}

TEST(CommandLine, InspectTellsARightDigestFromAWrongOne) {
  const ScratchFolder folder;
  run_json(folder, {"generate", "parity:d=6,m=2", "-o", "layer"});
  run_json(folder, {"sample", "parity:d=6,m=2", "-n", "100", "-o", "data"});
  run_json(folder, {"sample", "parity:d=6,m=2", "-n", "100", "-o", "anonymous", "--anonymous"});
  for (const char* name : {"layer", "data"}) {
    EXPECT_EQ(run_json(folder, {"inspect", name})["digest_right"], true);
    std::string bytes = folder.read(name);
    bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 1);  // still a finite number
    folder.write(name, bytes);
    EXPECT_EQ(run_json(folder, {"inspect", name})["digest_right"], false);
  }
  const json anonymous = run_json(folder, {"inspect", "anonymous"});
  EXPECT_TRUE(anonymous["digest_right"].is_null());
  EXPECT_EQ(anonymous["metadata"], json({{"inputs", "boolean"}}));
}

TEST(CommandLine, InspectWritesTheCanonicalForm) {
  const ScratchFolder folder;
  run_json(folder, {"generate", "nice:d=6,k=2,m=2", "-o", "layer"});
  const json found = run_json(folder, {"inspect", "layer", "--canonical", "-o", "form"});
  EXPECT_EQ(found["k"], 2);
  EXPECT_EQ(found["reduced"], true);
  EXPECT_TRUE(found["canonical"]["vanished"].empty());
  const json form = run_json(folder, {"inspect", "form"});
  EXPECT_EQ(form["digest_right"], true);
  EXPECT_EQ(form["m"], found["canonical"]["m"]);
  EXPECT_EQ(form["content_digest"], found["canonical"]["content_digest"]);
  EXPECT_EQ(form["metadata"]["k"], "2");
  const json again = run_json(folder, {"inspect", "form", "--canonical"});
  EXPECT_EQ(again["canonical"]["content_digest"], found["canonical"]["content_digest"]);
  // The same function: what is learnt from the one is right for the other.
  run_json(folder, {"sample", "form", "-n", "2000", "-o", "data"});
  const json learnt =
      run_json(folder, {"learn", "data", "--truth", "layer", "--method", "gauss-newton", "--heads", "2"});
  EXPECT_EQ(learnt["outcome"], "recovered");
  for (const json& error : learnt["parameter_error"]["theta"]) EXPECT_LE(error, 1e-9);
}

TEST(CommandLine, InspectMeasuresTheRankOfTheJacobian) {
  const ScratchFolder folder;
  const json found = run_json(folder, {"inspect", "low-rank:d=4,k=2,m=2,rank=1", "--jacobian"});
  ASSERT_EQ(found["jacobian"].size(), 6) << "three kinds of inputs, by entries and by factors";
  for (const json& row : found["jacobian"]) EXPECT_EQ(row["rank"], row["predicted"]);
}

TEST(CommandLine, CompareCountsRunsAndGivesIntervals) {
  const ScratchFolder folder;
  const json report =
      run_json(folder, {"compare", "nice:d=8,k=2", "parity:d=6,m=2", "--method", "gauss-newton", "--seeds",
                        "3", "--examples", "1000", "--heads", "2"});
  ASSERT_EQ(report["rows"].size(), 2u);
  const json& row = report["rows"][0];
  EXPECT_EQ(row["instance"], "nice:d=8,k=2");
  EXPECT_EQ(row["runs"], 3);
  EXPECT_EQ(row["results"][2]["seed"], 3);
  EXPECT_THAT(row["results"][2]["instance"]["spec"], HasSubstr("seed=3"));
  EXPECT_LT(row["recovery_interval"][0], row["recovery_interval"][1]);
  EXPECT_EQ(report["interrupted"], false);
}

TEST(CommandLine, CompareSaysHowWellALayerWasLearnt) {
  const ScratchFolder folder;
  const Arguments compare = {"compare",    "nice:d=8,k=2", "degraded:which=label_noise,knob=0.2",
                             "--method",   "gauss-newton", "--heads",
                             "2",          "--examples",   "20000",
                             "--recovery", "1e-10"};
  const json rows = run_json(folder, compare)["rows"];
  EXPECT_EQ(rows[0]["degrees"]["recovered"], 1);
  EXPECT_EQ(rows[1]["degrees"]["learnt"], 1);
  EXPECT_EQ(rows[1]["recovered"], 0);
  EXPECT_EQ(rows[1]["results"][0]["degree"], "learnt");
  EXPECT_EQ(rows[1]["advantage"]["interval"], rows[1]["results"][0]["advantage_interval"]) << "of one run";
  EXPECT_EQ(rows[1]["learnt_interval"][0], rows[0]["recovery_interval"][0]);
  const ProgramResult text = run_program(folder.path(), compare + Arguments{"--require-recovery", "--wide"});
  for (const char* part : {"recovered 1 of 1", "learnt 1 of 1", "learnt: 95%", "label_noise"})
    EXPECT_THAT(text.out, HasSubstr(part));
  EXPECT_EQ(text.exit, 4) << "learnt is not recovered";
}

TEST(CommandLine, CompareShowsChosenMeasuresOfPhases) {
  const ScratchFolder folder;
  const ProgramResult result =
      run_program(folder.path(), {"compare", "nice:d=8,k=2,m=1", "--method", "gauss-newton", "--measure",
                                  "fit_1_heads.starts", "--measure", "fit_1_heads.nonsense"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("fit_1_heads.starts"));
  EXPECT_THAT(result.out, HasSubstr("1 (1)"));
  EXPECT_EQ(run_program(folder.path(), {"compare", "nice", "--measure", "starts"}).exit, 2);
}

TEST(CommandLine, LearnsALayerThatPyTorchMade) {
  const ScratchFolder folder;
  const std::string data = std::string(HARDHEAD_TEST_DIR) + "/data/torch_mha_e16_h2_k3";
  for (const char* method : {"sculpt", "gauss-newton"}) {
    const json report = run_json(folder, {"learn", data + ".safetensors", "--heads", "2", "--truth",
                                          data + ".layer.safetensors", "--method", method});
    EXPECT_EQ(report["outcome"], "recovered") << method;
    EXPECT_LE(report["test_error"], 1e-20) << method;
    for (const char* matrix : {"theta", "w"})
      for (const json& error : report["parameter_error"][matrix]) EXPECT_LE(error, 1e-9) << method;
  }
}

// A file that is written is none of those that are read, by whatever name, and no other that is written.
TEST(CommandLine, WritesNoFileThatItReadsAndNoneTwice) {
  const ScratchFolder folder;
  const auto run = [&](const Arguments& arguments) {
    return run_program(folder.path(), arguments + Arguments{"--quiet"});
  };
  ASSERT_EQ(run({"generate", "nice:d=4,k=2,m=1", "-o", "layer"}).exit, 0);
  ASSERT_EQ(run({"sample", "layer", "-n", "300", "-o", "data"}).exit, 0);
  ASSERT_EQ(run({"lwe", "generate", "lwe:n=4,q=31,sigma=1,samples=20", "-o", "c.json"}).exit, 0);
  std::filesystem::create_symlink(folder.path("layer"), folder.path("link"));
  std::filesystem::create_hard_link(folder.path("data"), folder.path("twin"));
  std::map<std::string, std::string> before;
  for (const char* file : {"layer", "data", "c.json"}) before[file] = folder.read(file);
  for (const Arguments& arguments :
       {Arguments{"sample", "layer", "-n", "9", "-o", "link"},
        {"sample", "layer", "-n", "9", "-o", "./layer"},
        {"learn", "data", "-o", "twin"},
        {"learn", "data", "--truth", "layer", "-o", "layer"},
        {"lwe", "attack", "c.json", "-o", "c.json"},
        {"inspect", "layer", "--canonical", "-o", "layer"},
        {"compare", "data", "--journal", "data"},
        {"import", "layer", "--layer", "0", "-o", "layer"},
        {"learn", "nice:d=4,k=2,m=1", "--method", "mobius", "--save", "./x", "-o", "x"},
        {"challenge", "make", "lwe:n=4,samples=20", "-o", "b.json", "--keep", "./b.json"}}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit, 2) << arguments.front();
    EXPECT_THAT(result.err, ::testing::AnyOf(HasSubstr("reads this file"), HasSubstr("writes this file")));
  }
  for (const auto& [file, text] : before) EXPECT_EQ(folder.read(file), text) << file;
  EXPECT_EQ(run({"generate", "nice", "-o", "nice"}).exit, 0);
  EXPECT_EQ(run({"generate", "nice", "-o", "nice"}).exit, 0) << "a spec is no file";
}

TEST(CommandLine, FamiliesListsParametersAndLearners) {
  const ScratchFolder folder;
  const json listed = run_json(folder, {"families"});
  EXPECT_EQ(listed["families"][0]["name"], "nice");
  const auto field_of = [&](const std::string& name, const char* field) {
    for (const json& method : listed["methods"])
      if (method["name"] == name) return method[field].get<std::string>();
    return std::string("not listed");
  };
  const auto access_of = [&](const std::string& name) { return field_of(name, "access"); };
  EXPECT_EQ(field_of("adam", "told"), "nothing");
  for (const char* method : {"adam:theta=diagonal", "gauss-newton:rank=2", "lbfgs:rank=2", "single:rank=1"})
    EXPECT_EQ(learner::Learner(Spec::parse(method)).told(), learner::Told::form) << method;
  EXPECT_EQ(learner::Learner(Spec::parse("gauss-newton:ranks=found")).told(), learner::Told::nothing);
  EXPECT_EQ(field_of("walsh", "told"), "gadget");
  EXPECT_EQ(field_of("flip", "told"), "gadget");
  EXPECT_EQ(field_of("chain", "told"), "intermediate results");
  EXPECT_EQ(access_of("sculpt"), "examples");
  EXPECT_EQ(access_of("mobius"), "values");
  EXPECT_EQ(access_of("chain"), "values");
  const ProgramResult text = run_program(folder.path(), {"families"});
  for (const char* word : {"parity", "nice", "hard-1h", "mobius", "sculpt", "paper", "gauss-newton", "adam",
                           "sgd", "sign-sgd", "lbfgs", "phase1", "exec", "families NAME"})
    EXPECT_THAT(text.out, HasSubstr(word));
}

TEST(CommandLine, NumbersAndTimesAreReadAsTheyAreTyped) {
  const ScratchFolder folder;
  const json plain = run_json(folder, {"learn", "nice:d=8,k=2,m=1,seed=1000", "--method", "adam:steps=1000",
                                       "--examples", "10000", "--time-limit", "300"});
  const json typed = run_json(folder, {"learn", "nice:d=8,k=2,m=1,seed=1e3", "--method", "adam:steps=1k",
                                       "--examples", "10^4", "--time-limit", "5min"});
  EXPECT_EQ(typed["examples_allowed"], 10'000);
  EXPECT_EQ(typed["instance"]["spec"], plain["instance"]["spec"]);
  EXPECT_EQ(typed["test_error"], plain["test_error"]);
}

TEST(CommandLine, ALayerFileIsToldItsTokens) {
  const ScratchFolder folder;
  run_json(folder, {"generate", "nice:d=6,k=2,m=1", "-o", "layer"});
  const Arguments how = {"--tokens",     "3",          "--inputs", "gaussian", "--method",
                         "gauss-newton", "--examples", "1k"};
  const json learnt = run_json(folder, Arguments{"learn", "layer"} + how);
  EXPECT_EQ(learnt["instance"]["k"], 3);
  EXPECT_EQ(learnt["instance"]["inputs"], "gaussian");
  EXPECT_EQ(learnt["outcome"], "recovered");
  EXPECT_EQ(run_json(folder, Arguments{"compare", "layer"} + how)["rows"][0]["results"][0]["instance"]["k"],
            3);
  run_json(folder, {"sample", "layer", "-n", "1e3", "--tokens", "3", "-o", "data"});
  EXPECT_EQ(run_json(folder, {"inspect", "data"})["k"], 3);
  const ProgramResult onto_itself = run_program(folder.path(), {"learn", "./layer:k=3", "-o", "layer"});
  EXPECT_EQ(onto_itself.exit, 2);
  EXPECT_THAT(onto_itself.err, HasSubstr("the command reads this file"));
}

TEST(CommandLine, CompareFillsAFolderAlongAnAxis) {
  const ScratchFolder folder;
  const Arguments compare = {"compare",  "nice:d=6,k=2", "--against",  "m=1,2", "--method", "phase1",
                             "--method", "gauss-newton", "--examples", "1k",    "--out",    "o"};
  const json rows = run_json(folder, compare)["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2]["instance"], "nice:d=6,k=2,m=2");
  EXPECT_THAT(folder.read("o/results.csv"), HasSubstr("gauss-newton"));
  EXPECT_THAT(folder.read("o/rows.csv"), HasSubstr("nice:d=6,k=2,m=2"));
  EXPECT_THAT(folder.read("o/figures/error-m.svg"), HasSubstr("<svg"));
  const std::string journal = folder.read("o/journal.jsonl");
  EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), 4);
  EXPECT_EQ(run_json(folder, compare)["rows"], rows) << "from the journal";
  run_json(folder, {"compare", "nice:d=6,k=2", "parity:d=6,m=2", "--method", "phase1", "--examples", "1k",
                    "--out", "p"});
  EXPECT_THAT(folder.read("p/figures/error-instance.svg"), HasSubstr("parity:d=6,m=2"));
}

TEST(CommandLine, RequireRecoveryExitsWithFour) {
  const ScratchFolder folder;
  EXPECT_EQ(run_program(folder.path(), quick_learn + Arguments{"--require-recovery"}).exit, 0);
  EXPECT_EQ(
      run_program(folder.path(), quick_learn + Arguments{"--require-recovery", "--recovery", "1e-300"}).exit,
      4);
}

TEST(CommandLine, APredictedCostOverTheMemoryLimitIsRefused) {
  const ScratchFolder folder;
  const ProgramResult result =
      run_program(folder.path(), quick_learn + Arguments{"--memory-limit", "1K", "-o", "out"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("more than the memory limit of 1.02e+03 bytes"));
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(CommandLine, TextGoesToStdoutAndProgressToStderr) {
  const ScratchFolder folder;
  const ProgramResult loud = run_program(folder.path(), quick_learn);
  EXPECT_THAT(loud.out, HasSubstr("RECOVERED"));
  EXPECT_THAT(loud.out, HasSubstr("null predictor"));
  EXPECT_THAT(loud.err, Not(HasSubstr("\r"))) << "no terminal, no rewriting";
  EXPECT_EQ(run_program(folder.path(), quick_learn + Arguments{"--quiet"}).err, "");
}

const Arguments slow_learn = {"learn", "parity:d=20,m=6", "--method", "gauss-newton", "--examples",
                              "4000",  "--json"};

TEST(CommandLine, ATimeLimitThatRanOutIsAnAnswer) {
  const ScratchFolder folder;
  const ProgramResult limited =
      run_program(folder.path(), slow_learn + Arguments{"--time-limit", "0.3", "--quiet"});
  EXPECT_EQ(limited.exit, 0) << limited.err;
  EXPECT_EQ(json::parse(limited.out)["outcome"], "stopped");
}

// How soon it ends is measured by interrupt_test.py.
TEST(CommandLine, ASignalStopsARunWhichStillAnswersAndExitsWithItsNumber) {
  const ScratchFolder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(folder.path(), slow_learn);
    program.wait_until_said("%");  // progress: the learner is at work
    ::kill(program.pid(), signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit, 128 + signal) << result.err;
    EXPECT_EQ(json::parse(result.out)["outcome"], "stopped");
  }
}

TEST(CommandLine, ASignalCountsMoreThanWhatTheAnswerIsWorth) {
  const ScratchFolder folder;
  Program program(folder.path(), slow_learn + Arguments{"--require-recovery"});
  program.wait_until_said("%");
  ::kill(program.pid(), SIGTERM);
  EXPECT_EQ(program.wait().exit, 128 + SIGTERM);
}

TEST(CommandLine, AStoppedComparisonPrintsTheRunsItHas) {
  const ScratchFolder folder;
  Program program(folder.path(), {"compare", "nice:d=8,k=2", "--method", "gauss-newton", "--examples", "1000",
                                  "--seeds", "100000", "--json"});
  program.wait_until_said("%");
  ::kill(program.pid(), SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit, 128 + SIGINT) << result.err;
  EXPECT_EQ(json::parse(result.out)["interrupted"], true);
}

}  // namespace
}  // namespace hardhead::app
