#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

class KannanFplll : public testing::Test {
 protected:
  void SetUp() override {
    if (find_attack("kannan-fplll").cost(challenge_of("lwe:n=4").parameters, 40).not_applicable)
      GTEST_SKIP() << "built without fplll";
  }
};

// Two libraries reduce the same embedding.
TEST_F(KannanFplll, AgreesWithKannan) {
  for (const char* spec :
       {"lwe:n=6,q=257,sigma=1,samples=30", "lwe:n=7,q=256,sigma=1,secret=ternary,samples=30",
        "lwr:n=5,q=256,p=32,samples=30", "lwe:n=9,q=12289,sigma=3,samples=24"})
    for (int seed = 2; seed <= 3; ++seed) {
      const Challenge challenge = challenge_of(fmt::format("{},seed={}", spec, seed));
      const AttackReport own = attack(challenge, find_attack("kannan-fplll"), 60, {}),
                         other = attack(challenge, find_attack("kannan"), 60, {});
      EXPECT_TRUE(own.solved()) << spec << ": " << own.message;
      EXPECT_EQ(own.secret, other.secret) << spec;
      EXPECT_NEAR(own.predicted.seconds / other.predicted.seconds, 1, 0.5)
          << spec << ": small lattices cost alike";
    }
}

TEST_F(KannanFplll, RefusesWhatKannanRefuses) {
  for (const char* spec : {"lpn:n=4", "lwe:n=4,sigma=0"}) {
    const ProblemParameters p = challenge_of(spec).parameters;
    EXPECT_EQ(find_attack("kannan-fplll").cost(p, 100).not_applicable,
              find_attack("kannan").cost(p, 100).not_applicable);
  }
}

}  // namespace
}  // namespace hardhead::lwe
