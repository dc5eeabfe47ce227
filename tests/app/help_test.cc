// The one table of commands and flags, and all that is said of it: help, completion, the man page, the docs.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "base/files/read_file.h"
#include "tests/app/example_files.h"
#include "tests/app/program.h"
#include "tests/scratch_folder.h"

namespace hardhead::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The flags of each command, by spelling.
std::map<std::string, std::map<std::string, json>> flags_by_command(const json& table) {
  std::map<std::string, std::map<std::string, json>> out;
  for (const json& command : table["commands"])
    for (const json& flag : command["flags"])
      for (const json& spelling : flag["spellings"]) out[command["name"]][spelling] = flag;
  return out;
}

/// The flags that every command has.
const std::set<std::string>& shared_flags() {
  static const std::set<std::string> out = {"--json", "--quiet", "--color", "--seed", "--threads"};
  return out;
}

/// The table of commands and flags.
const json& table() {
  static const json read = json::parse(run_program("/", {"help", "--json"}).out);
  return read;
}

/// Why a command line that a document shows cannot be meant; "" if it can. Text in columns after it is no
/// flag.
std::string objection(const Words& words) {
  static const auto known = flags_by_command(table());
  if (words.size() < 2) return "no command";
  auto command = known.find(words[1]);
  if (command == known.end() && words.size() > 2) command = known.find(words[1] + " " + words[2]);
  if (command == known.end()) return "no such command";
  for (const std::string& word : words)
    if (word.starts_with('-') && !command->second.contains(word.substr(0, word.find('='))))
      return command->first + " has no " + word;
  return "";
}

/// Runs a shell command in the folder: exit code 0 and what it printed, or a failure.
std::string shell(const ScratchFolder& folder, const std::string& command) {
  const std::string all = fmt::format("cd '{}' && ({}) > said 2>&1", folder.path(), command);
  EXPECT_EQ(std::system(all.c_str()), 0) << command << "\n" << folder.read("said");
  return folder.read("said");
}

bool installed(const std::string& program) {
  return std::system(fmt::format("command -v {} > /dev/null 2>&1", program).c_str()) == 0;
}

TEST(Help, TheProgramsHelpListsEveryCommandUnderATitle) {
  const std::string help = run_program("/", {"--help"}).out;
  for (const json& command : table()["commands"])
    EXPECT_THAT(help, HasSubstr(words_of(command["name"]).front()));
  for (const char* title : {"What there is", "Layers and data", "Learning", "Why it is hard", "This program"})
    EXPECT_THAT(help, HasSubstr(title));
}

TEST(Help, EveryCommandsHelpHasItsFlagsAndExamples) {
  for (const json& command : table()["commands"]) {
    Words words = words_of(command["name"]);
    words.push_back("--help");
    const std::string help = run_program("/", words).out;
    for (const json& flag : command["flags"])
      for (const json& spelling : flag["spellings"]) EXPECT_THAT(help, HasSubstr(std::string(spelling)));
    EXPECT_FALSE(command["examples"].empty()) << command["name"];
    for (const json& example : command["examples"]) EXPECT_THAT(help, HasSubstr(std::string(example)));
  }
}

// The list of flags in the man page has each of them once. Commands of two words are a group with a language
// of its own: "sq play --learner" names other learners than "learn --method".
TEST(Help, AFlagIsExplainedAlikeInEveryCommandOfAGroupThatHasIt) {
  std::map<std::string, std::pair<std::string, std::string>> known;
  for (const json& command : table()["commands"])
    for (const json& flag : command["flags"]) {
      const Words words = words_of(command["name"]);
      const std::string name =
          (words.size() > 1 ? words.front() + " " : "") + std::string(flag["spellings"].back());
      const std::pair<std::string, std::string> said = {flag["argument"], flag["help"]};
      EXPECT_EQ(known.emplace(name, said).first->second, said) << command["name"] << " " << name;
    }
}

