#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "attention/files/data_file.h"
#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A number for each line and column, written as NumPy's savetxt does.
std::string csv_of(const std::vector<double>& y, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < y.size(); ++i)
    out += fmt::format("{:.17g}{}", y[i], (i + 1) % columns == 0 ? '\n' : ',');
  return out;
}

TEST(Challenge, WithoutKeepTheSecretIsInNoFile) {
  const ScratchFolder folder;
  const json said =
      run_json(folder, {"challenge", "make", "parity:d=30,m=5", "-n", "500", "-o", "c.safetensors"});
  EXPECT_EQ(said["secret"], nullptr);
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(Challenge, AnAttackOnItsSamplesIsVerified) {
  for (const std::string spec : {"parity:d=30,m=5", "lwr:n=3,q=16,p=2"}) {
    const ScratchFolder folder;
    run_json(folder, {"challenge", "make", spec, "-n", "800", "-o", "c.safetensors"});
    run_json(folder, {"challenge", "data", "c.safetensors", "-n", "500", "-o", "samples.json"});
    run_json(folder, {"lwe", "attack", "samples.json", "-o", "solution.json"});
    const ProgramResult verdict =
        run_program(folder.path(), {"challenge", "verify", "c.safetensors", "solution.json"});
    EXPECT_EQ(verdict.exit, 0) << verdict.out << verdict.err;
    EXPECT_THAT(verdict.out, HasSubstr("RIGHT: every label of the 512 test inputs is right"));
  }
}

// What a kill leaves between the renames of 'challenge make': the new secret beside the old challenge.
TEST(Challenge, TheSecretOfALaterOneIsRefused) {
  for (const auto& [spec, challenge, secret] : std::initializer_list<std::array<std::string, 3>>{
           {"parity:d=30,m=5", "c.safetensors", "s.json"},
           {"nice:d=6,k=2,m=1", "c.safetensors", "s.safetensors"},
           {"lwe:n=8,q=97,sigma=1,samples=60", "c.json", "s.json"}}) {
    const ScratchFolder folder;
    std::vector<std::string> make{"challenge", "make", spec, "-o", challenge, "--keep", secret};
    if (!spec.starts_with("lwe")) make.insert(make.end(), {"-n", "300"});
    const auto verify = [&] {
      return run_program(folder.path(), {"challenge", "verify", challenge, secret});
    };
    run_json(folder, make);
    EXPECT_EQ(verify().exit, 0) << spec;
    const std::string old = folder.read(challenge);
    run_json(folder, make);
    folder.write(challenge, old);
    const ProgramResult verdict = verify();
    EXPECT_EQ(verdict.exit, 4) << spec << verdict.out << verdict.err;
    EXPECT_THAT(verdict.out, HasSubstr("WRONG: ")) << spec;
  }
}

TEST(Challenge, ALearnerOnItsExamplesIsVerified) {
  const ScratchFolder folder;
  run_json(folder, {"challenge", "make", "nice:d=6,k=2,m=1", "-n", "300", "-o", "c.safetensors", "--keep",
                    "layer.safetensors"});
  run_json(folder, {"challenge", "data", "c.safetensors", "-o", "training.safetensors"});
  run_json(folder, {"learn", "training.safetensors", "--method", "gauss-newton", "--heads", "1", "-o",
                    "learnt.safetensors"});
  for (const char* answer : {"layer.safetensors", "learnt.safetensors"}) {
    const ProgramResult verdict =
        run_program(folder.path(), {"challenge", "verify", "c.safetensors", answer});
    EXPECT_EQ(verdict.exit, 0) << verdict.out << verdict.err;
  }
}

TEST(Challenge, ARightFileOfLabelsExitsWith0AndEachOfTenWrongOnesWith4) {
  const ScratchFolder folder;
  run_json(folder,
           {"challenge", "make", "parity:d=12,m=3", "-n", "50", "-o", "c.safetensors", "--keep", "s.json"});
  run_json(folder, {"challenge", "data", "c.safetensors", "--test", "-o", "test.safetensors"});
  const attention::SafetensorsFile test(folder.path("test.safetensors"));
  const json secret = json::parse(folder.read("s.json"))["secret"];
  std::vector<double> right;
  for (std::int64_t n = 0; n < test.tensor("x").shape[0]; ++n) {
    const auto x = [&](std::int64_t r, std::int64_t f) {
      return attention::SafetensorsFile::element(test.tensor("x"), (n * 2 + r) * 12 + f);
    };
    double parity = 1;
    for (std::int64_t f = 0; f < 11; ++f)
      if (secret[static_cast<std::size_t>(f)] == 1) parity *= x(0, f) * x(1, f);
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t f = 0; f < 12; ++f)
        right.push_back(f == 0 && x(0, 11) != x(1, 11) ? -2 * x(r, 11) * parity : 0);
  }
  const auto exit_of = [&](const std::vector<double>& y) {
    folder.write("y.csv", csv_of(y, 24));
    return run_program(folder.path(), {"challenge", "verify", "c.safetensors", "y.csv"}).exit;
  };
  EXPECT_EQ(exit_of(right), 0);
  std::size_t label = 0;
  for (int wrong = 0; wrong < 10; ++wrong) {
    while (right[label] == 0) label += 24;
    std::vector<double> y = right;
    y[label] = -y[label];
    y[label + 12] = -y[label + 12];
    EXPECT_EQ(exit_of(y), 4) << "label " << label / 24;
    label += 24;
  }
}

