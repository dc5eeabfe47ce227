#include "base/files/digest.h"

namespace hardhead {
namespace {

// Expected values by Python's hashlib over the bytes that the header describes.
TEST(Digest, IsSha256OfTheLengthPrefixedPieces) {
  EXPECT_EQ(Digest().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Digest().add("abc").hex(), "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
  EXPECT_EQ(Digest().add("ab").add("c").hex(),
            "43ee655579de01ca739b3f95c1c2d3f46d353b2c0df818064ea594506cdb2617");
}

TEST(Digest, TakesDoublesAsTheirLittleEndianBytes) {
  EXPECT_EQ(Digest().add(std::vector<double>{1.0, -2.5, 0.1}).hex(),
            "3700fa89bac0f7382bf0917ec4707863536a208fbe221a64848960ba03a29858");
}

TEST(Digest, TellsWhereOnePieceEnds) {
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_NE(Digest().add("ab").hex(), Digest().add("ab").add("").hex());
}

}  // namespace
}  // namespace hardhead
