#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {

/// A row of a table of wrong calls: the program is run in a folder of its own.
struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> said;               ///< parts of the message: value, constraint, place
  std::map<std::string, std::string> files{};  ///< in the folder before the run, by name
  int exit = 2;
};

/// $TMPDIR of the programs that are run while this lives.
class TemporaryFilesIn {
 public:
  explicit TemporaryFilesIn(const std::string& folder) {
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFilesIn() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }
  TemporaryFilesIn(const TemporaryFilesIn&) = delete;
  TemporaryFilesIn& operator=(const TemporaryFilesIn&) = delete;

 private:
  std::optional<std::string> before_;
};

/// Every file below a folder with its bytes, every folder with none.
inline std::map<std::string, std::string> content_of(const ScratchFolder& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    const std::string name = std::filesystem::relative(entry.path(), folder.path()).string();
    out[name] = entry.is_regular_file() ? folder.read(name) : "";
  }
  return out;
}

/// The program must exit as the row has it, say why, and leave the folder, and that for temporary files, as
/// they were.
inline void expect_refusal(const BadInput& input) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path("temporary"));
  const TemporaryFilesIn temporary(folder.path("temporary"));
  for (const auto& [name, bytes] : input.files) folder.write(name, bytes);
  const auto before = content_of(folder);

  const ProgramResult result = run_program(folder.path(), input.arguments);

  EXPECT_EQ(result.exit, input.exit) << result.err;
  EXPECT_EQ(result.out, "");
  for (const std::string& part : input.said) EXPECT_THAT(result.err, testing::HasSubstr(part));
  EXPECT_EQ(content_of(folder), before) << "something was left behind or changed";
}

/// TEST_P over a table, one test a row.
inline std::string row_name(const testing::TestParamInfo<BadInput>& row) {
  return row.param.name;
}

}  // namespace hardhead::app
