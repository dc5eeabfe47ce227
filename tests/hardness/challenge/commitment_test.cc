#include "hardness/challenge/commitment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hardhead::challenge {
namespace {

// By Python: sha256(pack('<Q', 64) + b'0' * 64 + pack('<Q', 6) + b'0,-1,7').
TEST(Commitment, IsTheDigestThatIsDocumented) {
  EXPECT_EQ(commitment(std::string(64, '0'), std::vector<std::int64_t>{0, -1, 7}),
            "25d5606b8b7711bb1122ddd1495ec4711bcb1e4a2907028cc0f672295af021d5");
}

TEST(Commitment, EntropyIsFresh) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(fresh_entropy());
  EXPECT_EQ(seen.size(), 100u);
  for (const std::string& one : seen) EXPECT_THAT(one, testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_NE(fresh_seed(), fresh_seed());
}

TEST(Commitment, SafeLabelsKeepTheirCodesWithinTheMargin) {
  for (const double label : {0.0, 1.2345670, -0.3141599, 1e-7, 123.456789}) {
    ASSERT_TRUE(rounds_safely(std::vector{label}));
    for (const double off : {-rounding_margin, rounding_margin})
      EXPECT_EQ(rounded_codes(std::vector{label + 0.99 * off}), rounded_codes(std::vector{label}));
  }
  for (const double edge : {0.5e-6, -2.5e-6, 0.1234565})
    for (const double off : {-0.9e-9, 0.0, 0.9e-9}) EXPECT_FALSE(rounds_safely(std::vector{edge + off}));
}

}  // namespace
}  // namespace hardhead::challenge
