#include "tests/app/bad_input.h"

namespace hardhead::app {
namespace {

class BadInputsOfSq : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputsOfSq, AreRefused) {
  expect_refusal(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadInputsOfSq,
    testing::Values(
        BadInput{"NoAction", {"sq"}, {"COMMAND [FLAG ..]", "a command of"}},
        BadInput{"NoSpec", {"sq", "play"}, {"SPEC is required"}},
        BadInput{"FlagOfAnotherCommand", {"sq", "play", "parity", "--gamma", "1"}, {"--gamma"}},
        BadInput{"MistypedFlag", {"sq", "play", "parity", "--toleranc", "1"}, {"did you mean '--tolerance'"}},
        BadInput{
            "GameOnAnotherClass", {"sq", "play", "parities:n=3"}, {"'parities:n=3'", "parity:d=..,m=.."}},
        BadInput{"HiddenSetTooLarge", {"sq", "play", "parity:d=3,m=3"}, {"m=3", "d-1=2"}},
        BadInput{"TooManyBits", {"sq", "play", "parity:d=40"}, {"d=40 is more than 24"}},
        BadInput{"ToleranceZero", {"sq", "play", "parity", "--tolerance", "0"}, {"tau=0", "(0, 1]"}},
        BadInput{"ToleranceTwo", {"sq", "play", "parity", "--tolerance", "2"}, {"tau=2", "(0, 1]"}},
        BadInput{"ToleranceOverZero",
                 {"sq", "play", "parity", "--tolerance", "1/0"},
                 {"--tolerance 1/0", "p/q or a decimal"}},
        BadInput{"ToleranceNoNumber",
                 {"sq", "bound", "parity", "--tolerance", "."},
                 {"--tolerance .", "p/q or a decimal"}},
        BadInput{"ToleranceNegative",
                 {"sq", "dimension", "parity", "--tolerance=-0.5"},
                 {"--tolerance -0.5", "p/q or a decimal"}},
        BadInput{"UnknownOracle", {"sq", "play", "parity", "--oracle", "sta"}, {"oracle 'sta'", "'stat'"}},
        BadInput{"UnknownPolicy", {"sq", "play", "parity", "--policy", "kind"}, {"policy 'kind'", "honest"}},
        BadInput{
            "UnknownLearner", {"sq", "play", "parity", "--learner", "x"}, {"learner 'x'", "correlation"}},
        BadInput{"AdversaryWithSamples",
                 {"sq", "play", "parity", "--oracle", "one-stat", "--policy", "adversarial"},
                 {"one-stat", "their policy is honest"}},
        BadInput{"UnknownClass", {"sq", "dimension", "none"}, {"class 'none'", "thresholds"}},
        BadInput{"ClassTooLarge", {"sq", "dimension", "parities:n=20"}, {"n=20", "1 .. 12"}},
        BadInput{"SetsLargerThanBits", {"sq", "dimension", "subsets:n=3,m=9"}, {"m=9", "0 .. 3"}},
        BadInput{"TooManyMembers", {"sq", "dimension", "subsets:n=24,m=12"}, {"2704156 members", "4096"}},
        BadInput{"UnknownDefinition",
                 {"sq", "dimension", "parity", "--definition", "pair"},
                 {"definition 'pair'", "one of: pairwise"}},
        BadInput{"GammaWhereThereIsNone",
                 {"sq", "dimension", "parity", "--gamma", "1/2"},
                 {"--gamma 1/2", "'pairwise' has none"}},
        BadInput{"GammaTooLarge",
                 {"sq", "dimension", "parity:d=12,m=3", "--definition", "average", "--gamma", "2"},
                 {"gamma=2", "(0, E[f^2]=1/2]"}},
        BadInput{"AlphaZero", {"sq", "bound", "parity", "--alpha", "0"}, {"alpha=0", "(0, 1]"}},
        BadInput{"DeltaNegative", {"sq", "bound", "parity", "--delta=-1"}, {"delta=-1", "(0, 1]"}},
        BadInput{"BoundOfNoHiddenSet", {"sq", "bound", "parity:m=30"}, {"m=30", "d-1=19"}},
        BadInput{"BoundOfAClassTooLarge", {"sq", "bound", "points:n=99"}, {"n=99", "1 .. 12"}}),
    row_name);

}  // namespace
}  // namespace hardhead::app
