#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Lwe, AGeneratedChallengeIsAttackedAndTheSolutionVerifies) {
  const ScratchFolder folder;
  const json made = run_json(folder, {"lwe", "generate", "lwe:n=12,samples=30,seed=5", "-o", "c.json"});
  EXPECT_EQ(made["samples"], 30);
  EXPECT_THAT(folder.read("c.json"), Not(HasSubstr("seed"))) << "a challenge must not give its secret away";
  const json solved = run_json(folder, {"lwe", "attack", "c.json", "--method", "kannan", "-o", "s.json"});
  for (const char* field :
       {"method", "outcome", "verified", "secret", "seconds", "attempts", "predicted_seconds"})
    EXPECT_TRUE(solved.contains(field)) << field;
  EXPECT_EQ(solved["method"], "kannan");
  EXPECT_EQ(solved["outcome"], "solved");
  EXPECT_EQ(solved["verified"], true);
  EXPECT_EQ(solved["secret"].size(), 12u);
  const auto verified = [&](const char* challenge, const char* answer) {
    return run_program(folder.path(), {"challenge", "verify", challenge, answer});
  };
  EXPECT_EQ(verified("c.json", "s.json").exit, 0);

  json forged = json::parse(folder.read("s.json"));
  forged["secret"][0] = (forged["secret"][0].get<int>() + 1) % 12289;
  folder.write("f.json", forged.dump());
  EXPECT_EQ(verified("c.json", "f.json").exit, 4);
  run_json(folder, {"lwe", "generate", "lwe:n=12,samples=30,seed=6", "-o", "other.json"});
  EXPECT_THAT(verified("other.json", "s.json").out, HasSubstr("WRONG: the solution names another challenge"));
}

