#include "lwe/files/instance_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/lwe/recipe.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

void expect_equal(const Challenge& x, const Challenge& y) {
  EXPECT_EQ(x.samples.a, y.samples.a);
  EXPECT_EQ(x.samples.b, y.samples.b);
  EXPECT_EQ(x.parameters.n, y.parameters.n);
  EXPECT_EQ(x.parameters.q, y.parameters.q);
  EXPECT_NEAR(x.parameters.sigma, y.parameters.sigma, 1e-15 * y.parameters.sigma);
}

TEST(JsonChallenge, ComesBackExactlyForEveryProblem) {
  const ScratchFolder folder;
  for (const char* spec :
       {"lwe:n=5,samples=9", "lwe:n=5,noise=binary,sigma=0,secret=ternary", "lwr:n=5,q=257,p=16",
        "lpn:n=9,rate=0.25", "lwe:n=9,secret=fixed-weight,weight=2"}) {
    const Challenge challenge = challenge_of(spec);
    write_json_challenge(folder.path("c.json"), challenge);
    const Challenge back = read_challenge(folder.path("c.json"));
    expect_equal(back, challenge);
    EXPECT_EQ(back.parameters, challenge.parameters) << spec;
    EXPECT_EQ(content_digest(back), content_digest(challenge));
  }
}

TEST(Darmstadt, ComesBackExactly) {
  const ScratchFolder folder;
  const Challenge challenge = challenge_of("lwe:n=6,q=1601,sigma=8.005,samples=20");
  write_darmstadt(folder.path("c.txt"), challenge);
  expect_equal(read_challenge(folder.path("c.txt")), challenge);
  for (const char* spec : {"lwr:n=4", "lpn:n=4", "lwe:n=4,secret=binary", "lwe:n=4,noise=binary,sigma=0"})
    EXPECT_THROW(write_darmstadt(folder.path("d.txt"), challenge_of(spec)), InputError) << spec;
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(Darmstadt, KeepsSigmaWhateverTheModulus) {
  const ScratchFolder folder;
  for (const char* parameters : {"q=97,sigma=3.2", "q=12289,sigma=3.2", "q=1601,sigma=8.005",
                                 "q=4093,sigma=1.1", "q=65537,sigma=2.718281828459045", "q=2048,sigma=0.7",
                                 "q=8191,sigma=3.3", "q=1048583,sigma=19.999999999999996"}) {
    const Challenge challenge = challenge_of(fmt::format("lwe:n=3,samples=4,{}", parameters));
    write_darmstadt(folder.path("c.txt"), challenge);
    EXPECT_EQ(content_digest(read_challenge(folder.path("c.txt"))), content_digest(challenge)) << parameters;
  }
}

TEST(Solution, ComesBackExactly) {
  const ScratchFolder folder;
  write_solution(folder.path("s.json"), {"abc", {1, 0, 96}});
  const Solution back = read_solution(folder.path("s.json"), 97);
  EXPECT_EQ(back.instance, "abc");
  EXPECT_EQ(back.secret, (std::vector<Residue>{1, 0, 96}));
}

struct Malformed {
  std::string name, text, says;
};

class MalformedChallenge : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedChallenge, IsRefusedWithThePlace) {
  const ScratchFolder folder;
  folder.write("bad", GetParam().text);
  try {
    read_challenge(folder.path("bad"));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder.path("bad")));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
  }
}

