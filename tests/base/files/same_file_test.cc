#include "base/files/same_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

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
