#include "study/sweep/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "learner/method.h"
#include "study/problem/suite.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::study {
namespace {

using testing::HasSubstr;

TEST(Sweep, AFileMayNameLearnersOfTheCallers) {
  const auto method = std::make_shared<learner::Method>(learner::find_method("phase1"));
  method->name = "mine";
  const std::vector<learner::Learner> own{learner::Learner::of(method, Spec::parse("mine"))};
  const ScratchFolder folder;
  const std::string file = folder.write("s.toml", "[[grid]]\nsource='nice:d=4'\nmethod=['mine', 'phase1']\n");
  const auto plan = read_sweep(file, own);
  EXPECT_EQ(plan[0].run.method.str(), "mine");
  EXPECT_EQ(plan[1].run.method.str(), "phase1");
  EXPECT_THROW(read_sweep(file), InputError);
}

TEST(Sweep, IsEveryPointOfEveryGridOverSeeds) {
  const ScratchFolder folder;
  const auto plan = read_sweep(folder.write("s.toml", R"(
seeds = 3
first_seed = 5
recovery = 1e-6
[[grid]]
source = ["nice", "diagonal:m=1"]
parameters = { d = [8, 12], theta_norm = 1.5 }
method = ["sculpt:rows=500", "gauss-newton"]
options = { max_heads = [3, 4] }
heads = ["told", "estimated", 2]
examples = [5000, 0]
[[grid]]
source = "parity:d=8,m=2"
seeds = 1
time_limit = 9
)"));
  ASSERT_EQ(plan.size(), 2u * 2 * 3 * 3 * 2 * 4 + 1);
  std::set<std::string> different;
  for (const RunRequest& run : plan)
    different.insert(fmt::format("{} {} {} {}", run.source.name(), run.run.method.str(),
                                 run.run.task.heads.value_or(0), run.run.task.examples.value_or(0)));
  EXPECT_LT(different.size(), plan.size()) << "told and 2 are the same where m = 2";
  EXPECT_EQ(plan[0].source.name(), "nice:d=8,theta_norm=1.5,seed=5");
  EXPECT_EQ(plan[0].run.method.str(), "sculpt:rows=500,max_heads=3");
  EXPECT_EQ(plan[0].run.task.heads, 2);
  EXPECT_EQ(plan[0].run.task.examples, 5000);
  EXPECT_EQ(plan[0].run.task.seed, 5u);
  EXPECT_EQ(plan[0].problem.seed, 5u);
  EXPECT_EQ(plan[0].run.recovery, 1e-6);
  EXPECT_EQ(plan[4].run.task.examples, std::nullopt);
  EXPECT_EQ(plan[8].run.task.heads, std::nullopt);
  EXPECT_EQ(plan[24].source.name(), "nice:d=8,theta_norm=1.5,seed=6");
  EXPECT_EQ(plan[2 * 3 * 24].source.name(), "diagonal:m=1,d=8,theta_norm=1.5,seed=5");
  EXPECT_EQ(plan[2 * 3 * 24].run.task.heads, 1) << "told the true number";
  EXPECT_EQ(plan.back().source.name(), "parity:d=8,m=2,seed=5");
  EXPECT_EQ(plan.back().run.task.time_limit_seconds, 9);
  EXPECT_EQ(plan.back().run.method.str(), "sculpt");
}

TEST(Sweep, TakesNumbersAndTimesAsPeopleTypeThem) {
  const ScratchFolder folder;
  const auto plan = read_sweep(folder.write("s.toml", R"(
seeds = "1e1"
time_limit = "5min"
recovery = "10^-6"
[[grid]]
source = "nice"
method = "phase1"
examples = ["50k", 1e4, 10_000]
)"));
  ASSERT_EQ(plan.size(), 30U);
  EXPECT_EQ(plan[0].run.task.examples, 50'000);
  EXPECT_EQ(plan[1].run.task.examples, 10'000);
  EXPECT_EQ(plan[2].run.task.examples, 10'000);
  EXPECT_EQ(plan[0].run.task.time_limit_seconds, 300);
  EXPECT_EQ(plan[0].run.recovery, 1e-6);
}

TEST(Sweep, TakesASuiteAsItIs) {
  const ScratchFolder folder;
  const auto plan =
      read_sweep(folder.write("s.toml", "seeds=2\n[[grid]]\nsource='suite:lwr-v1'\nmethod='phase1'\n"));
  const auto& entries = find_suite("lwr-v1").entries;
  ASSERT_EQ(plan.size(), 2 * entries.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(make_entry(plan[i].source.name()).spec, entries[i / 2].spec);
    EXPECT_EQ(plan[i].run.task.seed, i % 2 + 1);
    EXPECT_EQ(plan[i].problem.seed, i % 2 + 1);
  }
}

struct Wrong {
  const char *name, *file, *message;
};

class WrongSweep : public testing::TestWithParam<Wrong> {};

TEST_P(WrongSweep, SaysWhereAndWhy) {
  const ScratchFolder folder;
  try {
    read_sweep(folder.write("s.toml", GetParam().file));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("s.toml'"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongSweep,
    testing::Values(
        Wrong{"Syntax", "seeds = \n", "line 1: "}, Wrong{"NoGrid", "seeds = 3\n", "there is no [[grid]]"},
        Wrong{"GridIsANumber", "grid = 3\n", "there is no [[grid]]"},
        Wrong{"UnknownKey", "[[grid]]\nsource='nice'\nmetod='sculpt'\n",
              "line 3: unknown key 'metod', did you mean 'method'?"},
        Wrong{"UnknownKeyAtTheTop", "seed = 3\n[[grid]]\nsource='nice'\n", "line 1: unknown key 'seed'"},
        Wrong{"WrongType", "[[grid]]\nsource='nice'\nseeds='many'\n",
              "line 3: 'seeds' is an integer in 1 .. "},
        Wrong{"ListOfLists", "[[grid]]\nsource=[['nice']]\n",
              "line 2: 'source' is a string, a number or a list of those"},
        Wrong{"BracketsApart", "[ [grid]]\nsource='nice'\n", "line 1: "},
        Wrong{"NoSeeds", "[[grid]]\nsource='nice'\nseeds=0\n", "line 3: 'seeds' is an integer in 1 .. "},
        Wrong{"EmptyAxis", "[[grid]]\nsource='nice'\nparameters={d=[]}\n", "line 3: 'd' is an empty list"},
        Wrong{"NoSource", "[[grid]]\nmethod='sculpt'\n", "the grid names no source"},
        Wrong{"UnknownFamily", "[[grid]]\nseeds=2\nsource='nce'\n",
              "line 3: unknown family 'nce', did you mean 'nice'?"},
        Wrong{"UnknownParameter", "[[grid]]\nsource='nice'\n[grid.parameters]\nd=8\nheads=[2, 3]\n",
              "line 5: spec 'nice:d=8,heads=2': 'nice' has no parameter 'heads', did you mean 'm'?"},
        Wrong{"UnknownMethod", "[[grid]]\nsource='nice'\nmethod='sculp'\n", "line 3: unknown "},
        Wrong{"UnknownOption", "[[grid]]\nsource='nice'\nmethod='adam'\noptions={lr=1}\n",
              "line 4: spec 'adam:lr=1': 'adam' has no parameter 'lr', did you mean 'rate'?"},
        Wrong{"MissingFile", "[[grid]]\nseeds=2\nsource='none.safetensors'\n", "line 3: "},
        Wrong{"TimeLimit", "[[grid]]\nsource='nice'\ntime_limit='5m'\n",
              "line 3: 'time_limit' is a time above 0"},
        Wrong{"UnknownSuite", "[[grid]]\nsource='suite:nice'\n", "unknown suite 'nice', did you mean 'nice-"},
        Wrong{"ParametersOfASuite", "[[grid]]\nsource='suite:nice-v1'\nparameters={d=8}\n",
              "line 3: the instances of 'suite:nice-v1' are taken as they are"},
        Wrong{"ValueWithAParameterOfItsOwn", "[[grid]]\nsource='nice'\nparameters={d='16,m=3'}\n",
              "line 3: d = '16,m=3': one value is expected"},
        Wrong{"ValueOfAListWithAParameterOfItsOwn",
              "[[grid]]\nsource='nice'\n[grid.parameters]\nm=2\nd=[8,'16,k=3']\n",
              "line 5: d = '16,k=3': one value is expected"},
        Wrong{"OptionWithAnotherOption", "[[grid]]\nsource='nice'\noptions={rows='7,max_heads=3'}\n",
              "line 3: rows = '7,max_heads=3': one value is expected"},
        Wrong{"EmptyValue", "[[grid]]\nsource='nice'\nparameters={d=''}\n",
              "line 3: d = '': one value is expected"},
        Wrong{"KeyWithAParameterOfItsOwn", "[[grid]]\nsource='nice'\nparameters={'d=8,m'=3}\n",
              "line 3: 'd=8,m' cannot be the name of a parameter"},
        Wrong{"OutOfRange", "[[grid]]\nsource='nice'\nparameters={d=[16,0]}\n", "d=0"},
        Wrong{"UnknownOptionOfAll", "[[grid]]\nsource='nice'\noptions={starts=3}\n", "'starts'"},
        Wrong{"ParametersAreATable", "[[grid]]\nsource='nice'\nparameters=['d']\n",
              "line 3: 'parameters' is a table"},
        Wrong{"Recovery", "recovery=-1\n[[grid]]\nsource='nice'\n", "line 1: 'recovery' is a number above 0"},
        Wrong{"Holdout", "holdout=1.5\n[[grid]]\nsource='nice'\n", "line 1: 'holdout' is a fraction"},
        Wrong{"Heads", "[[grid]]\nsource='nice'\nheads='all'\n", "line 3: heads 'all' is \"told\""},
        Wrong{"Examples", "[[grid]]\nsource='nice'\nexamples=-1\n", "line 3: examples '-1' is an integer"},
        Wrong{"TooManyRuns", "seeds=900000\n[[grid]]\nsource='nice'\nexamples=[100,200]\n",
              "the grid has 1800000 runs; a sweep has at most 1000000"}),
    [](const auto& test) { return test.param.name; });

TEST(Sweep, RefusesAGridBeforeItsPointsFillTheMemory) {
  const ScratchFolder folder;
  std::string list = "[0";
  for (int i = 1; i < 999; ++i) list += ",0";
  list += "]";
  const std::string file = folder.write(
      "grid.toml", fmt::format("[[grid]]\nsource='nice'\nparameters={{a={0},b={0},c={0}}}\n", list));
  EXPECT_THAT([&] { read_sweep(file); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("more than 1000000 points")));
}

/// What read_sweep() says of a file with this text.
std::string sweep_refusal(const std::string& text) {
  const ScratchFolder folder;
  return refusal_of([&] { read_sweep(folder.write("s.toml", text)); });
}

TEST(Sweep, RefusesDeepNestingInBoundedMemory) {
  const auto times = [](std::size_t count, const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  constexpr std::size_t deep = 20'000;  // within the file's limit
  EXPECT_THAT(sweep_refusal("grid = " + std::string(deep, '[')), HasSubstr("line 1: "));
  EXPECT_THAT(sweep_refusal("grid = " + std::string(deep, '[') + std::string(deep, ']')),
              HasSubstr("line 1: "));
  EXPECT_THAT(sweep_refusal("grid = " + times(deep, "{a=")), HasSubstr("line 1: "));
  EXPECT_THAT(sweep_refusal("[a" + times(4'090, ".a") + "]"), HasSubstr("unknown key 'a'"));
  EXPECT_THAT(sweep_refusal("[[grid" + times(4'090, ".a") + "]]"), HasSubstr("there is no [[grid]]"));
  EXPECT_THAT(sweep_refusal("[[grid]]\nsource" + times(4'090, ".a") + " = 1"),
              HasSubstr("'source' is a string"));
  EXPECT_THAT(sweep_refusal("[a" + times(4'097, ".a") + "]"), HasSubstr("line 1: more than 4096 dots"));
  EXPECT_THAT(
      sweep_refusal("# " + times(5'000, ".") + "\n \t#" + times(5'000, ".") + "\n'" + times(4'097, ".")),
      HasSubstr("line 3: more than 4096 dots"));
}

TEST(Sweep, OfAnyLanguageIsTakenInStringsAndComments) {
  const std::string rest = "[[grid]]\nsource = [\"nice\"]\nparameters = { d = [8] }\nmethod = [\"phase1\"]\n";
  EXPECT_EQ(sweep_refusal("# \u00e9\u02d1\n" + rest + "# \ufed1"), "accepted");
  EXPECT_THAT(sweep_refusal("\"\u00e9\" = 1\n" + rest), HasSubstr("unknown key '\u00e9'"));
  // Places where toml++ is in doubt about what it reads.
  for (const char* text : {"\u00e9 = 1", "a = \u02d1", "a = -'\u00e9'", "a = 2::sE[\"\u02d1",
                           "a = 0\"b[\"\ufed1", "a = 0.'\u00e9", "\"\"\"\"\"a\"\u00e9"})
    EXPECT_THAT(sweep_refusal(text), HasSubstr("line 1: ")) << text;
}

TEST(Sweep, APointThatCannotBeMadeIsAResultThatSaysWhy) {
  const ScratchFolder folder;
  const std::vector<RunRequest> plan =
      read_sweep(folder.write("s.toml",
                              "[[grid]]\nsource='parity'\nmethod='phase1'\nheads=['told','estimated']\n"
                              "examples=500\nparameters={d=4,m=[2,9]}\n"));
  ASSERT_EQ(plan.size(), 4u);
  EXPECT_THROW(execute(plan, {}, {}), InputError);
  const std::string journal = folder.path("j");
  for (const std::int64_t known : {0, 4}) {
    const Executed done = execute(plan, {.journal = journal, .bad_point = BadPoint::is_a_result}, {});
    EXPECT_EQ(done.from_journal, known);
    EXPECT_EQ(done.completion, Completion::complete);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      ASSERT_TRUE(done.results[i]);
      const RunResult& result = *done.results[i];
      if (plan[i].source.name().find("m=9") == std::string::npos) {
        EXPECT_NE(result.score.outcome, Outcome::stopped);
        continue;
      }
      EXPECT_EQ(result.score.outcome, Outcome::stopped);
      EXPECT_THAT(result.report.message, HasSubstr("m=9 is more than d-1=3"));
      EXPECT_FALSE(result.score.degree);
    }
  }
}

TEST(Sweep, OptionsAreNotPutIntoTheCommandOfALearner) {
  EXPECT_THAT(sweep_refusal("[[grid]]\nsource='nice'\nmethod=['sculpt','exec:./mine']\noptions={rows=7}\n"),
              HasSubstr("line 4: 'exec:./mine' takes its options in its command"));
}

TEST(Sweep, NeedsAFile) {
  EXPECT_THAT([] { read_sweep("nothing.toml"); },
              testing::ThrowsMessage<InputError>("sweep 'nothing.toml': there is no such file"));
}

}  // namespace
}  // namespace hardhead::study
