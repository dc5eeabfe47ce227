#include "base/process/command_dialogue.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files/temporary_folder.h"

namespace hardhead {
namespace {

TEST(CommandDialogue, LinesGoBothWays) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("while read line; do echo \"got $line\"; done; echo done; exit 3",
                          folder.file("log"), {});
  command.tell("one");
  EXPECT_EQ(command.hear(), "got one");
  command.tell("two");
  EXPECT_EQ(command.hear(), "got two");
  EXPECT_EQ(command.end().exit_code, 3);
}

TEST(CommandDialogue, TheEndOfItsOutputIsNoLine) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("echo sorry >&2; printf half", folder.file("log"), {});
  EXPECT_EQ(command.hear(), std::nullopt);
  const CommandEnding ending = command.end();
  EXPECT_TRUE(ending.well());
  EXPECT_EQ(ending.last_words, "sorry");
}

TEST(CommandDialogue, ACommandThatDoesNotListenIsNoError) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("exec 0<&-; echo first; sleep 0.2; echo second", folder.file("log"), {});
  EXPECT_EQ(command.hear(), "first");
  for (int i = 0; i < 100; ++i) command.tell(std::string(100'000, 'x'));
  EXPECT_EQ(command.hear(), "second");
}

TEST(CommandDialogue, WhatItWritesWhileItIsToldIsKept) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("head -c 1000000 /dev/zero | tr '\\0' a; echo; cat", folder.file("log"), {});
  command.tell(std::string(1'000'000, 'b'));
  EXPECT_EQ(command.hear(), std::string(1'000'000, 'a'));
  EXPECT_EQ(command.hear(), std::string(1'000'000, 'b'));
}

TEST(CommandDialogue, AnEndlessLineIsRefused) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("cat /dev/zero", folder.file("log"), {});
  EXPECT_THROW(command.hear(), Error);
}

TEST(CommandDialogue, ARunThatIsStoppedDoesNotWait) {
  const TemporaryFolder folder("dialogue");
  CommandDialogue command("sleep 60", folder.file("log"), StopToken{}.with_time_limit(0.1));
  EXPECT_THROW(command.hear(), Stopped);
}

}  // namespace
}  // namespace hardhead