TEST(Help, ExamplesDoWhatTheySay) {
  const std::set<std::string> long_ones = {"atlas", "demo", "reproduce", "report"};
  const ScratchFolder folder;
  write_example_files(folder);
  for (const json& command : table()["commands"])
    for (const std::string line : command["examples"]) {
      Words words = words_of(line);
      EXPECT_EQ(objection(words), "") << line;
      EXPECT_TRUE(line.starts_with(fmt::format("hardhead {}", std::string(command["name"])))) << line;
      if (long_ones.contains(command["name"])) continue;
      words.erase(words.begin());
      const ProgramResult result = run_program(folder.path(), words);
      EXPECT_EQ(result.exit, 0) << line << "\n" << result.err;
      EXPECT_NE(result.out, "") << line;
    }
}

// Of each command the first example: which format an answer has does not depend on what is asked.
TEST(Help, EveryCommandAnswersInJson) {
  const std::set<std::string> long_ones = {"atlas", "demo", "reproduce", "report", "sweep", "doctor"};
  const std::string formats = read_file(HARDHEAD_SOURCE_DIR "/docs/formats.md");
  const ScratchFolder folder;
  write_example_files(folder);
  for (const json& command : table()["commands"]) {
    if (long_ones.contains(command["name"])) continue;
    const std::string line = command["examples"].front();
    Words words = words_of(line);
    words.erase(words.begin());
    if (std::ranges::find(words, "--json") == words.end()) words.emplace_back("--json");
    const ProgramResult result = run_program(folder.path(), words);
    EXPECT_EQ(result.exit, 0) << line << "\n" << result.err;
    const json said = json::parse(result.out, nullptr, false);
    ASSERT_TRUE(said.is_object() && said.contains("schema")) << line << "\n" << result.out.substr(0, 300);
    EXPECT_THAT(formats, HasSubstr("`" + said["schema"].get<std::string>() + "`")) << line;
  }
}

TEST(Help, TheManPageHasEveryCommandAndFlagAndRendersWithoutWarnings) {
  const ScratchFolder folder;
  std::string page = run_program("/", {"help", "--man"}).out;
  folder.write("hardhead.1", page);
  if (installed("groff")) {
    EXPECT_EQ(shell(folder, "groff -man -ww -Tascii -z hardhead.1"), "");
  }
  std::erase(page, '\\');
  for (const json& command : table()["commands"]) {
    EXPECT_THAT(page, HasSubstr(fmt::format("fBhardhead {}fR", std::string(command["name"]))));
    for (const json& example : command["examples"]) EXPECT_THAT(page, HasSubstr(std::string(example)));
    for (const json& flag : command["flags"])
      for (const json& spelling : flag["spellings"]) EXPECT_THAT(page, HasSubstr(std::string(spelling)));
  }
}

/// The long spellings of flags, --like-this, in a text.
std::set<std::string> flags_in(const std::string& text) {
  static const std::regex flag("--[a-z][a-z-]*");
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), flag), end; at != end; ++at) out.insert(at->str());
  return out;
}

/// The same without those that every command has.
std::set<std::string> own_flags_in(const std::string& text) {
  std::set<std::string> out = flags_in(text);
  for (const std::string& shared : shared_flags()) out.erase(shared);
  return out;
}

/// The part of `text` from `begin` up to `end`; "" and a failure where it has no `begin`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  EXPECT_NE(from, std::string::npos) << begin;
  if (from == std::string::npos) return "";
  const std::size_t after = from + begin.size();
  return text.substr(after, text.find(end, after) - after);
}

std::string committed(const std::string& page) {
  std::ifstream in(fs::path(HARDHEAD_SOURCE_DIR) / "docs" / page);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Help, TheCommittedCommandsAndRecordsAreThoseOfThisProgram) {
  EXPECT_EQ(committed("commands.md"), run_program("/", {"help", "--markdown"}).out)
      << "hardhead help --markdown > docs/commands.md";
  EXPECT_EQ(committed("records.md"), run_program("/", {"help", "--records"}).out)
      << "hardhead help --records > docs/records.md";
}

