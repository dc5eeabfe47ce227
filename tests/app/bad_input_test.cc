#include <fmt/format.h>
#include <cstdint>
#include <limits>

#include "tests/app/bad_input.h"
#include "tests/attention/raw_safetensors.h"

namespace hardhead::app {
namespace {

using attention::raw_safetensors;

std::string two_tensors(const std::string& x_offsets, const std::string& y_offsets,
                        const std::string& shape) {
  return R"({"x":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":)" + x_offsets +
         R"(},"y":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":)" + y_offsets + "}}";
}

/// x (int8) and y (f64) of some examples, with Boolean inputs.
std::string data_set(std::int64_t examples, std::int64_t k, std::int64_t d, const std::vector<std::int8_t>& x,
                     const std::vector<double>& y) {
  const std::string shape = fmt::format("[{},{},{}]", examples, k, d);
  const std::string header = fmt::format(
      R"({{"__metadata__":{{"inputs":"boolean"}},"x":{{"dtype":"I8","shape":{},"data_offsets":[0,{}]}},)"
      R"("y":{{"dtype":"F64","shape":{},"data_offsets":[{},{}]}}}})",
      shape, x.size(), shape, x.size(), x.size() + 8 * y.size());
  return raw_safetensors(header, std::string(reinterpret_cast<const char*>(x.data()), x.size()) +
                                     std::string(reinterpret_cast<const char*>(y.data()), 8 * y.size()));
}

std::vector<std::int8_t> signs(std::size_t count) {
  std::vector<std::int8_t> out(count, 1);
  for (std::size_t i = 0; i < count; i += 3) out[i] = -1;
  return out;
}

