#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lwe/files/instance_file.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// As the challenges are published: the numbers a line each, brackets with and without space around them.
TEST(DarmstadtFile, ReadsTheFormatWhateverItsSpaces) {
  const ScratchFolder folder;
  for (const char* text : {"2\n3\n29\n0.05\n[1 2 28]\n[[0 1]\n[5 28]\n[7 0]\n]\n",
                           "2 3 29 5e-2 [ 1 2 28 ] [ [0 1] [5 28] [ 7 0 ] ]",
                           "2\n3\n29\n0.05\n[1, 2, 28]\n[[0, 1],\n [5, 28],\n [7, 0]]\n",
                           "2\n3\n29\n0.05\n[1 2 -1]\n[[0 -28]\n[5 -1]\n[-22 0]\n]\n",
                           "\xEF\xBB\xBF"
                           "2\n3\n29\n0.05\n[1 2 28]\n[[0 1]\n[5 28]\n[7 0]\n]\n",
                           "2\r\n3\r\n29\r\n0.050\r\n[1 2 28][[0 1][5 28][7 0]]"}) {
    const Challenge challenge = read_darmstadt(folder.write("c.txt", text));
    EXPECT_EQ(challenge.parameters.problem, ProblemKind::lwe);
    EXPECT_EQ(challenge.parameters.n, 2);
    EXPECT_EQ(challenge.parameters.q, 29);
    EXPECT_DOUBLE_EQ(challenge.parameters.sigma, 1.45);
    EXPECT_EQ(challenge.samples.b, (std::vector<Residue>{1, 2, 28}));
    EXPECT_EQ(challenge.samples.a, (std::vector<Residue>{0, 1, 5, 28, 7, 0}));
  }
}

TEST(DarmstadtFile, IsWrittenLineByLine) {
  const ScratchFolder folder;
  ProblemParameters p;
  p.n = 2;
  p.q = 32;
  p.sigma = 1.5;
  write_darmstadt(folder.path("c.txt"), {p, {2, {1, 2, 30, 31}, {3, 4}}});
  EXPECT_EQ(folder.read("c.txt"), "2\n2\n32\n0.046875\n[3 4]\n[[1 2]\n[30 31]\n]\n");
}

TEST(DarmstadtFile, HasNoWordForNoiseOrSecretsOfOtherKinds) {
  const ScratchFolder folder;
  ProblemParameters p;
  p.n = 1;
  p.q = 97;
  p.secret = SecretKind::binary;
  EXPECT_THAT([&] { write_darmstadt(folder.path("c.txt"), {p, {1, {1}, {1}}}); },
              ThrowsMessage<InputError>(HasSubstr("not lwe with gaussian noise and a binary secret")));
  p.secret = SecretKind::uniform;
  EXPECT_THROW(write_darmstadt(folder.path("c.txt"), {p, {1, {97}, {1}}}), InputError) << "97 is no residue";
  EXPECT_EQ(folder.file_count(), 0);
}

// No size is believed before the text is long enough for it.
TEST(DarmstadtFile, SizesAreCheckedAgainstTheText) {
  const ScratchFolder folder;
  const auto says = [&](const std::string& text) {
    try {
      read_darmstadt(folder.write("c.txt", text));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(says("4096\n268435456\n29\n0.1\n[1]\n[[1]]"),
              HasSubstr("268435456 samples of n=4096 do not fit"));
  EXPECT_THAT(says("4097\n1\n29\n0.1\n"), HasSubstr("offset 0: n '4097' is not an integer in 1 .. 4096"));
  EXPECT_THAT(says("1\n1\n4294967297\n0.1\n"), HasSubstr("q '4294967297'"));
  EXPECT_THAT(says("1\n1\n29\n200\n[1][[1]]"), HasSubstr("sigma=5800 is not in 0 .. 4096"));
}

TEST(DarmstadtFile, ErrorsNameFileOffsetAndWhatIsThere) {
  const ScratchFolder folder;
  const std::string path = folder.path("c.txt");
  const auto refuses = [&](const std::string& text, const std::string& what) {
    EXPECT_THAT([&] { read_darmstadt(folder.write("c.txt", text)); },
                ThrowsMessage<InputError>(HasSubstr(what)))
        << text;
  };
  refuses("  4097", "file '" + path + "', offset 2: n '4097' is not an integer in 1 .. 4096");
  for (const char* text : {"0", "1x", "+1", "99999999999999999999999"})
    refuses(text, fmt::format("n '{}' is not an integer", text));
  refuses(" \n", "offset 2: n is expected, the file ends");
  refuses("]", "offset 0: n is expected, not ']'");
  for (const char* text : {"nan", "inf", "1e99999", "0x1", "1.0.0", "."})
    refuses(fmt::format("1 1 29 {} [1] [[1]]", text), "is not a finite number");
  refuses("1 1 29 0.1 [1 2] [[1]]", "']' of the labels is expected, not '2'");
  refuses("1 1 29 0.1 [1] [[1]] x", "offset 21: the end is expected, not 'x'");
  EXPECT_THAT([&] { read_darmstadt(folder.path("none")); },
              ThrowsMessage<InputError>(HasSubstr(folder.path("none"))));
}

TEST(FplllMatrix, IsWrittenAsFplllPrintsMatrices) {
  const ScratchFolder folder;
  write_fplll_matrix(folder.path("m"), {{1, 0, -5}, {0, 1, 7}});
  EXPECT_EQ(folder.read("m"), "[[1 0 -5]\n[0 1 7]\n]\n");
}

}  // namespace
}  // namespace hardhead::lwe
