#include "lwe/attacks/kannan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/run/stop_token.h"
#include "lwe/attacks/embedding.h"
#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

using detail::Reducer;
using testing::HasSubstr;

constexpr const char* problem = "lwe:n=4,q=97,sigma=1,samples=40";

/// A reducer that does nothing until it has been asked for blocks of `enough`, and then has the short vector
/// of a secret, by dimension.
class Planted final : public Reducer {
 public:
  Planted(const Basis& basis, int enough) : basis_(basis), enough_(enough) {}
  void lll() override { reduced_ = 2; }
  void bkz(int block) override {
    if (block == abort_at) std::abort();
    if (block == throw_at) throw Error("the library gave up");
    reduced_ = block;
  }
  Basis basis() const override {
    if (reduced_ < enough_) return basis_;
    return {vectors.at(basis_.size())};
  }

  static inline std::map<std::size_t, std::vector<std::int64_t>> vectors;
  static inline int abort_at = 0, throw_at = 0;

 private:
  Basis basis_;
  int enough_, reduced_ = 0;
};

class PrimalAttack : public testing::Test {
 protected:
  PrimalAttack() {
    Planted::abort_at = Planted::throw_at = 0;
    for (const EmbeddingAttempt& attempt : attempts_)
      Planted::vectors[static_cast<std::size_t>(attempt.m + 1)] = short_vector(attempt.m);
  }
  std::vector<std::int64_t> short_vector(std::int64_t m) const {
    std::vector<std::int64_t> out = Embedding(challenge_, m).basis().back();
    for (std::int64_t i = 0; i < m; ++i) {
      std::int64_t& f = out[static_cast<std::size_t>(i)];
      f -= inner_product(challenge_.samples.row(i), secret_, 97);
      f -= 97 * static_cast<std::int64_t>(std::lround(static_cast<double>(f) / 97));
    }
    return out;
  }
  std::optional<std::vector<Residue>> attack_with(int enough, const RunContext& context = {}) {
    return detail::primal_attack(
        challenge_, context,
        [&](const Reducer::Basis& basis) { return std::make_unique<Planted>(basis, enough); }, machine.ntl,
        message_);
  }

  Challenge challenge_ = challenge_of(problem);
  std::vector<Residue> secret_ = Sampler(challenge_.parameters, 1).secret();
  std::vector<EmbeddingAttempt> attempts_ = attempts(plan_embedding(challenge_.parameters, 40));
  std::string message_;
};

TEST_F(PrimalAttack, GoesFromLllToLargerBlocksUntilASecretVerifies) {
  EXPECT_EQ(attack_with(2), secret_);
  EXPECT_THAT(message_, HasSubstr(", LLL"));
  EXPECT_EQ(attack_with(10), secret_);
  EXPECT_THAT(message_, HasSubstr(", BKZ-10"));
  EXPECT_EQ(attack_with(45), secret_);
  EXPECT_THAT(message_, HasSubstr(", BKZ-50"));
  EXPECT_EQ(attack_with(61), std::nullopt);
  EXPECT_THAT(message_, HasSubstr("BKZ-60: no short vector is a secret's, of 4 embeddings"));
}

TEST_F(PrimalAttack, TakesMoreSamplesWhereTheFewestDoNot) {
  ASSERT_EQ(attempts_.size(), 4U);
  EXPECT_EQ(attempts_.back().block, largest_block);
  EXPECT_GT(attempts_.back().m, attempts_.front().m);
  for (std::size_t i = 0; i + 1 < attempts_.size(); ++i)
    Planted::vectors[static_cast<std::size_t>(attempts_[i].m + 1)].back() = 0;
  EXPECT_EQ(attack_with(2), secret_);
  EXPECT_THAT(message_, HasSubstr(fmt::format("dimension {}, LLL", attempts_.back().m + 1)));
}

TEST_F(PrimalAttack, DoesNotBelieveAVectorThatIsNoSecrets) {
  for (auto& [dimension, vector] : Planted::vectors) {
    vector[0] += 40;
    vector[1] -= 40;
  }
  EXPECT_EQ(attack_with(2), std::nullopt);
}

