#include "base/files/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

std::string file_refusal(const std::string& path, std::uintmax_t max_bytes = 100) {
  return refusal_of([&] { read_file(path, max_bytes); });
}

TEST(ReadFile, GivesEveryByte) {
  const ScratchFolder folder;
  for (const std::string& bytes : {std::string(), std::string("a\0\r\n\xff", 5), std::string(1 << 20, '\n')})
    EXPECT_EQ(read_file(folder.write("file", bytes)), bytes);
}

TEST(ReadFile, NamesWhatItCannotRead) {
  const ScratchFolder folder;
  for (const std::string& path :
       {folder.path("none"), folder.path(), std::string("/dev/zero"), std::string()})
    EXPECT_EQ(file_refusal(path), "file '" + path + "': there is no regular file of that name");
  folder.write("file", std::string(101, 'x'));
  EXPECT_THAT(file_refusal(folder.path("file")), testing::EndsWith("file': 101 bytes are more than 100"));
}

}  // namespace
}  // namespace hardhead