TEST(Challenge, WrongCallsAreRefused) {
  const ScratchFolder folder;
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "challenge");
    const ProgramResult result = run_program(folder.path(), arguments);
    EXPECT_EQ(result.exit, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(refusal({"make", "parity", "-o", "c.safetensors"}), HasSubstr("--count"));
  EXPECT_THAT(refusal({"make", "parity", "-n", "9", "-o", "c.json"}), HasSubstr(".safetensors is expected"));
  EXPECT_THAT(refusal({"make", "parity:seed=1", "-n", "9", "-o", "c.safetensors"}), HasSubstr("has no seed"));
  EXPECT_THAT(refusal({"make", "nice", "-n", "9", "-o", "c.safetensors", "--keep", "s.json"}),
              HasSubstr("'s.json': a name that ends in .safetensors"));
  EXPECT_THAT(refusal({"make", "lwe:n=4,samples=20", "-n", "9", "-o", "c.json"}), HasSubstr("samples=20"));
  EXPECT_THAT(refusal({"verify", "nowhere"}), HasSubstr("nowhere"));
  EXPECT_EQ(folder.file_count(), 0);
  run_json(folder, {"challenge", "make", "parity:d=12,m=3", "-n", "50", "-o", "c.safetensors"});
  EXPECT_THAT(refusal({"verify", "c.safetensors"}), HasSubstr("a challenge and an answer are expected"));
  EXPECT_THAT(refusal({"verify", "c.safetensors", "c.safetensors"}), HasSubstr("theta"));
  EXPECT_THAT(refusal({"data", "c.safetensors", "-n", "51", "-o", "x.json"}),
              HasSubstr("50 training examples"));
}

// docs/challenges/README.md shows what the program prints.
TEST(Challenge, TheReadmeOfTheLadderShowsItAsItIs) {
  const std::string top = HARDHEAD_SOURCE_DIR;
  std::ifstream in(top + "/docs/challenges/README.md");
  const std::string readme{std::istreambuf_iterator<char>(in), {}};
  const ProgramResult list = run_program(top, {"challenge", "verify"});
  ASSERT_EQ(list.exit, 0) << list.err;
  EXPECT_THAT(readme, HasSubstr("```\n" + list.out + "```"));
}

}  // namespace
}  // namespace hardhead::app
