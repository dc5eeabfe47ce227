#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace hardhead {
namespace {

namespace fs = std::filesystem;

using Floors = std::map<std::string, std::set<std::string>>;

/// What each folder may include besides itself: the arrows of the architecture, which run downwards only.
const Floors floors = {
    {"base", {}},
    {"attention", {"base"}},
    {"sq", {"base"}},
    {"lwe", {"base"}},
    {"hardness", {"attention", "sq", "lwe", "base"}},
    {"learner", {"attention", "base"}},  // not hardness: a learner never sees the truth
    {"study", {"learner", "hardness", "attention", "base"}},
    {"experiments", {"study", "learner", "hardness", "attention", "sq", "lwe", "base"}},
    {"app", {"experiments", "study", "learner", "hardness", "attention", "sq", "lwe", "base"}},
    {"python", {"experiments", "study", "learner", "hardness", "attention", "sq", "lwe", "base"}},
};

/// The floors within a floor: what each of its folders may include of the others. A name without a slash
/// stands for the files that lie in the floor itself.
const Floors inner_floors = {
    {"base/text", {"base"}},
    {"base/run", {"base"}},
    {"base/files", {"base", "base/text"}},
    {"base/numeric", {"base", "base/text", "base/run", "base/files"}},
    {"base/statistics", {"base", "base/text", "base/numeric"}},
    {"base/process", {"base", "base/text", "base/run", "base/files"}},
    {"attention/layer", {}},
    {"attention/kernels", {}},
    {"attention/forward", {"attention/layer", "attention/kernels"}},
    {"attention/samples", {"attention/layer", "attention/forward"}},
    {"attention/files", {"attention/layer", "attention/forward", "attention/samples"}},
    {"sq/query", {}},
    {"sq/concepts", {"sq/query"}},
    {"sq/oracle", {"sq/query", "sq/concepts"}},
    {"sq/dimension", {"sq/query", "sq/concepts", "sq/oracle"}},
    {"sq/game", {"sq/query", "sq/concepts", "sq/oracle", "sq/dimension"}},
    {"lwe/problem", {}},
    {"lwe/attacks", {"lwe/problem"}},
    {"lwe/files", {"lwe/problem"}},
    {"lwe/outside", {"lwe/problem", "lwe/attacks", "lwe/files"}},
    {"hardness/gadget", {}},
    {"hardness/niceness", {}},
    {"hardness/families", {"hardness/gadget"}},
    {"hardness/concepts", {"hardness/families"}},
    {"hardness/challenge", {"hardness/families"}},
    {"hardness/smoothed", {"hardness/gadget", "hardness/families"}},
    {"hardness/block", {"hardness/gadget", "hardness/families"}},
    {"hardness/outside", {"hardness/gadget", "hardness/families"}},
    {"learner", {"learner/oracle"}},
    {"learner/oracle", {}},
    {"learner/objective", {"learner"}},
    {"learner/certificate", {"learner", "learner/objective"}},
    {"learner/factors", {"learner", "learner/objective"}},
    {"learner/fits", {"learner", "learner/objective", "learner/factors"}},
    {"learner/network", {"learner", "learner/oracle", "learner/objective", "learner/fits"}},
    {"learner/gradient", {"learner", "learner/objective", "learner/fits", "learner/network"}},
    {"learner/gadget", {"learner", "learner/objective", "learner/fits"}},
    {"learner/phases", {"learner", "learner/objective", "learner/certificate", "learner/fits"}},
    {"learner/mobius", {"learner", "learner/oracle"}},
    {"learner/rational", {"learner", "learner/oracle"}},
    {"learner/values",
     {"learner", "learner/oracle", "learner/mobius", "learner/rational", "learner/network"}},
    {"learner/outside", {"learner", "learner/objective", "learner/fits"}},
    {"study/report", {}},
    {"study/figure", {"study/report"}},
    {"study/cost", {"study/report"}},
    {"study/problem", {"study/cost"}},
    {"study/run", {"study/report", "study/problem"}},
    {"study/sweep", {"study/report", "study/figure", "study/problem", "study/run"}},
    {"study/best", {"study/report", "study/problem", "study/run", "study/sweep"}},
    {"study/atlas", {"study/report", "study/best", "study/run", "study/sweep"}},
    {"study/results", {"study/report", "study/figure", "study/problem", "study/run", "study/sweep"}},
    {"experiments/attacks", {}},
    {"experiments", {"experiments/attacks"}},
    {"experiments/claims", {"experiments", "experiments/attacks"}},
    {"app/cpu", {}},
    {"app/terminal", {}},
    {"app", {"app/cpu", "app/terminal"}},
    {"app/text", {"app", "app/terminal"}},
    {"app/commands", {"app", "app/terminal", "app/text"}},
    {"app/commands/program", {"app", "app/cpu", "app/terminal", "app/text"}},
};

struct SourceFile {
  std::string path;    ///< from the project's root
  std::string folder;  ///< the path's folder
  std::string text;
};

std::vector<SourceFile> files_under(const std::string& top) {
  const fs::path root(HARDHEAD_SOURCE_DIR);
  std::vector<SourceFile> out;
  for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    std::ifstream in(entry.path());
    const fs::path path = fs::relative(entry.path(), root);
    out.push_back({path, path.parent_path(), {std::istreambuf_iterator<char>(in), {}}});
  }
  return out;
}

