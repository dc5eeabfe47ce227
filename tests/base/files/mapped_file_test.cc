#include "base/files/mapped_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

using testing::HasSubstr;

TEST(MappedFile, HasTheBytesAndIsKnownByItsAddressesWhileItLives) {
  const ScratchFolder folder;
  const std::string path = folder.write("a", "some bytes");
  const void* address = nullptr;
  {
    const MappedFile file(path, 8);
    ASSERT_EQ(file.bytes().size(), 10u);
    EXPECT_EQ(file.bytes()[5], std::byte{'b'});
    address = file.bytes().data() + 9;
    ASSERT_NE(mapped_file_at(address), nullptr);
    EXPECT_EQ(mapped_file_at(address), path.substr(0, 255));
    EXPECT_EQ(mapped_file_at(&folder), nullptr);
  }
  EXPECT_EQ(mapped_file_at(address), nullptr);
}

TEST(MappedFile, IsARegularFileThatIsLongEnough) {
  const ScratchFolder folder;
  const auto refusal = [](const std::string& path) {
    return refusal_of([&] { const MappedFile file(path, 8); });
  };
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder.path("pipe")), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(refusal(folder.path("none")), HasSubstr("cannot open"));
  EXPECT_THAT(refusal(folder.write("short", "1234567")), HasSubstr("has 7 bytes, but at least 8"));
}

TEST(MappedFile, WhatWasWrittenToIsNoLongerIt) {
  const ScratchFolder folder;
  const auto refusal = [&](const char* shell) {
    folder.write("a", "some bytes");
    const MappedFile file(folder.path("a"), 8);
    file.check_unchanged();
    EXPECT_EQ(std::system(fmt::format(fmt::runtime(shell), folder.path("a")).c_str()), 0);
    return refusal_of([&] { file.check_unchanged(); });
  };
  EXPECT_THAT(refusal("truncate -s 4 '{0}'"), HasSubstr("became shorter"));
  EXPECT_THAT(refusal("echo more >>'{0}'"), HasSubstr("was changed"));
  EXPECT_THAT(refusal("printf 'xome bytes' | dd of='{0}' conv=notrunc status=none"),
              HasSubstr("was changed"));
  EXPECT_EQ(refusal("cp '{0}' '{0}.new' && mv '{0}.new' '{0}'"), "accepted") << "another file of this name";
}

// What a handler of SIGBUS does.
TEST(WatchedMemory, ReadsZerosWhereItWasMendedAndRefusesThem) {
  const ScratchFolder folder;
  const std::string text(20000, 'x');
  const MappedFile file(folder.write("a", text), 8);
  const std::byte* const last = file.bytes().data() + 19999;
  EXPECT_FALSE(mend_bus_error(&folder));
  ASSERT_EQ(::truncate(folder.path("a").c_str(), 10), 0);
  ASSERT_TRUE(mend_bus_error(last));
  EXPECT_EQ(*last, std::byte{0});
  EXPECT_THAT(refusal_of([&] { file.check_unchanged(); }), HasSubstr("became shorter"));
}

}  // namespace
}  // namespace hardhead
