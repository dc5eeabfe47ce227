#include "study/report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Finding example(const std::string& id) {
  return {.id = id,
          .title = "a title",
          .claim = "x < y & \"z\"",
          .source = "Theorem 1",
          .method = "runs",
          .criterion = "all of them",
          .verdict = Verdict::does_not_hold,
          .reason = "3 of 20",
          .figures = {"f/error"},
          .table = "f/results.csv",
          .fits = "f/fits.csv",
          .setting = "quick",
          .seed = 7,
          .command = "hardhead reproduce " + id,
          .seconds = 1.5,
          .version = "0.1.0"};
}

/// A folder with the files that example() names.
struct FindingFolder : ScratchFolder {
  FindingFolder() {
    std::filesystem::create_directory(path("f"));
    for (const char* name : {"f/error.svg", "f/error.pdf", "f/results.csv", "f/fits.csv"})
      write(name, "something");
  }
};

std::string verdicts_refusal(const std::string& folder) {
  return refusal_of([&] { read_verdicts(folder); });
}

TEST(Finding, IsReadAsItWasWrittenInTheOrderOfItsNumbers) {
  const FindingFolder folder;
  write_verdicts({example("R10"), example("R9"), example("R1")}, folder.path());
  const std::vector<Finding> read = read_verdicts(folder.path());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].id, "R1");
  EXPECT_EQ(read[1].id, "R9");
  EXPECT_EQ(to_json(read[2]), to_json(example("R10")));
}

TEST(Finding, AKeyThatIsMissingOrOfTheWrongTypeIsNamed) {
  const FindingFolder folder;
  const Json whole = to_json(example("R1"));
  for (const auto& [key, value] : whole.items()) {
    if (key == "schema") continue;  // nothing is read from it
    Json broken = whole;
    broken.erase(key);
    folder.write("verdicts.json", Json::array({broken}).dump());
    if (key == "seed")
      EXPECT_EQ(read_verdicts(folder.path()).front().seed, 1u) << "as all were before there was a key";
    else if (key == "fits")
      EXPECT_EQ(read_verdicts(folder.path()).front().fits, "");
    else
      EXPECT_EQ(verdicts_refusal(folder.path()),
                fmt::format("'{}', entry 1, {}: is missing", folder.path("verdicts.json"), key));
    broken = whole;
    broken[key] = Json::object();
    folder.write("verdicts.json", Json::array({whole, broken}).dump());
    EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("entry 2, " + key + ": "));
  }
}

TEST(Finding, HostileValuesAreRefused) {
  const FindingFolder folder;
  const auto refused = [&](const char* key, const Json& value) {
    Json broken = to_json(example("R1"));
    broken[key] = value;
    folder.write("verdicts.json", Json::array({broken}).dump());
    return verdicts_refusal(folder.path());
  };
  EXPECT_EQ(refused("title", "another"), "accepted");
  EXPECT_THAT(refused("verdict", "hold"), HasSubstr("did you mean 'holds'"));
  EXPECT_THAT(refused("setting", "slow"), HasSubstr("one of: quick, full"));
  for (const char* id : {"", "R", "1", "R 1", "R1\"><script>", "R9999999999", "-R1"})
    EXPECT_THAT(refused("id", id), HasSubstr("letters and then a number")) << id;
  for (const char* path : {"../f/error", "/etc/passwd", "f/../../f/error", "f/", ""})
    EXPECT_THAT(refused("figures", Json::array({path})), HasSubstr("a path inside the folder")) << path;
  EXPECT_THAT(refused("table", "../results.csv"), HasSubstr("a path inside the folder"));
  EXPECT_THAT(refused("fits", "../fits.csv"), HasSubstr("a path inside the folder"));
  EXPECT_THAT(refused("fits", "f/none.csv"), HasSubstr("'f/none.csv' is not a file of the folder"));
  EXPECT_THAT(refused("table", "f"), HasSubstr("'f' is not a file of the folder"));
  EXPECT_THAT(refused("figures", Json::array({"f/missing"})), HasSubstr("'f/missing.svg' is not a file"));
  std::filesystem::create_symlink("/etc/passwd", folder.path("f/link.csv"));
  EXPECT_THAT(refused("table", "f/link.csv"), HasSubstr("is not a file of the folder"));
}

TEST(Finding, AFileThatIsNoArrayOfFindingsIsRefused) {
  const FindingFolder folder;
  EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("verdicts.json': there is no regular file"));
  for (const char* text : {"", "{", "{}", "[1", "\xff"}) {
    folder.write("verdicts.json", text);
    EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("a JSON array of findings is expected")) << text;
  }
  folder.write("verdicts.json", std::string(1'000'000, '['));
  EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("nested too deeply"));
  folder.write("verdicts.json", "[1]");
  EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("entry 1: an object is expected, not number"));
  folder.write("verdicts.json", Json::array({to_json(example("R1")), to_json(example("R1"))}).dump());
  EXPECT_THAT(verdicts_refusal(folder.path()), HasSubstr("entry 2: id 'R1' comes twice"));
}

}  // namespace
}  // namespace hardhead::report
