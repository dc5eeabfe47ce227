#include "base/files/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead {
namespace {

TEST(FolderLock, LetsOneInAtATime) {
  const ScratchFolder folder;
  std::optional<FolderLock> first(folder.path());
  EXPECT_THAT([&] { FolderLock second(folder.path()); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr(folder.path() + "': another process")));
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder.path()));
}

TEST(FolderLock, NeedsAFolder) {
  const ScratchFolder folder;
  EXPECT_THROW(FolderLock(folder.path("none")), InputError);
  EXPECT_THROW(FolderLock(folder.write("file", "")), InputError);
}

}  // namespace
}  // namespace hardhead
