#include "tests/app/bad_input.h"

namespace hardhead::app {
namespace {

constexpr const char* grid = "[[grid]]\nsource = 'nice'\n";

class BadInputsOfStudies : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputsOfStudies, AreRefused) {
  expect_refusal(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadInputsOfStudies,
    testing::Values(
        BadInput{"ArgumentOfDemo", {"demo", "x"}, {"not expected: x"}},
        BadInput{"ArgumentOfFamilies", {"families", "x"}, {"family or learner 'x'"}},
        BadInput{"ManualOfOneCommand", {"help", "learn", "--man"}, {"help learn", "of the whole program"}},
        BadInput{"HelpOfNoCommand", {"help", "lern", "--json"}, {"lern", "did you mean 'learn'"}},
        BadInput{"TwoFormatsOfHelp",
                 {"help", "--json", "--markdown"},
                 {"--json", "--markdown", "one can be asked for"}},
        BadInput{"ArgumentOfDoctor", {"doctor", "x"}, {"not expected: x"}},
        BadInput{"NoShell", {"completion"}, {"SHELL is required"}},
        BadInput{"ValueOfASwitch", {"learn", "nice", "--require-recovery=no"}, {"require-recovery"}},
        BadInput{"GenerateNowhere", {"generate", "nice"}, {"--output is required"}},
        BadInput{"GenerateToNoName", {"generate", "nice", "-o", ""}, {"--output ''", "file name"}},
        BadInput{"GenerateTooLarge", {"generate", "nice:d=4096", "-o", "out"}, {"d=4096", "1 .. 1024"}},
        BadInput{"GenerateNothing", {"generate", "", "-o", "out"}, {"spec ''", "column 1", "a name"}},
        BadInput{
            "GenerateTwice", {"generate", "nice:d=8,d=8", "-o", "out"}, {"column 10", "'d' comes twice"}},
        BadInput{"SampleAWord", {"sample", "nice", "-n", "abc", "-o", "out"}, {"--count abc", "an integer"}},
        BadInput{
            "SampleIntoNoFolder", {"sample", "nice", "-n", "9", "-o", "no/out"}, {"no/out", "No such file"}},
        BadInput{"InspectAFolder", {"inspect", "."}, {"'.'", "is a folder"}},
        BadInput{"InspectADevice", {"inspect", "/dev/null"}, {"/dev/null", "not a regular file"}},
        BadInput{"InspectWritesNoLayer", {"inspect", "nice", "-o", "x"}, {"-o x", "--canonical"}},
        BadInput{"InspectTooManyColumns",
                 {"inspect", "nice:d=32,m=8", "--jacobian"},
                 {"d = 32, m = 8", "16384 columns", "1200"}},
        BadInput{"CanonicalFormOfNothing", {"inspect", "nixe", "--canonical"}, {"'nixe'", "nice"}},
        BadInput{"CertifyNothing", {"certify", "none.safetensors"}, {"none.safetensors", "No such file"}},
        BadInput{"UnknownSuite", {"suite", "nice-v0"}, {"suite 'nice-v0'", "nice-v1"}},
        BadInput{"VerifyUnknownSuite", {"suite", "x", "--verify"}, {"suite 'x'", "parity-v1"}},
        BadInput{"ExamplesInWords", {"learn", "nice", "--examples", "ten"}, {"--examples ten", "an integer"}},
        BadInput{"SeedTooLarge",
                 {"learn", "nice", "--seed", "9223372036854775808"},
                 {"--seed 9223372036854775808", "0 .. 9223372036854775807"}},
        BadInput{"RouteUnknown",
                 {"learn", "nice", "--method", "sculpt:hull=best"},
                 {"hull=best", "practical | paper"}},
        BadInput{"OptionUnknown", {"learn", "nice", "--method", "sculpt:hul=paper"}, {"hul", "hull"}},
        BadInput{"ExamplesForALearnerByValues",
                 {"learn", "nice", "--method", "mobius", "--examples", "100"},
                 {"examples = 100", "mobius asks for values"}},
        BadInput{"ABudgetForALearnerByExamples",
                 {"learn", "nice", "--budget", "100"},
                 {"budget", "sculpt learns from examples"}},
        BadInput{"QueriesOfALearnerByExamples",
                 {"learn", "nice", "--save", "x"},
                 {"--save x", "asks for no values"}},
        BadInput{
            "NoCommandToRun", {"learn", "nice", "--method", "exec:"}, {"exec:", "a command is expected"}},
        BadInput{"TooLittleMemory",
                 {"learn", "nice", "--memory-limit", "1K"},
                 {"more than the memory limit of 1.02e+03 bytes", "predicted"},
                 {},
                 3},
        BadInput{"TooManyTuples",
                 {"learn", "nice:d=16,m=8", "--method", "paper", "--heads", "8", "--quiet"},
                 {"tuples of heads", "tuples=2e+07"},
                 {},
                 3},
        BadInput{"CompareNothing", {"compare"}, {"SPEC is required"}},
        BadInput{"BestWantsMoreThanSeeds",
                 {"best", "nice", "--seeds", "3", "--wanted", "4"},
                 {"--wanted 4", "at most --seeds 3"}},
        BadInput{"FewestExamplesOfALearnerByValues",
                 {"fewest", "nice:k=2", "--method", "mobius"},
                 {"examples = 100", "mobius asks for values"}},
        BadInput{"CompareExamplesForLearnersByValuesAlone",
                 {"compare", "nice:k=2", "--method", "mobius", "--examples", "100"},
                 {"examples = 100", "mobius asks for values"}},
        BadInput{
            "CompareABudgetForLearnersByExamplesAlone", {"compare", "nice", "--budget", "9"}, {"budget"}},
        BadInput{"BestOfASingleToken", {"best", "low-rank:k=1,d=8"}, {"k = 1", "k >= 2 is needed"}},
        BadInput{"BestOfASingleTokenByGaussNewton",
                 {"best", "nice:k=1,d=8", "--method", "gauss-newton"},
                 {"k = 1"}},
        BadInput{"HardnessOfASingleToken", {"hardness", "nice:k=1"}, {"k = 1", "k >= 2 is needed"}},
        BadInput{"BestOfASuite", {"best", "suite:nice-v1"}, {"'suite:nice-v1'", "fresh layers"}},
        BadInput{"HardnessOfNothing", {"hardness"}, {"SPEC is required"}},
        BadInput{"HardnessOfAFile", {"hardness", "layer.safetensors"}, {"'layer.safetensors'", "not a file"}},
        BadInput{"HardnessOfNoFamily", {"hardness", "partiy:d=20"}, {"partiy", "parity"}},
        BadInput{
            "HardnessTolerance", {"hardness", "parity:d=20,m=6", "--tau", "0"}, {"tau=0", "not positive"}},
        BadInput{"HardnessToleranceNoNumber",
                 {"hardness", "parity:d=20,m=6", "--tau", "x"},
                 {"--tau x", "a rational p/q or a decimal"}},
        BadInput{"ComparePolicyOfExactAnswers",
                 {"compare", "nice", "--method", "phase1", "--method", "mobius", "--policy", "grid"},
                 {"policy = grid", "answers are exact"}},
        BadInput{"CompareNoSeeds", {"compare", "nice", "--seeds", "0"}, {"--seeds 0", "1 .. 100000"}},
        BadInput{
            "CompareNoPhase", {"compare", "nice", "--measure", "hull"}, {"--measure hull", "PHASE.NAME"}},
        BadInput{"CompareIntoAFolder",
                 {"compare", "nice", "--journal", "."},
                 {"journal '.'", "not a regular file"}},
        BadInput{"CompareIntoAnotherFile",
                 {"compare", "nice", "--journal", "j"},
                 {"journal 'j', line 1", "not JSON at offset 0"},
                 {{"j", "hello\n"}}},
        BadInput{"CompareIntoNestedLines",
                 {"compare", "nice", "--journal", "j"},
                 {"journal 'j', line 1", "nested too deeply"},
                 {{"j", "[[[[[[]]]]]]\n"}}},
        BadInput{"SweepNowhere", {"sweep", "s.toml"}, {"--out is required"}, {{"s.toml", grid}}},
        BadInput{
            "SweepToNoName", {"sweep", "s.toml", "--out", ""}, {"--out ''", "a folder"}, {{"s.toml", grid}}},
        BadInput{"SweepOfJson", {"sweep", "s.toml", "--out", "o"}, {"s.toml', line 1"}, {{"s.toml", "{}"}}},
        BadInput{"SweepOfAFolder", {"sweep", ".", "--out", "o"}, {"sweep '.'", "no such file"}},
        BadInput{"SweepNestedDeeply",
                 {"sweep", "s.toml", "--out", "o"},
                 {"s.toml'", "line 1", "more than 4096 dots"},
                 {{"s.toml", '[' + std::string(70'000, '.') + ']'}}},
        BadInput{
            "ReproduceInNoFolder", {"reproduce", "R5", "--quick", "--out", "f/x"}, {"'f/x'"}, {{"f", ""}}},
        BadInput{"ReportOfNestedVerdicts",
                 {"report", "."},
                 {"verdicts.json", "nested too deeply"},
                 {{"verdicts.json", "[[[[[]]]]]"}}},
        BadInput{"ReportOfAFindingTwice",
                 {"report", "."},
                 {"verdicts.json', entry 1", "an object is expected, not number"},
                 {{"verdicts.json", "[1]"}}},
        BadInput{"ReportOfABrokenSweep",
                 {"report", "."},
                 {"sweep.json", "not a sweep's record"},
                 {{"sweep.json", "[]"}, {"journal.jsonl", ""}}}),
    row_name);

TEST(BadInput, AFolderForTemporaryFilesThatIsNotThereIsNamed) {
  const ScratchFolder folder;
  const TemporaryFilesIn nowhere(folder.path("none"));
  const ProgramResult result = run_program(
      folder.path(), {"learn", "nice:d=6,k=2,m=1", "--method", "exec:true", "--examples", "1000", "--quiet"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(result.err, testing::HasSubstr("TMPDIR: the folder for temporary files"));
}

}  // namespace
}  // namespace hardhead::app