/// The C++ files of all floors, read once.
const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> all = [] {
    std::vector<SourceFile> out;
    for (const auto& [folder, below] : floors)
      std::ranges::move(files_under(folder), std::back_inserter(out));
    return out;
  }();
  return all;
}

std::string top_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// The lines of a file without comments and string literals.
std::vector<std::string> code_lines(const SourceFile& file) {
  static const std::regex no_code(R"re("(\\.|[^"\\])*"|//.*)re");
  std::vector<std::string> out = lines_of(file.text);
  for (std::string& line : out) line = std::regex_replace(line, no_code, "");
  return out;
}

/// The folders of the project's files that a file includes.
std::vector<std::string> included_folders(const SourceFile& file) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)/[^"/]*".*)re");
  std::vector<std::string> out;
  std::smatch match;
  for (const std::string& line : lines_of(file.text))
    if (std::regex_match(line, match, include)) out.push_back(match[1]);
  return out;
}

/// "FILE includes FOLDER" for each include that the table of inner floors does not allow, and the folders
/// that it lacks.
std::set<std::string> against_inner_floors(const Floors& table) {
  std::set<std::string> tops, out;
  for (const auto& [folder, below] : table) tops.insert(top_of(folder));
  for (const SourceFile& file : sources()) {
    const auto row = table.find(file.folder);
    const bool is_inner = file.folder.find('/') != std::string::npos;
    if (tops.contains(top_of(file.path)) && row == table.end() && is_inner)
      out.insert(fmt::format("{} has no line in the table", file.folder));
    if (row == table.end()) continue;
    for (const std::string& included : included_folders(file))
      if (top_of(included) == top_of(file.path) && included != file.folder && !row->second.contains(included))
        out.insert(fmt::format("{} includes {}", file.path, included));
  }
  return out;
}

/// Whether some folder reaches itself: then the table would hold no floors.
bool has_cycle(const Floors& table) {
  std::set<std::string> settled;
  for (std::size_t before = table.size() + 1; before != settled.size();) {
    before = settled.size();
    for (const auto& [folder, below] : table)
      if (std::ranges::all_of(
              below, [&](const auto& name) { return !table.contains(name) || settled.contains(name); }))
        settled.insert(folder);
  }
  return settled.size() != table.size();
}

TEST(Architecture, IncludesRunDownwardsOnly) {
  EXPECT_FALSE(has_cycle(floors));
  int seen = 0;
  for (const SourceFile& file : sources()) {
    const std::string own = top_of(file.path);
    for (const std::string& included : included_folders(file)) {
      ++seen;
      const std::string top = top_of(included);
      EXPECT_TRUE(top == own || floors.at(own).contains(top)) << file.path << " includes " << included;
    }
  }
  EXPECT_GT(seen, 500) << "the includes were not found";
}

TEST(Architecture, EveryFolderThatIsBuiltIsAFloor) {
  std::ifstream in(fs::path(HARDHEAD_SOURCE_DIR) / "CMakeLists.txt");
  static const std::regex subdirectory(R"re(\s*add_subdirectory\((\w+)\).*)re");
  std::set<std::string> built;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, subdirectory)) built.insert(match[1]);
  built.erase("tests");
  built.erase("bench");
  std::set<std::string> known;
  for (const auto& [folder, below] : floors) known.insert(folder);
  EXPECT_EQ(built, known);
}

TEST(Architecture, InnerIncludesRunDownwardsOnly) {
  EXPECT_FALSE(has_cycle(inner_floors));
  EXPECT_THAT(against_inner_floors(inner_floors), testing::IsEmpty());
}

TEST(Architecture, NoFolderHasMoreThan25SourceFilesDirectlyInIt) {
  std::map<std::string, int> count;
  for (const SourceFile& file : sources()) ++count[file.folder];
  for (const char* top : {"tests", "bench", "examples"})
    for (const SourceFile& file : files_under(top)) ++count[file.folder];
  EXPECT_GT(count.size(), 40U) << "the folders were not found";
  for (const auto& [folder, files] : count) EXPECT_LE(files, 25) << folder;
}

