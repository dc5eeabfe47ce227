#include "lwe/files/matrix_file.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

TEST(MatrixFile, IsWrittenAsFplllPrintsMatrices) {
  const ScratchFolder folder;
  write_fplll_matrix(folder.path("m"), {{1, 0, -5}, {0, 1, 7}});
  EXPECT_EQ(folder.read("m"), "[[1 0 -5]\n[0 1 7]\n]\n");
}

}  // namespace
}  // namespace hardhead::lwe
