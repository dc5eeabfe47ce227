// The worked examples of HACKING.md, each as one file beside a registry with one more line: they are there by
// name, wherever names are looked up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "experiments/claims/reproduce.h"
#include "hardness/families/family.h"
#include "lwe/attacks/attack.h"
#include "lwe/problem/samples.h"
#include "sq/game/game.h"
#include "sq/oracle/oracle.h"
#include "study/run/run.h"
#include "tests/sq/random_query.h"

namespace hardhead {
namespace {

TEST(ToyFamily, IsMadeSavedUnderItsDigestAndLearntByName) {
  const hardness::Instance instance = hardness::make_instance(Spec::parse("toy:d=8,k=2,m=2,theta_norm=3"));
  EXPECT_EQ(instance.spec.str(), "toy:d=8,k=2,m=2,theta_norm=3,w_norm=1,inputs=boolean,seed=1");
  for (const attention::Head& head : instance.layer.heads) {
    EXPECT_NEAR(head.theta.norm(), 3, 1e-12);
    EXPECT_TRUE(head.theta.isDiagonal(0));
  }
  const auto problem = study::open_problem("toy:d=8,k=2,m=1", {});
  const auto result = study::run(problem, {.method = Spec::parse("gauss-newton"), .task = {.heads = 1}}, {});
  EXPECT_EQ(result.score.outcome, study::Outcome::recovered) << result.report.message;
}

TEST(ToyMethod, RunsByNameWithItsOptionsAndIsScored) {
  const auto problem = study::open_problem("nice:d=8,k=2,m=2", {});
  const auto run = [&](const char* method) {
    return study::run(problem, {.method = Spec::parse(method), .task = {.heads = 2}}, {});
  };
  const study::RunResult one = run("toy:tries=1"), many = run("toy:tries=40");
  EXPECT_EQ(many.score.outcome, study::Outcome::not_recovered);
  EXPECT_EQ(many.report.failed_phase, "guess");
  EXPECT_EQ(many.request.method.options().str(), "toy:tries=40");
  EXPECT_LT(many.report.phases.at(0).measures.at(0).second, one.report.phases.at(0).measures.at(0).second);
  EXPECT_LT(many.score.test_error, 1);
  const learner::Learner bound(Spec::parse("toy"));
  EXPECT_GT(bound.predicted_memory({8, 2}, 1000, {.heads = 2}).work, 1000 * 2 * 2 * 8 * 8) << "its examples";
  EXPECT_FALSE(bound.predicted_seconds({8, 2}, 2, {}));
}

TEST(ToyValues, RunsByNameOnValuesAndIsScored) {
  const auto problem = study::open_problem("nice:d=8,k=3,m=2", {});
  const study::RunResult result = study::run(
      problem, {.method = Spec::parse("toy-values:scale=2"), .values = {.length = study::QueryLength::free}},
      {});
  EXPECT_EQ(result.score.outcome, study::Outcome::not_recovered);
  EXPECT_EQ(result.report.queries_used, 8);
  EXPECT_LT((result.report.layer->w_sum() - problem.truth->w_sum()).norm(), 1e-12);
}

TEST(ToyClaim, IsReproducedByItsId) {
  const std::string folder = ::testing::TempDir() + "/toy_claim";
  std::filesystem::remove_all(folder);
  const auto found = experiments::reproduce({.ids = {"T1"}, .folder = folder, .quick = true}, {});
  ASSERT_EQ(found.findings.size(), 1);
  EXPECT_EQ(found.findings.front().verdict, report::Verdict::holds) << found.findings.front().reason;
  EXPECT_TRUE(std::filesystem::exists(folder + "/T1/table.csv"));
  EXPECT_EQ(experiments::experiments().front().id, "T1");
}

TEST(ToyAttack, FindsASmallSecretAndIsRefusedALargeOne) {
  const auto recipe = lwe::Recipe::parse(Spec::parse("lwr:n=2,q=16,p=4,samples=40"));
  const lwe::Sampler sampler(recipe.parameters, recipe.seed);
  const lwe::Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
  const lwe::AttackReport report = lwe::attack(challenge, lwe::find_attack("toy"), 60, {});
  EXPECT_TRUE(report.solved()) << report.message;
  EXPECT_EQ(report.secret, sampler.secret());
  EXPECT_TRUE(lwe::find_attack("toy")
                  .cost(lwe::Recipe::parse(Spec::parse("lwr:n=8,q=16,p=4")).parameters, 40)
                  .not_applicable);
}

TEST(ToyPolicy, AnswersByNameAndKeepsThePromise) {
  sq::FixedTarget target({"a dictator", 1, [](sq::Bits z) { return z == 1 ? -1 : 1; }}, 6,
                         sq::find_policy("toy"));
  sq::StatOracle oracle(sq::Stat(Rational(1, 7)), target);
  const Stream stream(Domain::test, 1, "queries");
  int moved = 0;
  for (std::uint64_t item = 0; item < 150; ++item) {
    const Rational answer = oracle.ask(sq::random_query(stream, item, sq::Range::signed_unit, 6));
    const Rational truth = oracle.transcript().entries().back().truth.value;
    EXPECT_LE(abs(answer), abs(truth));
    moved += answer != truth ? 1 : 0;
  }
  EXPECT_EQ(oracle.transcript().violations(), 0);
  EXPECT_GT(moved, 50);
  EXPECT_THAT(sq::answer_policies(), testing::Contains("toy"));
  EXPECT_EQ(sq::play({.d = 8, .m = 2, .policy = "toy"}).violations, 0);
}

}  // namespace
}  // namespace hardhead