/// Entries of one command: from its name to its examples, in which other flags may be spoken of.
TEST(Help, HelpManPageAndDocumentNameTheSameFlagsOfEveryCommand) {
  std::string page =
      std::regex_replace(run_program("/", {"help", "--man"}).out, std::regex(R"(\\f[BIR])"), "");
  std::erase(page, '\\');
  const std::string document = committed("commands.md");
  for (const json& command : table()["commands"]) {
    const std::string name = command["name"];
    std::set<std::string> own, all = {"--help"};
    for (const json& flag : command["flags"])
      for (const std::string spelling : flag["spellings"])
        if (spelling.starts_with("--")) {
          all.insert(spelling);
          if (!shared_flags().contains(spelling)) own.insert(spelling);
        }
    Words words = words_of(name);
    words.push_back("--help");
    std::set<std::string> helped;
    std::istringstream help(between(run_program("/", words).out, "usage: ", "\nExamples\n"));
    // A flag begins its line; the text behind it may speak of others.
    for (std::string line; std::getline(help, line);)
      if (const Words on_line = words_of(line); !on_line.empty() && on_line[0].starts_with('-'))
        helped.merge(flags_in(on_line[0]));
    EXPECT_EQ(helped, all) << name;
    EXPECT_EQ(own_flags_in(between(page, fmt::format(".TP\nhardhead {}", name), ".nf")), own) << name;
    EXPECT_EQ(own_flags_in(between(document, fmt::format("\n### hardhead {}", name), "\n    hardhead")), own)
        << name;
  }
}

