#include "base/files/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

TEST(SameFile, IsToldByTheFileAndNotByItsName) {
  const ScratchFolder folder;
  const std::string file = folder.write("a", "x"), other = folder.write("b", "x");
  std::filesystem::create_symlink(file, folder.path("link"));
  std::filesystem::create_hard_link(file, folder.path("twin"));
  for (const std::string& name : {file, folder.path("./a"), folder.path("link"), folder.path("twin")})
    EXPECT_TRUE(same_file(file, name)) << name;
  EXPECT_FALSE(same_file(file, other)) << "equal content";
}

TEST(SameFile, IsToldByFolderAndNameWhereThereIsNoneYet) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path("in"));
  std::filesystem::create_directory_symlink(folder.path("in"), folder.path("way"));
  EXPECT_TRUE(same_file(folder.path("in/new"), folder.path("way/new")));
  EXPECT_TRUE(same_file(folder.path("in/new"), folder.path("in/../in/new")));
  EXPECT_FALSE(same_file(folder.path("in/new"), folder.path("new")));
  EXPECT_FALSE(same_file(folder.path("none/new"), folder.path("nowhere/new")));
  EXPECT_FALSE(same_file("", folder.path("new")));
}

}  // namespace
}  // namespace hardhead
