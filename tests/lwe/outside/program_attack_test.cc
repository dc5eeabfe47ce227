#include "lwe/outside/program_attack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/lwe/attacks/small_challenges.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

using testing::HasSubstr;

constexpr const char* spec = "lwe:n=4,q=97,sigma=1,samples=40";

class ProgramAttack : public testing::Test {
 protected:
  /// What becomes of the shell script as an attack; $1 is the challenge, $2 the solution.
  AttackReport report_of(const std::string& script, double seconds = 60) {
    folder_.write("attack.sh", script);
    return attack(challenge_, program_attack("sh " + folder_.path() + "/attack.sh"), seconds, {});
  }
  static std::string writing(const std::vector<Residue>& secret) {
    return fmt::format(
        R"(echo '{{"schema": "hardhead.lwe-solution/1", "instance": "", "secret": [{}]}}' > "$2")",
        fmt::join(secret, ","));
  }

  ScratchFolder folder_;
  Challenge challenge_ = challenge_of(spec);
  std::vector<Residue> secret_ = Sampler(challenge_.parameters, 1).secret();
};

TEST_F(ProgramAttack, IsGivenTheChallengeAndItsSecretIsVerified) {
  const AttackReport report = report_of("grep -q '\"n\":4' \"$1\" && " + writing(secret_));
  EXPECT_TRUE(report.solved()) << report.message;
  EXPECT_EQ(report.secret, secret_);
  EXPECT_FALSE(report.predicted.is_predicted());
}

TEST_F(ProgramAttack, IsNotBelieved) {
  secret_[0] = (secret_[0] + 1) % 97;
  const AttackReport report = report_of(writing(secret_));
  EXPECT_EQ(report.outcome, AttackOutcome::not_solved);
  EXPECT_TRUE(report.secret.empty());
  EXPECT_THAT(report.message, HasSubstr("residuals are outside"));
}

TEST_F(ProgramAttack, AProgramThatDoesNotSolveItIsAnOutcome) {
  EXPECT_THAT(report_of("exit 0").message, HasSubstr("it wrote no solution"));
  EXPECT_THAT(report_of("echo no idea; exit 3").message, HasSubstr("exit code 3: 'no idea'"));
  EXPECT_THAT(report_of("echo '{}' > \"$2\"").message, HasSubstr("schema"));
  const AttackReport slow = report_of("sleep 60", 0.3);
  EXPECT_EQ(slow.outcome, AttackOutcome::stopped);
  EXPECT_LT(slow.seconds, 20);
}

TEST(AttackOf, NamesAnAttackOrAProgram) {
  EXPECT_EQ(attack_of(parse_learner("kannan")).name, "kannan");
  EXPECT_EQ(attack_of(parse_learner("exec:solve.py -v, fast")).name, "exec:solve.py -v, fast");
  EXPECT_THROW(attack_of(parse_learner("kannan:block=20")), InputError);
  EXPECT_THROW(attack_of(parse_learner("exec:access=values,command=a")), InputError);
  EXPECT_THROW(attack_of(parse_learner("kanan")), InputError);
}

}  // namespace
}  // namespace hardhead::lwe