TEST(Lwe, ProgressInAFileIsNotALineForEachTrial) {
  const ScratchFolder folder;
  const ProgramResult run =
      run_program(folder.path(), {"lwe", "distinguish", "lwr:n=3", "--method", "exhaustive"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("exhaustive search"));
  EXPECT_LT(std::ranges::count(run.err, '\n'), 10) << "20 trials, two phases:\n" << run.err;
}

TEST(Lwe, AutoTriesFromTheCheapestOnAndSaysSo) {
  const ScratchFolder folder;
  const json report = run_json(folder, {"lwe", "attack", "lwr:n=4,q=16,p=2,samples=200"});
  EXPECT_EQ(report["outcome"], "solved");
  ASSERT_GE(report["attempts"].size(), 1u);
  EXPECT_EQ(report["attempts"].back()["method"], report["method"]);
  const json hopeless =
      run_json(folder, {"lwe", "attack", "lwr:n=60,q=16,p=2,samples=50", "--time-limit", "5"});
  EXPECT_EQ(hopeless["outcome"], "not_solved");
  EXPECT_TRUE(hopeless["secret"].is_null());
}

TEST(Lwe, DarmstadtAndMatrixFilesGoByTheEnding) {
  const ScratchFolder folder;
  run_json(folder, {"lwe", "generate", "lwe:n=8,samples=16", "-o", "c.txt"});
  run_json(folder, {"lwe", "generate", "c.txt", "-o", "c.json"});
  run_json(folder, {"lwe", "generate", "c.txt", "-o", "c.fplll"});
  EXPECT_EQ(run_json(folder, {"lwe", "attack", "c.txt"})["secret"],
            run_json(folder, {"lwe", "attack", "c.json"})["secret"]);
  EXPECT_THAT(folder.read("c.fplll"), testing::StartsWith("[["));
  const ProgramResult wrong = run_program(folder.path(), {"lwe", "generate", "lwe", "-o", "c.csv"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.err, HasSubstr(".json, .txt (Darmstadt), .fplll"));
}

TEST(Lwe, AllListsEveryAttackAndEstimateSaysWhyNot) {
  const ScratchFolder folder;
  const json report =
      run_json(folder, {"lwe", "attack", "lpn:n=16,samples=3000", "--method", "all", "--time-limit", "20"});
  EXPECT_EQ(report["outcome"], "solved");
  EXPECT_EQ(report["time_limit"], 20);
  const json estimate = run_json(folder, {"lwe", "estimate", "lpn:n=16,samples=3000"});
  ASSERT_EQ(report["attempts"].size(), estimate["attacks"].size());
  int solved = 0;
  for (std::size_t i = 0; i < report["attempts"].size(); ++i) {
    EXPECT_EQ(report["attempts"][i]["method"], estimate["attacks"][i]["method"]);
    EXPECT_EQ(report["attempts"][i]["outcome"] == "refused" && estimate["attacks"][i]["applicable"] == true,
              false);
    solved += report["attempts"][i]["verified"] == true ? 1 : 0;
  }
  EXPECT_EQ(solved, 4) << "exhaustive search, BKW and the two decoders";
  EXPECT_THAT(run_program(folder.path(), {"lwe", "estimate", "lwr"}).out,
              HasSubstr("too many to match halves on"));
}

TEST(Lwe, PredictionsHaveBlockDimensionAndOperations) {
  const ScratchFolder folder;
  const char* kyber = "lwe:n=512,q=3329,Xs=CenteredBinomial(3),Xe=CenteredBinomial(3),m=512";
  const json estimate = run_json(folder, {"lwe", "estimate", kyber});
  const json* kannan = nullptr;
  for (const json& attack : estimate["attacks"])
    if (attack["method"] == "kannan") kannan = &attack;
  ASSERT_NE(kannan, nullptr);
  EXPECT_EQ((*kannan)["block"], 406);
  EXPECT_NEAR((*kannan)["log2_operations"].get<double>(), 118.6, 0.1);
  EXPECT_GT((*kannan)["dimension"], 900);
  EXPECT_GT((*kannan)["success"], 0.4);
  EXPECT_THAT(run_program(folder.path(), {"lwe", "estimate", kyber}).out, HasSubstr("log2 rop"));
  const json report = run_json(folder, {"lwe", "attack", "lwe:n=12,samples=30", "--method", "kannan"});
  EXPECT_EQ(report["block"], 2) << "LLL";
  EXPECT_EQ(report["samples"], 30);
}

TEST(Lwe, AnAttackOfYourOwnIsVerified) {
  const ScratchFolder folder;
  run_json(folder, {"lwe", "attack", "lwe:n=6,q=97,sigma=1,samples=30", "-o", "known.json"});
  folder.write("attack.sh", "cp known.json \"$2\"");
  const json right =
      run_json(folder, {"lwe", "attack", "lwe:n=6,q=97,sigma=1,samples=30", "--method", "exec:sh attack.sh"});
  EXPECT_EQ(right["outcome"], "solved");
  EXPECT_EQ(right["method"], "exec:sh attack.sh");
  EXPECT_TRUE(right["predicted_seconds"].is_null());
  const json wrong = run_json(
      folder, {"lwe", "attack", "lwe:n=6,q=97,sigma=1,samples=30,seed=2", "--method", "exec:sh attack.sh"});
  EXPECT_EQ(wrong["outcome"], "not_solved");
  EXPECT_TRUE(wrong["secret"].is_null());
}

TEST(Lwe, HelpOfGenerateListsTheParameters) {
  const ScratchFolder folder;
  const std::string help = run_program(folder.path(), {"lwe", "generate", "--help"}).out;
  for (const char* part : {"Parameters of lwe", "Parameters of lwr", "Parameters of lpn", "secret_eta",
                           "rounding", "rate", "default: 12289", "uniform | binary | ternary"})
    EXPECT_THAT(help, HasSubstr(part));
}

// n = 100: NTL's LLL warns of its precision.
TEST(Lwe, LibrariesPrintNothing) {
  const ScratchFolder folder;
  const ProgramResult run = run_program(folder.path(), {"lwe", "attack", "lwe:n=100,samples=200", "--method",
                                                        "kannan", "--time-limit", "8", "--quiet"});
  EXPECT_EQ(run.err, "");
}

TEST(Lwe, DistinguishGivesAdvantageAndInterval) {
  const ScratchFolder folder;
  const json attack = run_json(
      folder, {"lwe", "distinguish", "lwr:n=3,q=16,p=2", "--method", "exhaustive", "--trials", "30"});
  EXPECT_EQ(attack["advantage"], 1);
  EXPECT_EQ(attack["trials"], 30);
  EXPECT_GT(attack["interval"][0], 0.7);
  const json learner =
      run_json(folder, {"lwe", "distinguish", "lwr:n=4,q=16,p=2", "--method", "gauss-newton:iterations=2",
                        "--examples", "600", "--heads", "2", "--trials", "2"});
  EXPECT_EQ(learner["relative_errors_true"].size() + learner["relative_errors_unrelated"].size(), 2u);
}

TEST(Lwe, MistakesAreNamed) {
  const ScratchFolder folder;
  const auto error = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_program(folder.path(), arguments);
    EXPECT_EQ(result.exit, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"lwe"}), HasSubstr("a command of 'lwe' is expected"));
  EXPECT_THAT(error({"lwe", "atack", "lwe"}),
              HasSubstr("unknown command of 'lwe' 'atack', did you mean 'attack'?"));
  EXPECT_THAT(error({"attack", "lwe"}), HasSubstr("unknown command 'attack'"));
  EXPECT_THAT(error({"lwe", "attack", "lwe:n=8", "--method", "kanan"}), HasSubstr("did you mean 'kannan'?"));
  EXPECT_THAT(error({"lwe", "attack", "missing.json"}), HasSubstr("missing.json"));
  EXPECT_THAT(error({"lwe", "distinguish", "nice"}), HasSubstr("needs a spec of one of the families"));
  EXPECT_THAT(error({"lwe", "attack", "lwe", "--time-limt", "3"}), HasSubstr("did you mean '--time-limit'?"));
}

TEST(Lwe, ATimeLimitStopsALatticeAttackAsAnOutcome) {
  const ScratchFolder folder;
  const json report = run_json(folder, {"lwe", "attack", "lwe:n=80,samples=200,q=65537,sigma=3.2", "--method",
                                        "kannan", "--time-limit", "0.05"});
  EXPECT_EQ(report["outcome"], "stopped");
  EXPECT_LT(report["seconds"], 3);
}

}  // namespace
}  // namespace hardhead::app