TEST(Architecture, EverySourceOfLweHasItsTest) {
  int seen = 0;
  for (const SourceFile& file : sources()) {
    if (top_of(file.path) != "lwe" || !file.path.ends_with(".cc")) continue;
    ++seen;
    const fs::path test = "tests/" + file.path.substr(0, file.path.size() - 3) + "_test.cc";
    EXPECT_TRUE(fs::exists(HARDHEAD_SOURCE_DIR / test)) << test << " is missing";
  }
  EXPECT_GT(seen, 15);
}

TEST(Architecture, OnlyTheAppPrintsOrExits) {
  static const std::regex forbidden(
      R"re(std::(cout|cerr|clog|exit|quick_exit|abort|getenv)\b|fmt::print|\bstd(out|err)\b|)re"
      R"re([^_\w](printf|puts|exit|abort)\s*\()re");
  for (const SourceFile& file : sources()) {
    if (top_of(file.path) == "app") continue;
    for (const std::string& line : code_lines(file))
      EXPECT_FALSE(std::regex_search(line, forbidden)) << file.path << ": " << line;
  }
}

/// The arguments of a call, from behind its opening parenthesis.
std::string arguments_of(const std::string& text, std::size_t from) {
  int open = 1;
  std::size_t at = from;
  for (; at < text.size() && open > 0; ++at) open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  return text.substr(from, at - 1 - from);
}

// A folder without x, a loop of links: the forms without an error code throw what nobody catches.
TEST(Architecture, FileSystemCallsTakeAnErrorCode) {
  static const std::regex call(
      R"re(\b(?:fs|std::filesystem)::(absolute|canonical|copy\w*|create_\w+|current_path|equivalent|)re"
      R"re(exists|file_size|is_\w+|last_write_time|permissions|proximate|read_symlink|relative|remove|)re"
      R"re(remove_all|rename|resize_file|space|status|symlink_status|temp_directory_path|)re"
      R"re(weakly_canonical)\()re");
  static const std::regex with_code(R"re((error|ignored|failure|missing|of_folder)$)re");
  static const std::regex of_a_status(R"re(^(target|there)$)re");
  static const std::regex walk(R"re(for \(.* : *(?:fs|std::filesystem)::\w*directory_iterator)re");
  int seen = 0;
  for (const SourceFile& file : sources()) {
    const std::string text = fmt::format("{}", fmt::join(code_lines(file), "\n"));
    EXPECT_FALSE(std::regex_search(text, walk)) << file.path << ": a walk whose steps throw";
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
      ++seen;
      const auto behind = static_cast<std::size_t>(at->position() + at->length());
      const std::string arguments = arguments_of(text, behind);
      EXPECT_TRUE(std::regex_search(arguments, with_code) || std::regex_search(arguments, of_a_status))
          << file.path << ": " << at->str() << arguments << ")";
    }
  }
  EXPECT_GT(seen, 20);
}

TEST(Architecture, OptionsAreReadByNameInBaseTextOnly) {
  static const std::regex by_name(R"re(\bParameters\b)re");
  std::vector<std::string> offenders;
  for (const SourceFile& file : sources()) {
    if (file.folder == "base/text") continue;
    if (file.path == "python/own_family.cc") continue;  // whose parameters are named at run time
    const std::vector<std::string> lines = code_lines(file);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (std::regex_search(lines[i], by_name)) offenders.push_back(fmt::format("{}:{}", file.path, i + 1));
  }
  EXPECT_TRUE(offenders.empty()) << fmt::format("{}", fmt::join(offenders, "\n"));
}

// clang-format breaks code and comments; string literals are for their authors to break.
TEST(Architecture, LinesFit110Columns) {
  std::vector<std::string> offenders;
  const auto check = [&](const SourceFile& file) {
    const std::vector<std::string> lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      // In characters: bytes that continue a character of UTF-8 do not count.
      const auto columns = std::ranges::count_if(
          lines[i], [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      if (columns > 110) offenders.push_back(fmt::format("{}:{}: {} columns", file.path, i + 1, columns));
    }
  };
  std::ranges::for_each(sources(), check);
  for (const char* top : {"tests", "bench"}) std::ranges::for_each(files_under(top), check);
  EXPECT_TRUE(offenders.empty()) << fmt::format("{}", fmt::join(offenders, "\n"));
}

}  // namespace
}  // namespace hardhead