std::vector<BadInput> bad_inputs() {
  const std::string bad = "bad.safetensors";
  const std::vector<double> y(400, 0.5);
  std::vector<double> y_nan = y;
  y_nan[7] = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int8_t> x_three = signs(400);
  x_three[5] = 3;
  const std::string good = data_set(50, 2, 4, signs(400), y);
  const std::string k1 = data_set(50, 1, 8, signs(400), y);
  const std::string small = data_set(3, 2, 4, signs(24), std::vector<double>(24, 0.5));
  const std::string nan_layer =
      raw_safetensors(R"({"theta":{"dtype":"F64","shape":[1,1,1],"data_offsets":[0,8]},)"
                      R"("w":{"dtype":"F64","shape":[1,1,1],"data_offsets":[8,16]}})",
                      std::string(16, '\xff'));
  const std::vector<std::string> learn_file = {"learn", bad, "-o", "out"};

  return {
      {"UnknownCommand", {"lern", "nice"}, {"lern", "did you mean 'learn'"}},
      {"NoCommand", {}, {"usage: hardhead COMMAND", "a command is expected"}},
      {"UnknownCommandOfAGroup", {"sq", "plya"}, {"'sq'", "did you mean 'play'"}},
      {"UnknownShell", {"completion", "tcsh"}, {"shell 'tcsh'", "bash"}},
      {"UnknownFlag",
       {"learn", "nice", "--heds", "2"},
       {"--heds", "did you mean '--heads'", "usage: hardhead learn SOURCE", "--method",
        "hardhead help learn"}},
      {"FlagOfOtherCommands",
       {"learn", "nice", "--seeds", "3"},
       {"--seeds is no flag of 'learn'", "It is one of", "compare, best, fewest"}},
      {"AnotherWordForAFlag", {"learn", "nice", "--m", "2"}, {"did you mean '--heads'"}},
      {"FlagForALearner", {"learn", "nice", "--learner", "adam"}, {"did you mean '--method'"}},
      {"FlagThatIsALearnersOption", {"learn", "nice", "--lr", "0.1"}, {"--method", ":rate=.."}},
      {"FlagThatIsAFamilysParameter",
       {"learn", "nice", "--theta_norm", "2"},
       {"parameters of an instance", "nice:theta_norm=.."}},
      {"AnotherWordForAnOption",
       {"learn", "nice", "--method", "adam:lr=0.1"},
       {"'lr', did you mean 'rate'?"}},
      {"AnotherWordForAParameter", {"learn", "nice:heads=2"}, {"'heads', did you mean 'm'?"}},
      {"AStrayLearner",
       {"learn", "nice", "adam:steps=3"},
       {"'adam:steps=3' is a learner: --method adam:steps=3"}},
      {"ALearnerAmongInstances", {"compare", "nice", "adam"}, {"'adam' is a learner: --method adam"}},
      {"ALearnerForAnInstance", {"learn", "adam"}, {"'adam' is a learner: --method adam"}},
      {"StrayWordsInTheirOrder", {"learn", "nice", "one", "two", "three"}, {"not expected: one two three"}},
      {"TokensOfASpec", {"learn", "nice", "--tokens", "3"}, {"--tokens 3", "'nice' is a spec"}},
      {"TimeInNoUnit", {"learn", "nice", "--time-limit", "5m"}, {"--time-limit 5m", "5min"}},
      {"FlagsOfAnotherCommandWhereOneIsMissing",
       {"sample", "nice", "--examples", "3", "--out", "f"},
       {"--examples is no flag of 'sample'", "--out is no flag of 'sample', did you mean '--output'"}},
      {"NoSource", {"learn"}, {"SOURCE is required"}},
      {"UnknownFamily", {"learn", "nise:d=8", "-o", "out"}, {"nise", "did you mean 'nice'"}},
      {"UnknownKey", {"learn", "nice:e=8", "-o", "out"}, {"nice:e=8", "'e'", "it has: d"}},
      {"NotAKeyValue", {"learn", "nice:d", "-o", "out"}, {"nice:d", "column 6", "key=value"}},
      {"NoFeatures", {"learn", "nice:d=0", "-o", "out"}, {"d=0", "1 .."}},
      {"NoHeads", {"learn", "nice:m=0", "-o", "out"}, {"m=0", "1 .."}},
      {"HiddenSetTooLarge", {"learn", "parity:d=6,m=6", "-o", "out"}, {"m=6", "d-1=5"}},
      {"BaseOne", {"learn", "parity:base=1", "-o", "out"}, {"base=1", "2 .."}},
      {"NoNumber", {"learn", "nice:d=x", "-o", "out"}, {"d=x", "integer"}},
      {"OneToken", {"learn", "nice:k=1,d=8", "-o", "out"}, {"k = 1", "attention is constant"}},
      {"MissingFile", {"learn", "none.safetensors", "-o", "out"}, {"none.safetensors", "No such file"}},
      {"MissingTruth",
       {"learn", bad, "--truth", "none.safetensors", "-o", "out"},
       {"none.safetensors"},
       {{bad, good}}},
      {"TruthForASpec", {"learn", "nice", "--truth", "t", "-o", "out"}, {"truth 't'", "data files only"}},
      {"Empty", learn_file, {bad}, {{bad, " "}}},
      {"Truncated", learn_file, {bad}, {{bad, good.substr(0, good.size() - 11)}}},
      {"TruncatedHeader", learn_file, {bad}, {{bad, good.substr(0, 40)}}},
      {"NotJson", learn_file, {bad}, {{bad, raw_safetensors("{\"x\":", "")}}},
      {"Overlapping",
       learn_file,
       {bad, "overlap"},
       {{bad, raw_safetensors(two_tensors("[0,64]", "[32,96]", "[2,2,2]"), std::string(96, '\0'))}}},
      {"OutOfRange",
       learn_file,
       {bad, "6400"},
       {{bad, raw_safetensors(two_tensors("[0,64]", "[64,6400]", "[2,2,2]"), std::string(128, '\0'))}}},
      {"ShapeOverflow",
       learn_file,
       {bad, "overflow"},
       {{bad, raw_safetensors(two_tensors("[0,64]", "[64,128]", "[4294967296,4294967296,4]"),
                              std::string(128, '\0'))}}},
      {"NotALayerNorData",
       learn_file,
       {bad, "neither"},
       {{bad, raw_safetensors(R"({"z":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                              std::string(8, '\0'))}}},
      {"NanInY", learn_file, {bad, "y", "nan"}, {{bad, data_set(50, 2, 4, signs(400), y_nan)}}},
      {"XNotASign", learn_file, {bad, "x", "3"}, {{bad, data_set(50, 2, 4, x_three, y)}}},
      {"OneTokenInFile", learn_file, {"k = 1"}, {{bad, k1}}},
      {"TooFewExamples", learn_file, {bad, "2 examples", "at least 4"}, {{bad, small}}},
      {"TooFewExamplesForHeads",
       {"learn", bad, "--heads", "40", "-o", "out"},
       {bad, "45 examples", "160"},
       {{bad, good}}},
      {"HoldoutTakesAll",
       {"learn", bad, "--holdout", "0.99", "-o", "out"},
       {bad, "0.99", "none"},
       {{bad, small}}},
      {"TooFewAskedFor",
       {"learn", "nice", "--examples", "3", "-o", "out"},
       {"3 examples", "counting bound"},
       {}},
      {"UnwritableOutput", {"learn", "nice:d=8", "-o", "no/such/out"}, {"no/such/out", "No such file"}},
      {"OutputIsAFolder", {"generate", "nice:d=8", "-o", "."}, {"'.'"}},
      {"UnknownMethod",
       {"learn", "nice", "--method", "sculp", "-o", "out"},
       {"sculp", "did you mean 'sculpt'"},
       {}},
      {"UnknownOption", {"learn", "nice", "--method", "sculpt:foo=1", "-o", "out"}, {"foo", "it has"}},
      {"TwoMethods", {"learn", "nice", "--method", "sculpt", "--method", "sculpt"}, {"one method"}},
      {"HeadsZero", {"learn", "nice", "--heads", "0", "-o", "out"}, {"--heads 0", "1 .. 4096"}},
      {"HeadsNegative", {"learn", "nice", "--heads=-2", "-o", "out"}, {"--heads -2", "1 .. 4096"}},
      {"HeadsWord", {"learn", "nice", "--heads", "two", "-o", "out"}, {"--heads two", "integer"}},
      {"HoldoutOne", {"learn", "nice", "--holdout", "1", "-o", "out"}, {"--holdout 1", "below 1"}},
      {"HoldoutNan", {"learn", "nice", "--holdout", "nan", "-o", "out"}, {"--holdout nan", "below 1"}},
      {"SeedNegative", {"learn", "nice", "--seed=-1"}, {"--seed -1", "0 .."}},
      {"ThreadsZero", {"learn", "nice", "--threads", "0"}, {"--threads 0", "1 .. 1024"}},
      {"TimeLimitZero", {"learn", "nice", "--time-limit", "0"}, {"--time-limit 0", "above 0"}},
      {"MemoryLimitWord", {"learn", "nice", "--memory-limit", "3X"}, {"--memory-limit 3X", "bytes"}},
      {"RecoveryNan", {"learn", "nice", "--recovery", "nan"}, {"--recovery nan", "above 0"}},
      {"SampleNone", {"sample", "nice", "-n", "0", "-o", "out"}, {"--count 0", "1 .."}},
      {"SampleMoreThanThereAre", {"sample", bad, "-n", "51", "-o", "out"}, {"51", "50"}, {{bad, good}}},
      {"CompareOneToken", {"compare", "nice:k=1"}, {"k = 1", "attention is constant"}},
      {"CompareUnknownFamily", {"compare", "nice", "hard"}, {"hard"}},
      {"InspectMissing", {"inspect", "none"}, {"none"}},
      {"CertifyADataSet", {"certify", bad}, {bad, "holds no layer"}, {{bad, good}}},
      {"CertifyNanInTheta", {"certify", bad}, {bad, "head 0: theta[0,0] is", "nan"}, {{bad, nan_layer}}},
      {"CertifyUnknownConstant",
       {"certify", "nice", "--constant", "theta_column=2", "--constant", "w_rank=2"},
       {"'w_rank'", "it has: theta_incoherence"},
       {}},
      {"CertifyConstantZero",
       {"certify", "nice", "--constant", "theta_norm=0"},
       {"theta_norm=0", "1e-09 .."},
       {}},
      {"CertifyConstantTwice",
       {"certify", "nice", "--constant", "theta_norm=1", "--constant", "theta_norm=2"},
       {"'theta_norm' comes twice"},
       {}},
      {"CertifyConstantWithoutValue", {"certify", "nice", "--constant", "theta_norm"}, {"key=value"}},
      {"SweepMissing", {"sweep", "none.toml", "--out", "out"}, {"sweep 'none.toml'", "no such file"}},
      {"SweepUnknownKey",
       {"sweep", bad, "--out", "out"},
       {bad, "line 1", "'seed'", "'seeds'"},
       {{bad, "seed = 3\n"}}},
      {"SweepThatTellsNobody",
       {"sweep", bad, "--out", "out"},
       {bad, "line 4", "'tolerance'", "by values"},
       {{bad, "[[grid]]\nsource = 'nice'\nmethod = 'phase1'\ntolerance = 1e-3\n"}}},
      {"SweepThatTellsNobodyInAnyGrid",
       {"sweep", bad, "--out", "out"},
       {bad, "line 1", "'budget'", "by values"},
       {{bad, "budget = 9\n[[grid]]\nsource = 'nice'\nmethod = 'phase1'\n"}}},
      {"SweepExamplesOfLearnersByValues",
       {"sweep", bad, "--out", "out"},
       {bad, "line 4", "'examples'", "by examples"},
       {{bad, "[[grid]]\nsource = 'nice'\nmethod = 'mobius'\nexamples = 9\n"}}},
      {"SweepTooManyRuns",
       {"sweep", bad, "--out", "out"},
       {bad, "2000000 runs", "at most 1000000"},
       {{bad, "seeds = 1000000\n[[grid]]\nsource = ['nice', 'parity']\n"}}},
      {"SweepIntoAFile",
       {"sweep", bad, "--out", bad},
       {"'" + bad + "'", "not a folder"},
       {{bad, "[[grid]]\nsource = 'nice'\n"}}},
      {"SweepNoJobs",
       {"sweep", bad, "--out", "out", "--jobs", "0"},
       {"--jobs 0", "1 .. 256"},
       {{bad, "grid = 1"}}},
      {"ReproduceWhatIsNoClaim", {"reproduce", "R20", "--out", "none"}, {"experiment 'R20'", "R2"}},
      {"ReproduceIntoAFile",
       {"reproduce", "R5", "--quick", "--out", bad},
       {bad, "is not a folder"},
       {{bad, "{}"}}},
      {"ReproduceNowhere", {"reproduce"}, {"--out is required"}},
      {"ReportOfANameTooLong", {"report", std::string(300, 'a')}, {"verdicts.json", "journal.jsonl"}},
      {"ReportOfNoFolder", {"report", "none"}, {"'none'", "verdicts.json", "journal.jsonl"}},
      {"ReportOfAFile", {"report", bad}, {bad, "verdicts.json", "journal.jsonl"}, {{bad, "{}"}}},
      {"SuiteDigestUnknownFamily", {"suite", "nise"}, {"nise", "did you mean 'nice'"}},
      {"CertifyTokensZero", {"certify", "nice", "--tokens", "0"}, {"--tokens 0", "1 .. 4096"}},
      {"CertifyASpecWithHeads", {"certify", "nice", "--num-heads", "3"}, {"--num-heads", "'nice' is none"}},
      {"CertifyASpecAtAnOffset", {"certify", "nice", "--at", "-8"}, {"--at -8", "'nice' is one layer"}},
      {"CertifySeveralSpecsToAFile",
       {"certify", "nice", "--seeds", "3", "--csv", "out"},
       {"--csv out", "'nice' is one layer"}},
      {"CertifyHeadsOfSeveralSpecs", {"certify", "nice", "--seeds", "3", "--all"}, {"--all", "--seeds 3"}},
      {"InspectDataWithHeads", {"inspect", bad, "--num-heads", "2"}, {"--num-heads", bad}, {{bad, good}}},
      {"InspectDataWithTokens",
       {"inspect", bad, "--tokens", "2"},
       {"--tokens 2", "--canonical"},
       {{bad, good}}},
      {"SampleASpecOfAnArchitecture",
       {"sample", "nice", "-n", "9", "-o", "out", "--arch", "gpt2"},
       {"--arch", "'nice' is none"}},
      {"PolicyOfExactAnswers",
       {"learn", "nice", "--method", "mobius", "--policy", "worst"},
       {"policy = worst", "answers are exact"}},
  };
}

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, ExitWithTwoSayWhyAndLeaveNothing) {
  expect_refusal(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Table, BadInputs, testing::ValuesIn(bad_inputs()), row_name);

}  // namespace
}  // namespace hardhead::app
