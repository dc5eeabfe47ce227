#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/lwe/attacks/small_challenges.h"

namespace hardhead::lwe {
namespace {

/// Attacks that run within this process: those by lattices start a child for each run.
bool is_light(const Attack& method) {
  return !method.name.starts_with("kannan");
}

// Whatever the rows, and whether or not a secret made the labels: an attack ends with an outcome, and what it
// calls solved fits every sample.
RC_GTEST_PROP(Attacks, ReportNoSecretThatDoesNotFit, ()) {
  const Challenge challenge = draw_small_challenge();
  for (const Attack& method : attacks()) {
    if (!is_light(method)) continue;
    const AttackReport report = attack(challenge, method, 60, {});
    RC_ASSERT(report.outcome != AttackOutcome::stopped);
    RC_ASSERT(report.solved() != report.secret.empty());
    if (!report.solved()) continue;
    RC_ASSERT(verify(challenge.parameters, challenge.samples, report.secret).fits);
    RC_TAG(method.name);
  }
}

// Exhaustive search says whether a secret is determined; others may fail, but not find another one.
RC_GTEST_PROP(Attacks, FindOneSecretWhereOneIsDetermined, ()) {
  const Challenge challenge = draw_small_challenge();
  const BruteForce truth(challenge);
  std::set<std::vector<Residue>> secrets;
  for (const Attack& method : attacks())
    if (is_light(method))
      if (const AttackReport report = attack(challenge, method, 60, {}); report.solved())
        secrets.insert(report.secret);
  RC_ASSERT(secrets.empty() != truth.any_verified);
  RC_ASSERT(secrets.size() <= 1);
}

/// Any problem modulo small numbers, where windows wrap and cells are few; labels of a secret.
Challenge draw_challenge_of_a_small_modulus() {
  ProblemParameters p;
  p.problem = *rc::gen::element(ProblemKind::lwe, ProblemKind::lwr, ProblemKind::lpn);
  p.q = p.problem == ProblemKind::lpn ? 2 : *rc::gen::element<std::int64_t>(2, 3, 4, 5, 7, 8, 11, 16);
  p.n = *rc::gen::inRange<std::int64_t>(1, p.q == 2 ? 9 : 4);
  p.secret = *rc::gen::element(SecretKind::uniform, SecretKind::binary, SecretKind::fixed_weight);
  if (p.secret == SecretKind::fixed_weight) p.weight = *rc::gen::inRange<std::int64_t>(1, p.n + 1);
  if (p.problem == ProblemKind::lwe && *rc::gen::arbitrary<bool>()) p.noise = Noise::binary;
  if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian)
    p.sigma = *rc::gen::element(0.0, 0.05, 0.3);
  if (p.problem == ProblemKind::lwr) p.p = *rc::gen::inRange<std::int64_t>(2, p.q + 1);
  if (p.problem == ProblemKind::lpn) p.rate = *rc::gen::element(0.0, 0.05, 0.2);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  Challenge out{p, Sampler(p, seed).draw(0, *rc::gen::inRange<std::int64_t>(1, 400))};
  spoil(out.samples, draw_rows());
  relabel(p, seed, true, out.samples);
  return out;
}

RC_GTEST_PROP(Attacks, OnSmallModuliReportOnlyWhatFits, ()) {
  const Challenge challenge = draw_challenge_of_a_small_modulus();
  std::set<std::vector<Residue>> secrets;
  bool exhausted = false;
  for (const Attack& method : attacks()) {
    if (!is_light(method)) continue;
    const AttackReport report = attack(challenge, method, 60, {});
    RC_ASSERT(report.outcome != AttackOutcome::stopped);
    exhausted = exhausted || (method.name == "exhaustive" && report.outcome != AttackOutcome::refused);
    if (!report.solved()) continue;
    RC_ASSERT(verify(challenge.parameters, challenge.samples, report.secret).fits);
    secrets.insert(report.secret);
    RC_TAG(method.name);
  }
  RC_ASSERT(secrets.size() <= 1);
  if (exhausted) RC_ASSERT(secrets.empty() != BruteForce(challenge).any_verified);
}

// All of them, the lattices too, on fewer challenges: who claims a secret claims the one that made the
// labels.
TEST(Attacks, ClaimOneSecretOnRowsOfLowRankAndOnOthers) {
  int claimed = 0;
  for (const Rows rows :
       {Rows::uniform, Rows::equal_columns, Rows::few_rows_repeated, Rows::seen_by_the_last})
    for (const char* spec : {"lwe:n=3,q=97,sigma=1,samples=60", "lpn:n=6,rate=0.05,samples=300",
                             "lwr:n=3,q=32,p=8,samples=80", "lwe:n=4,q=31,sigma=0,samples=40"})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Challenge challenge = challenge_of(fmt::format("{},seed={}", spec, seed));
        spoil(challenge.samples, rows);
        relabel(challenge.parameters, seed, true, challenge.samples);
        for (const Attack& method : attacks())
          if (const AttackReport report = attack(challenge, method, 60, {}); report.solved()) {
            EXPECT_EQ(report.secret, draw_secret(challenge.parameters, seed))
                << method.name << " on " << spec;
            ++claimed;
          }
      }
  EXPECT_GE(claimed, 30);
}

TEST(Attacks, AgreeOnEverySecretThatSamplesDetermine) {
  for (const char* spec : {"lwe:n=2,q=31,noise=binary,sigma=0,samples=60", "lwe:n=3,q=31,sigma=0,samples=60",
                           "lwr:n=2,q=32,p=16,samples=60", "lwe:n=6,q=97,sigma=0.3,secret=binary,samples=60",
                           "lpn:n=6,rate=0,samples=400", "lpn:n=6,rate=0.05,samples=2000",
                           "lwe:n=3,q=31,sigma=0.3,secret=ternary,samples=4000"})
    for (int seed = 1; seed <= 3; ++seed) {
      const Recipe recipe = Recipe::parse(Spec::parse(fmt::format("{},seed={}", spec, seed)));
      const Sampler sampler(recipe.parameters, recipe.seed);
      const Challenge challenge{recipe.parameters, sampler.draw(0, recipe.samples)};
      int solved = 0;
      for (const Attack& method : attacks()) {
        const AttackReport report = attack(challenge, method, 60, {});
        if (!report.solved()) continue;
        ++solved;
        EXPECT_EQ(report.secret, sampler.secret()) << method.name << " on " << spec << ", " << seed;
      }
      EXPECT_GE(solved, 2) << spec << ", " << seed;
    }
}

}  // namespace
}  // namespace hardhead::lwe
