#include "base/process/guarded_process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

CommandEnding ending_of(const ScratchFolder& folder, const std::string& command,
                        std::optional<double> memory_limit_bytes = std::nullopt) {
  return run_command(command, folder.path("log"), memory_limit_bytes, {});
}

TEST(ExternalCommand, QuotedTextIsOneWordOfTheSameBytes) {
  const ScratchFolder folder;
  for (const char* text :
       {"", "plain", "two  words ", "it's", "'", "''", "\\'", "$HOME `id` $(id) \\ \" ; & | * ? # ~",
        "line\nbreak\n", "-n", "%s", "\xff\t\x1b"}) {
    const std::string word = shell_quoted(text);
    EXPECT_TRUE(ending_of(folder, fmt::format("printf '[%s]' {} {}", word, word)).well()) << text;
    EXPECT_EQ(folder.read("log"), fmt::format("[{}][{}]", text, text));
  }
}

TEST(ExternalCommand, SaysHowItEnded) {
  const ScratchFolder folder;
  EXPECT_TRUE(ending_of(folder, "true").well());
  const CommandEnding three = ending_of(folder, "exit 3"), killed = ending_of(folder, "kill -KILL $$"),
                      missing = ending_of(folder, "/no/such/program");
  EXPECT_FALSE(three.well());
  EXPECT_EQ(three.str(), "exit code 3");
  EXPECT_FALSE(killed.well());
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_THAT(killed.str(), StartsWith("signal 9 ("));
  EXPECT_EQ(missing.exit_code, 127);
}

TEST(ExternalCommand, KeepsTheLastWordsOfBothStreams) {
  const ScratchFolder folder;
  EXPECT_EQ(ending_of(folder, "true").last_words, "");
  EXPECT_EQ(ending_of(folder, "echo out; echo err >&2; echo").last_words, "out\nerr");
  const std::string long_text = ending_of(folder, "yes many words | head -n 10000; printf last").last_words;
  EXPECT_EQ(long_text.size(), 2000u);
  EXPECT_THAT(long_text, EndsWith("many words\nlast"));
}

TEST(ExternalCommand, MayReplaceItsLogByAnything) {
  for (const std::string what : {"mkdir log", "mkfifo log", "ln -s /dev/zero log", "true"}) {
    const ScratchFolder folder;
    const std::string log = shell_quoted(folder.path("log"));
    const CommandEnding ending = ending_of(folder, fmt::format("echo first; rm {0}; cd {1} && {2}; echo last",
                                                               log, shell_quoted(folder.path()), what));
    EXPECT_TRUE(ending.well()) << what;
    EXPECT_EQ(ending.last_words, "first\nlast") << what;
  }
}

TEST(ExternalCommand, IsEndedWhenItsLogGrowsWithoutBound) {
  const ScratchFolder folder;
  EXPECT_THAT([&] { ending_of(folder, "yes"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("more than 64 MiB")));
  EXPECT_LT(std::filesystem::file_size(folder.path("log")), std::uintmax_t{2} << 30);
}

TEST(ExternalCommand, HasNoInputAndNothingOfTheLogBefore) {
  const ScratchFolder folder;
  folder.write("log", "of another command");
  EXPECT_EQ(ending_of(folder, "cat; echo done").last_words, "done");
}

TEST(ExternalCommand, AMemoryLimitIsForItsAllocationsAlone) {
  const ScratchFolder folder;
  const std::string hungry =
      "dd if=/dev/null of=/dev/null bs=1000000000";  // a buffer of that size, never touched
  EXPECT_TRUE(ending_of(folder, hungry).well());
  EXPECT_FALSE(ending_of(folder, hungry, 5e8).well());
  EXPECT_TRUE(ending_of(folder, "true", 5e8).well());
  EXPECT_TRUE(ending_of(folder, hungry).well()) << "after one with a limit";
}

// A second after their start, children of the command would leave a file behind.
TEST(ExternalCommand, NothingOfItLivesOn) {
  const ScratchFolder folder;
  const auto child = [&](const char* name) {
    return fmt::format("(sleep 1; touch {}) &", shell_quoted(folder.path(name)));
  };
  EXPECT_TRUE(ending_of(folder, child("left behind")).well());
  EXPECT_TRUE(ending_of(folder, "setsid sh -c " + shell_quoted(child("in a session"))).well());
  const StopToken stop = StopToken().with_time_limit(0.2);
  const Stopwatch watch;
  EXPECT_THROW(run_command(child("stopped") + " sleep 60", folder.path("log"), std::nullopt, stop), Stopped);
  EXPECT_LT(watch.seconds(), 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(std::filesystem::exists(folder.path("left behind")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("in a session")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("stopped")));
}

TEST(ExternalCommand, HasAParentThatItMayStopOrKill) {
  const ScratchFolder folder;
  const CommandEnding stopped = ending_of(folder, "kill -STOP $PPID; exit 3");
  EXPECT_EQ(stopped.exit_code, 3);
  const std::string left = shell_quoted(folder.path("left behind"));
  EXPECT_EQ(ending_of(folder, fmt::format("(sleep 1; touch {}) & kill -9 $PPID; sleep 60", left)).signal,
            SIGKILL);
  EXPECT_EQ(ending_of(folder, fmt::format("(sleep 1; touch {}) & kill -9 0; sleep 60", left)).signal,
            SIGKILL);
  const Stopwatch watch;
  EXPECT_THROW(run_command("kill -STOP $PPID; kill -STOP $$", folder.path("log"), std::nullopt,
                           StopToken().with_time_limit(0.2)),
               Stopped);
  EXPECT_LT(watch.seconds(), 8);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(std::filesystem::exists(folder.path("left behind")));
}

TEST(ExternalCommand, IsNoRankOfOurJob) {
  const ScratchFolder folder;
  const std::vector<const char*> of_a_rank = {"OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess", "PMIX_RANK",
                                              "PMI_RANK"};
  for (const char* name : of_a_rank) ::setenv(name, "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  EXPECT_EQ(ending_of(folder, "env | grep -E '^(OMPI|PMIX|PMI)_'").last_words, "OMPI_ALLOW_RUN_AS_ROOT=1");
  for (const char* name : of_a_rank) ::unsetenv(name);
  ::setenv("OMPI_MCA_btl", "self", 1);
  EXPECT_EQ(ending_of(folder, "env | grep OMPI_MCA").last_words, "OMPI_MCA_btl=self") << "the user's own";
  ::unsetenv("OMPI_MCA_btl");
  ::unsetenv("OMPI_ALLOW_RUN_AS_ROOT");
}

}  // namespace
}  // namespace hardhead
