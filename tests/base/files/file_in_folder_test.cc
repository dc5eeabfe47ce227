#include "base/files/file_in_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

using testing::HasSubstr;

TEST(FileInFolder, IsFoundByItsNameAlone) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path("in/sub"));
  folder.write("in/sub/a", "x");
  folder.write("secret", "x");
  const std::string inside = folder.path("in");
  EXPECT_EQ(file_in_folder(inside, "sub/a"), inside + "/sub/a");
  std::filesystem::create_symlink("sub/a", folder.path("in/link"));
  EXPECT_EQ(file_in_folder(inside, "link"), inside + "/link");
  std::filesystem::create_symlink("../secret", folder.path("in/out"));
  std::filesystem::create_symlink("loop", folder.path("in/loop"));
  for (const std::string& name :
       {std::string("../secret"), folder.path("secret"), std::string("sub/../../secret"), std::string("out"),
        std::string("loop"), std::string("none"), std::string("sub"), std::string("sub/"), std::string(".."),
        std::string(), std::string("sub/../sub/a"), std::string(300, 'a')})
    EXPECT_THAT(refusal_of([&] { file_in_folder(inside, name); }), HasSubstr("is not a file of the folder"))
        << name;
  EXPECT_THAT(refusal_of([&] { file_in_folder(inside, "a\n\x1b[31mb"); }), HasSubstr(R"("a\n\x1b[31mb")"));
}

}  // namespace
}  // namespace hardhead
