#include "lwe/files/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

TEST(MatrixFile, IsWrittenAsFplllPrintsMatrices) {
  const ScratchFolder folder;
  write_fplll_matrix(folder.path("m"), {{1, 0, -5}, {0, 1, 7}});
  EXPECT_EQ(folder.read("m"), "[[1 0 -5]\n[0 1 7]\n]\n");
}

TEST(MatrixFile, IsReadWhateverItsSpaces) {
  const ScratchFolder folder;
  for (const char* text : {"[[1 -2][3 4]]", " [ [ 1 -2 ]\n\n[3\t4]\r\n]\n\n", "[[1\n-2]\n[3 4]\n]"})
    EXPECT_EQ(read_fplll_matrix(folder.write("m", text)), (IntegerMatrix{{1, -2}, {3, 4}})) << text;
}

TEST(MatrixFile, EntriesUpToTheLimitAndNoFurther) {
  const ScratchFolder folder;
  constexpr std::int64_t most = std::int64_t{1} << 62;
  EXPECT_EQ(read_fplll_matrix(folder.write("m", "[[4611686018427387904 -4611686018427387904]]")),
            (IntegerMatrix{{most, -most}}));
  for (const char* text : {"[[4611686018427387905]]", "[[-4611686018427387905]]", "[[18446744073709551616]]"})
    EXPECT_THAT([&] { read_fplll_matrix(folder.write("m", text)); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr("offset 2: an entry")))
        << text;
}

TEST(MatrixFile, MayHaveAnyShapeButNoneAtAll) {
  const ScratchFolder folder;
  EXPECT_EQ(read_fplll_matrix(folder.write("m", "[[1 2 3]]")).size(), 1U);
  EXPECT_EQ(read_fplll_matrix(folder.write("m", "[[1][2][3]]")).size(), 3U);
  EXPECT_EQ(read_fplll_matrix(folder.write("m", "[[1, 2],\n[3, -4]]")), (IntegerMatrix{{1, 2}, {3, -4}}));
  for (const char* text : {"", "[", "[]", "[[]]", "[[1 2][3]]", "[[1] 2]", "1"})
    EXPECT_THROW(read_fplll_matrix(folder.write("m", text)), InputError) << text;
}

}  // namespace
}  // namespace hardhead::lwe
