#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace hardhead {
namespace {

namespace fs = std::filesystem;

/// What each folder may include besides itself: the arrows of the architecture, which run downwards only.
const std::map<std::string, std::set<std::string>> floors = {
    {"base", {}},
    {"attention", {"base"}},
    {"sq", {"base"}},
    {"lwe", {"base"}},
    {"hardness", {"attention", "lwe", "base"}},
    {"learner", {"attention", "base"}},  // not hardness: a learner sees examples, never the truth
    {"study", {"learner", "hardness", "attention", "sq", "lwe", "base"}},
    {"app", {"study", "learner", "hardness", "attention", "sq", "lwe", "base"}},
    {"python", {"study", "learner", "hardness", "attention", "sq", "lwe", "base"}},
};

std::vector<std::string> included_folders(const fs::path& file) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^/"]+)/[^"]*".*)re");
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, include)) out.push_back(match[1]);
  }
  return out;
}

TEST(Architecture, IncludesRunDownwardsOnly) {
  int seen = 0;
  for (const auto& [folder, allowed] : floors)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARDHEAD_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      for (const std::string& included : included_folders(entry.path())) {
        ++seen;
        EXPECT_TRUE(included == folder || allowed.contains(included))
            << entry.path() << " includes " << included;
      }
    }
  EXPECT_GT(seen, 50) << "the includes were not found";
}

TEST(Architecture, OnlyTheAppPrintsOrExits) {
  static const std::regex forbidden(
      R"re(std::(cout|cerr|clog|exit|quick_exit|abort|getenv)\b|fmt::print|\bstd(out|err)\b|[^_\w](printf|puts|exit|abort)\s*\()re");
  for (const auto& [folder, allowed] : floors) {
    if (folder == "app") continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARDHEAD_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        line.erase(std::min(line.find("//"), line.size()));
        EXPECT_FALSE(std::regex_search(line, forbidden)) << entry.path() << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace hardhead