TEST_F(PrimalAttack, SurvivesALibraryThatAborts) {
  Planted::abort_at = 20;
  EXPECT_THROW(attack_with(61), Error);
  Planted::abort_at = 0;
  Planted::throw_at = 30;
  EXPECT_THAT([&] { attack_with(61); }, testing::ThrowsMessage<Error>(HasSubstr("the library gave up")));
}

TEST_F(PrimalAttack, CanBeStopped) {
  const std::atomic<bool> up = true;
  RunContext context;
  context.stop = StopToken(&up);
  EXPECT_THROW(attack_with(61, context), Stopped);
}

TEST(Kannan, SolvesSmallInstancesOfEveryKind) {
  for (const char* spec :
       {"lwe:n=6,q=257,sigma=1,samples=30", "lwe:n=6,q=256,sigma=1,samples=30",
        "lwe:n=8,q=257,sigma=1,secret=binary,samples=30", "lwr:n=5,q=256,p=32,samples=30",
        "lwe:n=8,q=257,noise=binary,sigma=0,secret=ternary,samples=30", "lwe:n=1,q=257,sigma=2,samples=30",
        "lwe:n=6,q=255,sigma=1,samples=30", "lwe:n=10,q=4294967296,sigma=4000,samples=30",
        "lwe:n=10,q=4294967294,noise=binomial,eta=32,secret=gaussian,secret_sigma=50,samples=30",
        "lwe:n=12,q=3329,noise=binomial,eta=3,secret=binomial,secret_eta=3,samples=40",
        "lwe:n=20,q=1000,sigma=2,secret=sparse-ternary,weight=5,samples=40"})
    for (int seed = 2; seed <= 3; ++seed) {
      const Recipe recipe = Recipe::parse(Spec::parse(fmt::format("{},seed={}", spec, seed)));
      const Sampler sampler(recipe.parameters, recipe.seed);
      const AttackReport report =
          attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack("kannan"), 60, {});
      EXPECT_EQ(report.secret, sampler.secret()) << spec << ", " << seed << ": " << report.message;
    }
}

// Error vectors that are not the shortest of the fewest samples' lattice.
TEST(Kannan, SolvesWhatTheFewestSamplesDoNotDetermine) {
  for (const char* spec :
       {"lwe:n=8,q=97,sigma=0.5,samples=80,seed=8", "lwe:n=5,q=257,sigma=0.5,samples=50,seed=42",
        "lwr:n=9,q=101,p=32,samples=90,seed=660263"}) {
    const Recipe recipe = Recipe::parse(Spec::parse(spec));
    const Sampler sampler(recipe.parameters, recipe.seed);
    const AttackReport report =
        attack({recipe.parameters, sampler.draw(0, recipe.samples)}, find_attack("kannan"), 60, {});
    EXPECT_EQ(report.secret, sampler.secret()) << spec << ": " << report.message;
  }
}

TEST(Kannan, RowsOfTooLowARankAreAnOutcome) {
  Challenge challenge = challenge_of("lwe:n=4,q=97,sigma=1,samples=40");
  for (std::int64_t i = 0; i < 40; ++i) challenge.samples.a[static_cast<std::size_t>(4 * i)] = 0;
  const AttackReport report = attack(challenge, find_attack("kannan"), 60, {});
  EXPECT_EQ(report.outcome, AttackOutcome::not_solved);
  EXPECT_THAT(report.message, HasSubstr("rank 3 mod 97"));
}

TEST(Kannan, RefusesWhatHasNoShortVector) {
  const auto cost = [](const char* spec) {
    return detail::primal_cost(Recipe::parse(Spec::parse(spec)).parameters, 100);
  };
  EXPECT_THAT(cost("lpn:n=4").not_applicable.value_or(""), HasSubstr("every vector is short"));
  EXPECT_THAT(cost("lwe:n=4,sigma=0").not_applicable.value_or(""), HasSubstr("elimination does it"));
  EXPECT_EQ(cost("lwe:n=4").samples, 5);
  EXPECT_EQ(cost("lwe:n=4,secret=binary").samples, 1);
}

}  // namespace
}  // namespace hardhead::lwe
