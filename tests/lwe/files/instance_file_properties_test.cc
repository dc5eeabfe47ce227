#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/Configuration.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "lwe/files/instance_file.h"
#include "tests/scratch_folder.h"

namespace hardhead::lwe {
namespace {

/// A property by 20 cases instead of RapidCheck's 100: every file written waits for the disk.
template <class Body>
void check_few(const Body& body) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = 20;
  rc::detail::TestMetadata metadata;
  metadata.id = testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto result = rc::detail::checkTestable(body, metadata, params);
  std::ostringstream says;
  printResultMessage(result, says);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << says.str();
}

double draw_sigma() {
  const auto share = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1LL << 53)) * 0x1p-53;
  return DiscreteGaussian::min_sigma *
         std::pow(DiscreteGaussian::max_sigma / DiscreteGaussian::min_sigma, share);
}

/// Any parameters that validate() takes.
ProblemParameters draw_parameters() {
  ProblemParameters p;
  p.problem = *rc::gen::element(ProblemKind::lwe, ProblemKind::lwr, ProblemKind::lpn);
  p.n = *rc::gen::inRange<std::int64_t>(1, 9);
  p.q = *rc::gen::element<std::int64_t>(3, 16, 97, 12289, 65537, 2147483647, std::int64_t{1} << 31);
  p.secret = *rc::gen::element(SecretKind::uniform, SecretKind::binary, SecretKind::ternary,
                               SecretKind::fixed_weight);
  if (p.secret == SecretKind::fixed_weight) p.weight = *rc::gen::inRange<std::int64_t>(1, p.n + 1);
  if (p.problem == ProblemKind::lwe && *rc::gen::arbitrary<bool>()) p.noise = Noise::binary;
  if (p.problem == ProblemKind::lwe && p.noise == Noise::gaussian) p.sigma = draw_sigma();
  if (p.problem == ProblemKind::lwr)
    p.p = *rc::gen::inRange<std::int64_t>(2, std::min<std::int64_t>(p.q, 1000) + 1);
  if (p.problem == ProblemKind::lpn) {
    p.q = 2;
    p.secret = SecretKind::uniform;
    p.weight = 0;
    p.rate = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1LL << 52)) * 0x1p-53;
  }
  p.validate();
  return p;
}

/// Any residues: files do not ask whether a secret made them.
Challenge draw_challenge(const ProblemParameters& p) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 8);
  const auto residues = [](std::size_t size, std::int64_t below) {
    return *rc::gen::container<std::vector<Residue>>(
        size, rc::gen::map(rc::gen::inRange<std::int64_t>(0, below),
                           [](std::int64_t r) { return static_cast<Residue>(r); }));
  };
  return {p,
          {p.n, residues(count * static_cast<std::size_t>(p.n), p.q),
           residues(count, p.problem == ProblemKind::lwr ? p.p : p.q)}};
}

void assert_equal(const Challenge& one, const Challenge& other) {
  RC_ASSERT(one.parameters == other.parameters);
  RC_ASSERT(one.samples.n == other.samples.n);
  RC_ASSERT(one.samples.a == other.samples.a);
  RC_ASSERT(one.samples.b == other.samples.b);
  RC_ASSERT(content_digest(one) == content_digest(other));
}

TEST(ChallengeFileProperties, JsonComesBackWhateverTheProblem) {
  check_few([] {
    const ScratchFolder folder;
    const Challenge challenge = draw_challenge(draw_parameters());
    write_json_challenge(folder.path("c.json"), challenge);
    assert_equal(read_challenge(folder.path("c.json")), challenge);
  });
}

TEST(ChallengeFileProperties, DarmstadtTextComesBackWithItsSigma) {
  check_few([] {
    const ScratchFolder folder;
    ProblemParameters p = draw_parameters();
    p.problem = ProblemKind::lwe;
    p.noise = Noise::gaussian;
    p.sigma = draw_sigma();
    p.secret = SecretKind::uniform;
    p.weight = 0;
    p.p = 2;
    p.rate = 0;
    const Challenge challenge = draw_challenge(p);
    write_darmstadt(folder.path("c.txt"), challenge);
    assert_equal(read_challenge(folder.path("c.txt")), challenge);
  });
}

TEST(ChallengeFileProperties, TheDigestShowsEveryChange) {
  check_few([] {
    const Challenge challenge = draw_challenge(draw_parameters());
    Challenge other = challenge;
    auto& list = *rc::gen::arbitrary<bool>() ? other.samples.a : other.samples.b;
    const auto at = *rc::gen::inRange<std::size_t>(0, list.size());
    list[at] ^= Residue{1} << *rc::gen::inRange(0, 32);
    RC_ASSERT(content_digest(other) != content_digest(challenge));
  });
}

TEST(ChallengeFileProperties, SolutionsComeBack) {
  check_few([] {
    const ScratchFolder folder;
    const Solution solution{content_digest(draw_challenge(draw_parameters())),
                            *rc::gen::arbitrary<std::vector<Residue>>()};
    write_solution(folder.path("s.json"), solution);
    const Solution back = read_solution(folder.path("s.json"), 97);
    RC_ASSERT(back.instance == solution.instance);
    RC_ASSERT(back.secret == solution.secret);
  });
}

}  // namespace
}  // namespace hardhead::lwe
