#include "tests/app/bad_input.h"

namespace hardhead::app {
namespace {

constexpr const char* nested = R"({"schema":"hardhead.lwe/1","a":[[[[1]]]]})";
constexpr const char* darmstadt = "2\n1\n7\n0.5\n[7]\n[[1 2]]\n";

class BadInputsOfLwe : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputsOfLwe, AreRefused) {
  expect_refusal(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadInputsOfLwe,
    testing::Values(
        BadInput{"NoAction", {"lwe"}, {"COMMAND [FLAG ..]", "a command of"}},
        BadInput{"NoOutput", {"lwe", "generate", "lwe:n=4"}, {"--output is required"}},
        BadInput{"UnknownFormat", {"lwe", "generate", "lwe:n=4", "-o", "out"}, {"--output out", ".fplll"}},
        BadInput{"UnknownProblem", {"lwe", "generate", "rlwe:n=8", "-o", "o.json"}, {"'rlwe'", "'lwe'"}},
        BadInput{"NoDimension", {"lwe", "generate", "lwe:n=0", "-o", "o.json"}, {"n=0", "1 .. 4096"}},
        BadInput{"LawOfNoise",
                 {"lwe", "generate", "lwe:Xe=Ternary", "-o", "o.json"},
                 {"Xe='Ternary'", "binomial"}},
        BadInput{"LargeModulus",
                 {"lwe", "generate", "lwe:q=1000000000000", "-o", "o.json"},
                 {"q=1000000000000", "4294967296"}},
        BadInput{
            "NegativeNoise", {"lwe", "generate", "lwe:sigma=-1", "-o", "o.json"}, {"sigma=-1", "0 .. 4096"}},
        BadInput{
            "NoiseNan", {"lwe", "generate", "lwe:sigma=nan", "-o", "o.json"}, {"sigma=nan", "0 .. 4096"}},
        BadInput{
            "FlipsTooOften", {"lwe", "generate", "lpn:rate=0.7", "-o", "o.json"}, {"rate=0.7", "0 .. 0.5"}},
        BadInput{"RoundedToMore", {"lwe", "generate", "lwr:p=99999", "-o", "o.json"}, {"p=99999", "q=16"}},
        BadInput{
            "UnknownSecret", {"lwe", "generate", "lwe:secret=x", "-o", "o.json"}, {"secret=x", "ternary"}},
        BadInput{"NoSamples", {"lwe", "generate", "lwe:samples=0", "-o", "o.json"}, {"samples=0", "1 .."}},
        BadInput{"DarmstadtOfAnotherProblem",
                 {"lwe", "generate", "lpn:n=8", "-o", "o.txt"},
                 {"o.txt", "Darmstadt text is for lwe", "not lpn"}},
        BadInput{
            "NoSuchFolder", {"lwe", "generate", "lwe:n=4", "-o", "no/o.json"}, {"no/o.json", "No such file"}},
        BadInput{"NameTooLong", {"lwe", "attack", std::string(300, 'a') + ".json"}, {"no regular file"}},
        BadInput{"MissingChallenge", {"lwe", "attack", "none.json"}, {"none.json", "no regular file"}},
        BadInput{"NeitherFormat", {"lwe", "attack", "c.json"}, {"c.json", "neither JSON"}, {{"c.json", "x"}}},
        BadInput{
            "CutOff", {"lwe", "attack", "c.json"}, {"c.json", "not JSON at offset 1"}, {{"c.json", "{"}}},
        BadInput{
            "Nested", {"lwe", "attack", "c.json"}, {"c.json", "nested too deeply"}, {{"c.json", nested}}},
        BadInput{"LabelNotReduced",
                 {"lwe", "attack", "c.txt"},
                 {"c.txt", "offset 11", "label '7'", "-6 .. 6"},
                 {{"c.txt", darmstadt}}},
        BadInput{"UnknownAttack",
                 {"lwe", "attack", "lwe:n=4", "--method", "bkv"},
                 {"attack 'bkv'", "'bkw'", "auto, all, exec"}},
        BadInput{"OptionOfAnAttack",
                 {"lwe", "attack", "lwe:n=4", "--method", "kannan:block=3"},
                 {"kannan:block=3", "no options"}},
        BadInput{"TwoAttacks",
                 {"lwe", "attack", "lwe:n=4", "--method", "kannan", "--method", "bkw"},
                 {"--method bkw", "one method", "'kannan'"}},
        BadInput{"NoTime", {"lwe", "attack", "lwe:n=4", "--time-limit", "0"}, {"--time-limit 0", "above 0"}},
        BadInput{"SolutionNowhere", {"lwe", "attack", "lwe:n=4", "-o", "no/s"}, {"no/s", "No such file"}},
        BadInput{"EstimateOfAFile", {"lwe", "estimate", "c.json"}, {"spec 'c.json'", "column 1"}},
        BadInput{"EstimateOfNoNumber", {"lwe", "estimate", "lwe:n=x"}, {"n=x", "1 .. 4096"}},
        BadInput{"DistinguishNice",
                 {"lwe", "distinguish", "nice"},
                 {"'nice'", "one of the families block-parity, parity, lwr, staircase"}},
        BadInput{"DistinguishByNoMethod",
                 {"lwe", "distinguish", "lwr:n=3", "--method", "x"},
                 {"learner or attack 'x'", "auto", "kannan", "sculpt"}},
        BadInput{"DistinguishByValues",
                 {"lwe", "distinguish", "lwr:n=3", "--method", "mobius"},
                 {"mobius", "asks for values"}},
        BadInput{"DistinguishByAnAttackThatIsTold",
                 {"lwe", "distinguish", "lwr:n=3", "--method", "exhaustive", "--heads", "3"},
                 {"heads = 3", "an attack is not told"}},
        BadInput{"DistinguishByAnAttackWithOptions",
                 {"lwe", "distinguish", "lwr:n=3", "--method", "exhaustive:foo=1"},
                 {"exhaustive:foo=1", "no options"}},
        BadInput{"DistinguishByTwo",
                 {"lwe", "distinguish", "lwr:n=3", "--method", "exhaustive", "--method", "sculpt"},
                 {"--method sculpt", "one method", "'exhaustive'"}},
        BadInput{"AttackOnParity",
                 {"lwe", "distinguish", "parity", "--method", "exhaustive"},
                 {"'parity'", "an attack needs a spec of the family lwr"}},
        BadInput{
            "NoTrials", {"lwe", "distinguish", "lwr:n=3", "--trials", "0"}, {"--trials 0", "1 .. 1000000"}},
        BadInput{"DistinguishFromTooFew",
                 {"lwe", "distinguish", "lwr:n=3", "--examples", "2"},
                 {"2 examples", "counting bound"}},
        BadInput{"VerifyOneFile",
                 {"challenge", "verify", "c.json"},
                 {"an answer", "or a folder", "'c.json' given"}},
        BadInput{"VerifyNoSolution",
                 {"challenge", "verify", "c.txt", "none"},
                 {"none", "no regular file"},
                 {{"c.txt", "2\n1\n7\n0.5\n[6]\n[[1 2]]\n"}}},
        BadInput{"VerifyAChallenge",
                 {"challenge", "verify", "c.txt", "s.json"},
                 {"s.json", "hardhead.lwe-solution/1"},
                 {{"c.txt", "2\n1\n7\n0.5\n[6]\n[[1 2]]\n"}, {"s.json", R"({"schema":"hardhead.lwe/1"})"}}}),
    row_name);

}  // namespace
}  // namespace hardhead::app
