#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

json learn(const ScratchFolder& folder, const std::string& command, std::vector<std::string> more = {}) {
  more.insert(more.begin(),
              {"learn", "nice:d=6,k=2,m=1", "--method", "exec:" + command, "--json", "--quiet"});
  const ProgramResult result = run_program(folder.path(), more);
  EXPECT_EQ(result.exit, 0) << result.err;
  return json::parse(result.out);
}

// Writes a safetensors file of f64 tensors: {name: (shape, values)}.
constexpr const char* write_in_python = R"(import json, struct, sys
def write(tensors):
    header, at, data = {}, 0, b''
    for name, (shape, values) in tensors.items():
        data += struct.pack('<%dd' % len(values), *values)
        header[name] = {'dtype': 'F64', 'shape': shape, 'data_offsets': [at, len(data)]}
        at = len(data)
    text = json.dumps(header).encode()
    open(sys.argv[2], 'wb').write(struct.pack('<Q', len(text)) + text + data)
)";

TEST(OutsideLearner, TheExampleInPythonGetsTheRowOfOurOwnPhaseOne) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "NumPy is missing";
  const ScratchFolder folder;
  const std::string script = std::string(HARDHEAD_SOURCE_DIR) + "/examples/6_program.py";
  const ProgramResult result =
      run_program(folder.path(), {"compare", "nice:d=8,k=2,inputs=boolean", "nice:d=6,k=3,inputs=gaussian",
                                  "--method", "exec:/usr/bin/python3 '" + script + "'", "--method", "phase1",
                                  "--examples", "3000", "--seeds", "2", "--json", "--quiet"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const json rows = json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t r = 0; r < 4; r += 2)
    for (std::size_t i = 0; i < 2; ++i) {
      const json &theirs = rows[r]["results"][i], &ours = rows[r + 1]["results"][i];
      EXPECT_EQ(theirs["heads_found"], 1);
      EXPECT_EQ(theirs["phases"][0]["name"], "exec");
      EXPECT_NEAR(theirs["test_error"].get<double>(), ours["test_error"].get<double>(), 1e-9);
      EXPECT_EQ(theirs["null_error"], ours["null_error"]);
    }
}

TEST(OutsideLearner, PredictionsAreScoredOnLabelsItHasNotSeen) {
  const ScratchFolder folder;
  const std::string script = folder.write(
      "zero.py", std::string(write_in_python) + "write({'y_held_back': ([200, 2, 6], [0.0] * 2400)})\n");
  const json report = learn(folder, "/usr/bin/python3 " + script, {"--examples", "2000"});
  EXPECT_EQ(report["test_error"], 1.0) << "predicting zero";
  EXPECT_EQ(report["outcome"], "not_recovered");
  EXPECT_EQ(report["failed_phase"], nullptr);
  EXPECT_EQ(report["heads_found"], nullptr);
  EXPECT_THAT(report["message"], HasSubstr("predictions, held-back error 1"));
}

TEST(OutsideLearner, WhateverItDoesIsAnOutcome) {
  const ScratchFolder folder;
  const auto python = [&](const char* name, const std::string& text) {
    return "/usr/bin/python3 " + folder.write(name, std::string(write_in_python) + text);
  };
  const auto message = [&](const std::string& command) -> std::string {
    const json report = learn(folder, command);
    EXPECT_EQ(report["outcome"], "not_recovered") << command;
    EXPECT_EQ(report["failed_phase"], "exec") << command;
    EXPECT_EQ(report["test_error"], report["null_error"]) << command;
    return report["message"];
  };
  EXPECT_THAT(message("echo first; echo last words >&2; exit 3 #"), HasSubstr("exit code 3: \"last words\""));
  EXPECT_THAT(message("printf '\\377\\033[2J' >&2; exit 1 #"), HasSubstr("exit code 1: \"\\xff\\x1b[2J\""));
  EXPECT_THAT(message("kill -SEGV $$ #"), HasSubstr("signal 11"));
  EXPECT_THAT(message("/no/such/program"), HasSubstr("exit code 127"));
  EXPECT_THAT(message("true"), HasSubstr("result.safetensors"));
  EXPECT_THAT(message("sh -c 'echo nonsense > \"$1\"'"), HasSubstr("cannot be used"));
  EXPECT_THAT(
      message(python("nan.py",
                     "write({'theta': ([1, 6, 6], [0.0] * 36), 'w': ([1, 6, 6], [float('nan')] * 36)})")),
      HasSubstr("nan"));
  EXPECT_THAT(
      message(python("shape.py", "write({'theta': ([1, 5, 5], [0.0] * 25), 'w': ([1, 5, 5], [0.0] * 25)})")),
      HasSubstr("d = 5, not 6"));
  EXPECT_THAT(message(python("rows.py", "write({'y_held_back': ([3, 2, 6], [0.0] * 36)})")),
              HasSubstr("'y_held_back' is not [2000, 2, 6]"));
}

TEST(OutsideLearner, ATimeLimitKillsItAndAMemoryLimitStarvesIt) {
  const ScratchFolder folder;
  const json slow = learn(folder, "sleep 60 && true", {"--time-limit", "0.3"});
  EXPECT_EQ(slow["outcome"], "stopped");
  EXPECT_LT(slow["seconds"], 20);
  const std::string script = folder.write("large.py", "x = bytearray(10 ** 10)\n");
  const json large = learn(folder, "/usr/bin/python3 " + script, {"--memory-limit", "1G"});
  EXPECT_EQ(large["failed_phase"], "exec");
  EXPECT_THAT(large["message"], HasSubstr("MemoryError"));
}

TEST(OutsideLearner, NeedsACommand) {
  const ScratchFolder folder;
  for (const char* method : {"exec:", "exec"}) {
    const ProgramResult result = run_program(folder.path(), {"learn", "nice", "--method", method});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("command"));
  }
}

TEST(OutsideFamily, IsNamedWhereASpecIsAndNotRunForTheSpecOfAFile) {
  const ScratchFolder folder;
  const auto run = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_program(folder.path(), words);
    EXPECT_EQ(result.exit, 0) << words[0] << ": " << result.err;
    return result.out;
  };
  run({"generate", "nice:d=6,k=2,m=1", "-o", "given.safetensors"});
  folder.write("family.sh", "echo \"$5\" >> runs; cp given.safetensors \"$6\"\n");
  const std::string spec = "exec:program=sh family.sh,d=6,k=2,m=1";
  const json rows =
      json::parse(run({"compare", spec, "--method", "gauss-newton", "--seeds", "2", "--examples", "2000",
                       "--journal", "journal.jsonl", "--json", "--quiet"}))["rows"];
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0]["results"].size(), 2u);
  for (const json& result : rows[0]["results"]) EXPECT_EQ(result["outcome"], "recovered") << result.dump();
  EXPECT_THAT(folder.read("runs"), AllOf(HasSubstr("seed=1\n"), HasSubstr("seed=2\n")));
  run({"generate", spec, "-o", "made.safetensors"});
  const std::string runs = folder.read("runs");
  run({"learn", "made.safetensors", "--method", "gauss-newton", "--examples", "2000"});
  EXPECT_EQ(json::parse(run({"inspect", "made.safetensors", "--json"}))["digest_note"],
            "The digest is not checked: its spec runs a program.");
  EXPECT_EQ(folder.read("runs"), runs);
}

}  // namespace
}  // namespace hardhead::app
