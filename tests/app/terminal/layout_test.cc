// Text in the columns of a terminal, as the program prints it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "tests/app/program.h"

namespace hardhead::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

/// The environment variable has this value while the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

Words words_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

ProgramResult at_width(const std::string& columns, const Words& words) {
  const Variable width("COLUMNS", columns);
  return run_program("/", words);
}

/// Lines that are longer than `width` although they have more than one word.
Words lines_too_long(const std::string& text, std::size_t width) {
  Words out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.size() > width && words_in(line).size() > 1) out.push_back(line);
  return out;
}

/// The words of a text, those of lines that a backslash continues among them.
std::multiset<std::string> all_words(const std::string& text) {
  std::multiset<std::string> out;
  for (const std::string& word : words_in(text))
    if (word != "\\") out.insert(word);
  return out;
}

TEST(Layout, HelpOfEveryCommandFitsTheTerminalAndBreaksNoWord) {
  const json commands = json::parse(run_program("/", {"help", "--json"}).out)["commands"];
  std::vector<Words> asked = {{"help"}, {"help", "lwe"}, {"help", "sq"}};
  for (const json& command : commands) {
    asked.push_back(words_in(command["name"]));
    asked.back().insert(asked.back().begin(), "help");
  }
  for (const Words& words : asked) {
    const std::string whole = run_program("/", words).out;
    for (const std::size_t width : {80U, 120U}) {
      const std::string fitted = at_width(std::to_string(width), words).out;
      EXPECT_THAT(lines_too_long(fitted, width), testing::IsEmpty()) << fmt::format("{}", words.back());
      EXPECT_EQ(all_words(fitted), all_words(whole)) << fmt::format("{}", words.back());
    }
  }
}

TEST(Layout, ListsAndRunsFitTheTerminal) {
  const std::vector<Words> asked = {
      {"families"},
      {"suite"},
      {"learn", "nice:d=6,k=2,m=1", "--method", "gauss-newton", "--examples", "500"},
      {"compare", "nice:d=6,k=2,m=1", "parity:d=6,m=2", "--method", "gauss-newton", "--examples", "500"}};
  for (const Words& words : asked)
    for (const std::size_t width : {80U, 120U}) {
      const ProgramResult result = at_width(std::to_string(width), words);
      EXPECT_EQ(result.exit, 0) << result.err;
      EXPECT_THAT(lines_too_long(result.out, width), testing::IsEmpty()) << words.front() << " at " << width;
    }
}

TEST(Layout, ComparisonsOnNarrowTerminalsAreBlocksWithTheSameCells) {
  const Words compare = {
      "compare", "nice:d=6,k=2,m=1", "parity:d=6,m=2", "--method", "phase1", "--examples", "500", "--wide"};
  const std::string wide = at_width("200", compare).out, narrow = at_width("80", compare).out;
  EXPECT_THAT(wide, HasSubstr("instance"));
  EXPECT_THAT(narrow, Not(HasSubstr("instance"))) << "what a block is about stands above it";
  EXPECT_THAT(narrow, HasSubstr("test error"));
  std::istringstream lines(narrow);
  int blocks = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("nice:") || line.starts_with("parity:")) ++blocks;
  EXPECT_EQ(blocks, 2);
}

TEST(Layout, AComparisonIsATableAtEightyColumns) {
  const std::string said =
      at_width("80", {"compare", "nice:d=6,k=2,m=1", "parity:d=6,m=2", "--method", "gauss-newton:max_heads=2",
                      "--method", "adam:until=0.01,steps=100", "--seeds", "2", "--examples", "2k"})
          .out;
  EXPECT_THAT(said, ::testing::StartsWith("instance"));
  EXPECT_LT(said.find("degree"), said.find("test error"));
  EXPECT_THAT(lines_too_long(said, 80), testing::IsEmpty());
}

TEST(Layout, RowsInAPipeAreWholeLines) {
  ::unsetenv("COLUMNS");
  const std::string out =
      run_program("/", {"compare", "nice:d=6,k=2,m=1", "--method", "phase1", "--examples", "500"}).out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out;
}

TEST(Layout, MessagesAreBrokenBetweenWords) {
  const ProgramResult result = at_width("60", {"learn", "nosuchfamily:d=4"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(lines_too_long(result.err, 60), testing::IsEmpty());
  ::unsetenv("COLUMNS");
  EXPECT_EQ(all_words(result.err), all_words(run_program("/", {"learn", "nosuchfamily:d=4"}).err));
}

TEST(Terminal, VerdictsAreColouredWhereAskedFor) {
  const Words learn = {"learn", "nice:d=6,k=2,m=1", "--method", "gauss-newton", "--heads", "1"};
  const auto with = [&](const std::string& when) {
    Words words = learn;
    words.insert(words.end(), {"--color", when});
    return run_program("/", words).out;
  };
  EXPECT_THAT(with("always"), HasSubstr("\033[32mRECOVERED\033[0m"));
  EXPECT_THAT(with("auto"), Not(HasSubstr("\033"))) << "stdout is a file here";
  const Variable wanted_by_nobody("NO_COLOR", "1");
  EXPECT_THAT(with("never"), Not(HasSubstr("\033")));
  EXPECT_EQ(run_program("/", {"doctor", "--color", "sometimes"}).exit, 2);
}

TEST(Terminal, TheNumberOfHeadsIsNotCountedAsFoundWhereItWasTold) {
  const Words compare = {"compare", "nice:d=6,k=2,m=1", "--method", "gauss-newton", "--examples", "500",
                         "--wide"};
  Words told = compare;
  told.insert(told.end(), {"--heads", "1"});
  EXPECT_THAT(at_width("80", compare).out, HasSubstr("m right"));
  EXPECT_THAT(at_width("80", told).out, Not(HasSubstr("m right")));
}

TEST(Terminal, FamiliesListsOneByItsName) {
  const std::string all = run_program("/", {"families"}).out;
  const std::string parity = run_program("/", {"families", "parity"}).out;
  EXPECT_LT(std::ranges::count(all, '\n'), 70) << "a page";
  for (const char* word : {"hidden", "variant", "preset"}) {
    EXPECT_THAT(parity, HasSubstr(word));
    EXPECT_THAT(all, Not(HasSubstr(std::string(word) + ":")));
  }
  EXPECT_THAT(parity, Not(HasSubstr("gauss-newton")));
  const json learner = json::parse(run_program("/", {"families", "sculpt", "--json"}).out);
  EXPECT_TRUE(learner["families"].empty());
  EXPECT_EQ(learner["methods"].size(), 1U);
  const ProgramResult unknown = run_program("/", {"families", "party"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("parity"));
}

TEST(Terminal, HelpNamesWhatItDoesNotKnow) {
  EXPECT_EQ(run_program("/", {"help", "learn"}).out, run_program("/", {"learn", "--help"}).out);
  EXPECT_EQ(run_program("/", {"help", "sq", "bound"}).out, run_program("/", {"sq", "bound", "--help"}).out);
  const ProgramResult mistyped = run_program("/", {"help", "lern"});
  EXPECT_EQ(mistyped.exit, 2);
  EXPECT_THAT(mistyped.err, HasSubstr("learn"));
}

TEST(Terminal, BoundsAreCounts) {
  // C(19,6) = 27132 members: 27131/25 queries = 1085.24.
  EXPECT_THAT(run_program("/", {"sq", "bound", "parity:d=20,m=6"}).out, HasSubstr("1,086"));
}

}  // namespace
}  // namespace hardhead::app
