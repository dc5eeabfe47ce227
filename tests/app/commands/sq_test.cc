#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

json sq(Arguments arguments) {
  const ScratchFolder folder;
  arguments.insert(arguments.begin(), "sq");
  arguments.push_back("--json");
  const ProgramResult result = run_program(folder.path(), arguments);
  EXPECT_EQ(result.exit, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Sq, DimensionReportsEveryField) {
  const json report = sq({"dimension", "parity:d=10,m=3"});
  EXPECT_EQ(report["schema"], "hardhead.dimension/1");
  EXPECT_EQ(report["definition"], "pairwise");
  EXPECT_EQ(report["exact"], true);
  EXPECT_EQ(report["lower"], "84");
  EXPECT_EQ(report["upper"], "84");
  EXPECT_EQ(report["members"], 84);
  EXPECT_EQ(sq({"dimension", "parities:n=6"})["lower"], "64");
  EXPECT_EQ(sq({"dimension", "thresholds:n=5"})["lower"], "2");
  EXPECT_EQ(sq({"dimension", "parities:n=6", "--definition", "average", "--gamma", "1/8"})["lower"], "7");
}

TEST(Sq, BoundGivesEachTheoremItsNumber) {
  const json report = sq({"bound", "parity:d=10,m=3", "--tolerance", "0.1"});
  ASSERT_EQ(report["bounds"].size(), 5u);
  EXPECT_EQ(report["bounds"][0]["bound_queries"], "83/25");
  const json large = sq({"bound", "parity:d=4097,m=6", "--tolerance", "1/4", "--delta", "1/2"});
  EXPECT_EQ(large["bounds"].size(), 2u);
  EXPECT_EQ(sq({"bound", "parity", "--tolerance", "0.75"})["bounds"][0]["bound_queries"], "unwinnable");
  const json largest = sq({"bound", "parity:d=12,m=3", "--tolerance", "1"});  // tau^2 is past E[f^2] = 1/2
  EXPECT_THAT(largest["bounds"][3]["theorem"].get<std::string>(), HasSubstr("d queries of VSTAT(2/3)"));
}

TEST(Sq, ABlockParityIsTheParityOfItsLabels) {
  for (Arguments arguments : {Arguments{"bound"}, {"play", "--seed", "3"}, {"dimension"}}) {
    arguments.insert(arguments.begin() + 1, "parity:d=9,m=3");
    json expected = sq(arguments);
    arguments[1] = "block-parity:d=9,m=3";
    json found = sq(arguments);
    EXPECT_THAT(found["spec"].get<std::string>(), HasSubstr("block-parity:d=9,m=3"));
    expected.erase("spec"), found.erase("spec");
    EXPECT_EQ(found, expected) << arguments[0];
  }
}

TEST(Sq, BoundByHeadsIsThatOfTheMostHiddenBits) {
  const json report = sq({"bound", "parity:d=40,m=6"});
  const auto bound = [&](int heads, const std::string& as) -> json {
    for (const json& one : report["by_heads"])
      if (one["heads"] == heads && one["as"] == as) return one;
    return {};
  };
  EXPECT_EQ(bound(3, "exact")["hidden_bits"], 1);
  EXPECT_EQ(bound(3, "minimal")["hidden_bits"], 2);
  EXPECT_EQ(bound(3, "compact")["hidden_bits"], 5);
  EXPECT_EQ(bound(3, "densest known")["hidden_bits"], 6);
  EXPECT_EQ(bound(8, "compact")["hidden_bits"], 15);
  EXPECT_EQ(bound(2, "compact")["bound_queries"], "9138/25") << "4 tau^2 (C(39,3) - 1)";
  EXPECT_TRUE(bound(8, "densest known").is_null()) << "none is known that hides more than compact";
  EXPECT_FALSE(sq({"bound", "parity", "--tolerance", "0.75"}).contains("by_heads"));
  EXPECT_FALSE(sq({"bound", "parities:n=4"}).contains("by_heads"));
}

TEST(Sq, BoundDrawsAFigureOfHeads) {
  const ScratchFolder folder;
  EXPECT_EQ(run_program(folder.path(), {"sq", "bound", "parity:d=40,m=6", "--figure", "heads"}).exit, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("heads/queries.svg")));
  const ProgramResult refused =
      run_program(folder.path(), {"sq", "bound", "parities:n=4", "--figure", "heads"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("--figure heads: it shows parities"));
}

TEST(Sq, PlayReportsEveryField) {
  const json report = sq({"play", "parity:d=10,m=3", "--tolerance", "0.1"});
  for (const char* field : {"queries_used", "members_total", "members_left", "bound_queries", "theorem",
                            "learner_won", "answers_checked", "violations"})
    EXPECT_TRUE(report.contains(field)) << field;
  EXPECT_EQ(report["queries_used"], 83);
  EXPECT_EQ(report["members_left"], 1);
  EXPECT_EQ(report["learner_won"], true);
  EXPECT_EQ(report["violations"], 0);
  EXPECT_LT(sq({"play", "parity:d=10,m=3", "--learner", "combination"})["queries_used"], 30);
  for (const char* oracle : {"stat", "vstat", "one-stat", "honest", "correlational"})
    EXPECT_EQ(sq({"play", "parity:d=8,m=2", "--oracle", oracle, "--policy", "honest"})["learner_won"], true)
        << oracle;
  const json unwinnable = sq({"play", "parity:d=8,m=2", "--tolerance", "3/5"});
  EXPECT_EQ(unwinnable["learner_won"], false);
  EXPECT_TRUE(unwinnable["bound_queries"].is_null());
}

TEST(Sq, RefusesBadInputByName) {
  const ScratchFolder folder;
  const std::vector<std::pair<Arguments, const char*>> bad = {
      {{"plai", "parity"}, "did you mean 'play'"},
      {{"play"}, "SPEC is required"},
      {{"play", "nice:d=8"}, "games are played on parity"},
      {{"play", "parity:d=25"}, "d=25"},
      {{"play", "parity:d=8,m=8"}, "m=8 is not in 1 .. d-1=7"},
      {{"play", "parity", "--tolerance", "0"}, "tau=0 is not in (0, 1]"},
      {{"play", "parity", "--tolerance", "1.5"}, "tau=3/2"},
      {{"play", "parity", "--tolerance", "x"}, "--tolerance x: a rational"},
      {{"play", "parity", "--oracle", "stats"}, "did you mean 'stat'"},
      {{"play", "parity", "--oracle", "honest", "--policy", "random"}, "their policy is honest"},
      {{"dimension", "paritees"}, "did you mean 'parities'"},
      {{"dimension", "parities:n=13"}, "n=13"},
      {{"dimension", "subsets:n=16,m=8"}, "more than 4096"},
      {{"bound", "parity", "--alpha", "2"}, "alpha=2"},
  };
  for (const auto& [arguments, said] : bad) {
    Arguments all = {"sq"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(folder.path(), all);
    EXPECT_EQ(result.exit, 2) << said;
    EXPECT_THAT(result.err, HasSubstr(said));
  }
}

}  // namespace
}  // namespace hardhead::app
