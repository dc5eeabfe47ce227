#include "base/files/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

}  // namespace
}  // namespace hardhead