std::string json(const std::string& from = "", const std::string& to = "") {
  std::string text = R"({"schema":"hardhead.lwe/1","problem":"lwr","n":2,"q":16,"secret":"uniform","p":2,)"
                     R"("a":[[1,2],[3,4]],"b":[0,1],)"
                     R"("sha256":"0"})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Files, MalformedChallenge,
    testing::Values(
        Malformed{"Empty", "", "neither JSON"},
        Malformed{"Binary", std::string("\x00\x01\xff", 3), "neither JSON"},
        Malformed{"Letters", "n=2", "neither JSON"},
        Malformed{"EndsAfterN", "2\n", "offset 2: m is expected, the file ends"},
        Malformed{"NotANumber", "2\n3x\n", "offset 2: m '3x' is not an integer"},
        Malformed{"ZeroN", "0\n1\n7\n0.5\n", "offset 0: n '0' is not an integer in 1 .. 4096"},
        Malformed{"HugeN", "99999999999999999999\n", "is not an integer in 1 .. 4096"},
        Malformed{"HugeM", "2\n999999999999\n7\n0.5\n", "offset 2: m '999999999999'"},
        Malformed{"ModulusOne", "2\n1\n1\n0.1\n[1]\n[[1 2]]", "q '1' is not an integer in 2 .. 4294967296"},
        Malformed{"NegativeAlpha", "2\n1\n7\n-0.5\n[1]\n[[1 2]]", "sigma=-3.5"},
        Malformed{"AlphaNan", "2\n1\n7\nnan\n[1]\n[[1 2]]", "offset 6: alpha 'nan' is not a finite number"},
        Malformed{"ClaimsMoreThanThereIs", "4000\n1000000\n7\n0.5\n[1]\n[[1 2]]", "do not fit into the"},
        Malformed{"LabelNotReduced", "2\n1\n7\n0.5\n[7]\n[[1 2]]",
                  "offset 11: a label '7' is not an integer in -6 .. 6"},
        Malformed{"NegativeCoefficient", "2\n1\n7\n0.5\n[6]\n[[1 -7]]",
                  "a coefficient '-7' is not an integer in -6 .. 6"},
        Malformed{"TooManyLabels", "2\n1\n7\n0.5\n[6 5]\n[[1 2]]", "']' of the labels is expected, not '5'"},
        Malformed{"RowTooShort", "2\n1\n7\n0.5\n[6]\n[[1]]   ", "a coefficient is expected, not ']'"},
        Malformed{"RowTooLong", "2\n1\n7\n0.5\n[6]\n[[1 2 3]]", "']' of a row is expected, not '3'"},
        Malformed{"MatrixOpen", "2\n1\n7\n0.5\n[6]\n[[1 2]", "']' of the matrix is expected, the file ends"},
        Malformed{"TextAfterTheEnd", "2\n1\n7\n0.5\n[6]\n[[1 2]] x", "the end is expected, not 'x'"},
        Malformed{"JsonCutOff", "{\"schema\":", "not JSON at offset 10"},
        Malformed{"JsonOtherSchema", json("lwe/1", "lwe/2"), "schema: 'hardhead.lwe/1' is expected"},
        Malformed{"JsonProblemUnknown", json("lwr", "rlwe"), "unknown problem 'rlwe'"},
        Malformed{"JsonKeyMissing", json("\"p\":2,", ""), "p: is missing"},
        Malformed{"JsonKeyOfWrongType", json("\"n\":2", "\"n\":\"2\""), "n: string is not an integer"},
        Malformed{"JsonPOutOfRange", json("\"p\":2", "\"p\":99"), "p=99 is not in 2 .. q=16"},
        Malformed{"JsonRowTooShort", json("[1,2]", "[1]"), "a: a row of 1 coefficients; n=2"},
        Malformed{"JsonRowsNotAList", json("[[1,2],[3,4]]", "7"), "a: a list is expected"},
        Malformed{"JsonCoefficientNotReduced", json("[1,2]", "[1,16]"),
                  "sample 0: coefficient 16 is not below q=16"},
        Malformed{"JsonCoefficientNegative", json("[1,2]", "[1,-10000000]"),
                  "a: -10000000 is not an integer in -q + 1 .. 2^32 - 1"},
        Malformed{"JsonCoefficientNested",
                  json("[1,2]", "[1," + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "]"),
                  "nested too deeply"},
        Malformed{"JsonCoefficientFraction", json("[1,2]", "[1,0.5]"), "a: 0.5 is not an integer"},
        Malformed{"JsonLabelTooLarge", json("[0,1]", "[0,2]"), "sample 1: label 2 is not below 2"},
        Malformed{"JsonFewerLabels", json("[0,1]", "[0]"), "4 coefficients and 1 labels"},
        Malformed{"JsonDigestWrong", json(), "sha256: '0' is not that of the content"}),
    [](const auto& row) { return row.param.name; });

TEST(ReadChallenge, TellsAMissingFileAndAFolder) {
  const ScratchFolder folder;
  for (const std::string& path : {folder.path("missing"), folder.path()})
    EXPECT_THROW(read_challenge(path), InputError) << path;
}

}  // namespace
}  // namespace hardhead::lwe