/// Command lines of a line of a document: a line of a code block up to where a remark's column begins, or
/// code in the text. Not those with a placeholder, `hardhead COMMAND`.
Words command_lines(const std::string& line) {
  if (line.starts_with("    hardhead ")) return {line.substr(4, line.find("  ", 4) - 4)};
  static const std::regex in_text("`(hardhead [a-z][^`|]*)");
  Words out;
  for (std::sregex_iterator at(line.begin(), line.end(), in_text), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

TEST(Help, CommandLinesInTheDocsAreOfThisProgram) {
  const fs::path top = HARDHEAD_SOURCE_DIR;
  std::vector<fs::path> documents = {top / "README.md", top / "HACKING.md"};
  for (const auto& entry : fs::directory_iterator(top / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  int seen = 0;
  for (const fs::path& document : documents) {
    std::ifstream in(document);
    for (std::string line; std::getline(in, line);) {
      for (std::string more; line.ends_with('\\') && std::getline(in, more);)
        line = line.substr(0, line.size() - 1) + more;
      for (const std::string& shown : command_lines(line)) {
        ++seen;
        EXPECT_EQ(objection(words_of(shown)), "") << document << ": " << line;
      }
    }
  }
  EXPECT_GT(seen, 25) << "the command lines were not found";
}

std::string completed(const ScratchFolder& folder, const Words& words, const std::string& breaks = "") {
  std::string line;
  for (const std::string& word : words) line += fmt::format(" '{}'", word);
  const std::string typed = fmt::format("{}", fmt::join(words, " "));
  return shell(folder,
               fmt::format("bash --norc -c \"source ./completion && COMP_WORDS=({} ) && COMP_CWORD={} && "
                           "COMP_LINE='{}' && COMP_POINT={} && COMP_WORDBREAKS='{}' && "
                           "_hardhead; echo \\\"\\${{COMPREPLY[*]}}\\\"\"",
                           line, words.size() - 1, typed, typed.size(), breaks));
}

TEST(Help, BashCompletesCommandsFlagsAndNames) {
  if (!installed("bash")) GTEST_SKIP() << "bash is missing";
  const ScratchFolder folder;
  folder.write("completion", run_program("/", {"completion", "bash"}).out);
  const auto complete = [&](const Words& words) { return completed(folder, words); };
  EXPECT_EQ(complete({"hardhead", "com"}), "compare completion\n");
  EXPECT_EQ(complete({"hardhead", "sq", "p"}), "play\n");
  EXPECT_EQ(complete({"hardhead", "learn", "--me"}), "--method --memory-limit\n");
  EXPECT_EQ(complete({"hardhead", "learn", "nice", "--method", "sc"}), "sculpt\n");
  EXPECT_EQ(complete({"hardhead", "lwe", "attack", "file", "--method", "elim"}), "elimination\n");
  EXPECT_EQ(complete({"hardhead", "learn", "par"}), "parity\n");
  EXPECT_EQ(complete({"hardhead", "sq", "play", "x", "--pol"}), "--policy\n");
  EXPECT_EQ(complete({"hardhead", "learn", "nice", "-o", "sc"}), "\n") << "a file's name";
  for (const json& command : table()["commands"]) {
    Words words = words_of(fmt::format("hardhead {}", std::string(command["name"])));
    words.push_back("--");
    const std::string offered = complete(words);
    for (const json& flag : command["flags"])
      EXPECT_THAT(offered, HasSubstr(std::string(flag["spellings"].back()))) << command["name"];
  }
}

TEST(Help, BashCompletesTheKeysOfASpec) {
  if (!installed("bash")) GTEST_SKIP() << "bash is missing";
  const ScratchFolder folder;
  folder.write("completion", run_program("/", {"completion", "bash"}).out);
  EXPECT_EQ(completed(folder, {"hardhead", "learn", "parity:va"}), "parity:variant=\n");
  EXPECT_EQ(completed(folder, {"hardhead", "learn", "parity:d=8,va"}), "parity:d=8,variant=\n");
  EXPECT_EQ(completed(folder, {"hardhead", "learn", "nice", "--method", "gauss-newton:st"}),
            "gauss-newton:starts= gauss-newton:student= gauss-newton:start_norm=\n");
  for (const char* key : {"parity:d=", "parity:m=", "parity:seed="})
    EXPECT_THAT(completed(folder, {"hardhead", "learn", "parity:"}), HasSubstr(key));
  // Words of bash end at : and =, and it replaces the last alone.
  EXPECT_EQ(completed(folder, {"hardhead", "learn", "parity:d=8,va"}, ":="), "8,variant=\n");
}

TEST(Help, TheFishScriptNamesCommandsFlagsAndNamesAndIsOne) {
  const ScratchFolder folder;
  const std::string script = run_program("/", {"completion", "fish"}).out;
  for (const json& command : table()["commands"])
    for (const json& flag : command["flags"]) {
      const std::string name = flag["spellings"].back();
      EXPECT_THAT(script, HasSubstr(fmt::format("-l {} ", name.substr(2)))) << command["name"];
    }
  EXPECT_THAT(script, HasSubstr("-n '__hardhead_next lwe' -a attack "));
  EXPECT_THAT(script, HasSubstr("(__hardhead_specs sculpt "));
  EXPECT_THAT(script, HasSubstr("(__hardhead_specs nice "));
  folder.write("completion", script);
  if (!installed("fish")) GTEST_SKIP() << "fish is missing";
  const auto complete = [&](const std::string& line) {
    return shell(folder,
                 fmt::format("fish --no-config -c 'source completion; complete -C \"{}\"' | cut -f 1", line));
  };
  EXPECT_EQ(complete("hardhead com"), "compare\ncompletion\n");
  EXPECT_EQ(complete("hardhead sq p"), "play\n");
  EXPECT_EQ(complete("hardhead learn nice --method sc"), "sculpt\n");
  EXPECT_EQ(complete("hardhead learn parity:d=8,va"), "parity:d=8,variant=\n");
}

TEST(Help, TheZshScriptIsOne) {
  if (!installed("zsh")) GTEST_SKIP() << "zsh is missing";
  const ScratchFolder folder;
  folder.write("completion", run_program("/", {"completion", "zsh"}).out);
  EXPECT_EQ(shell(folder, "zsh -n completion"), "");
}

}  // namespace
}  // namespace hardhead::app
