#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "attention/layer/exact.h"
#include "base/error.h"
#include "hardness/families/lwr.h"
#include "hardness/gadget/interpolation.h"
#include "hardness/hardness.h"
#include "tests/hardness/make.h"
#include "tests/refusal.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

RoundingProblem problem_of(const std::string& text) {
  return rounding_problem(Spec::parse(text));
}

/// The spec with the first seed whose secret is not zero and whose H is at most `most`.
std::string usable(const std::string& spec, std::int64_t most = 1 << 16) {
  for (int seed = 1;; ++seed) {
    const std::string seeded = fmt::format("{},seed={}", spec, seed);
    try {
      if (problem_of(seeded).length() <= most) return seeded;
    } catch (const InputError&) {
    }
  }
}

const std::vector<std::string>& secrets() {
  static const std::vector<std::string> kinds = {"secret=uniform", "secret=binary", "secret=ternary",
                                                 "secret=fixed-weight,weight=2"};
  return kinds;
}

/// The LWR label of one example, from its bits and the secret, in plain integers.
std::int64_t lwr_label(const RoundingProblem& problem, const Block& block, Index n) {
  const std::int64_t q = problem.parameters.q;
  const int bits = std::countr_zero(static_cast<std::uint64_t>(q));
  std::int64_t h = 0;
  for (std::int64_t j = 0; j < problem.parameters.n; ++j) {
    std::int64_t a = 0;
    for (int e = 0; e < bits; ++e)
      if (block.token(0)(j * bits + e, n) != block.token(1)(j * bits + e, n)) a += std::int64_t{1} << e;
    h += a * problem.secret[static_cast<std::size_t>(j)];
  }
  return h % q * problem.parameters.p / q;
}

struct Size {
  int q, p, n;
};

class Labels : public testing::TestWithParam<Size> {};

// 30 combinations of q, p and n, four kinds of secrets, 2,000 rows each with the switch on: 240,000 labels.
TEST_P(Labels, AreThoseOfLwrExactlyForEveryKindOfSecret) {
  const auto [q, p, n] = GetParam();
  for (const std::string& secret : secrets()) {
    const std::string spec = usable(fmt::format("lwr:n={},q={},p={},{}", n, q, p, secret));
    const RoundingProblem problem = problem_of(spec);
    const auto teacher = exact_rounding(problem).teacher();
    const attention::SimulatedSource source(teacher, problem.gadget.d, 2, attention::Inputs::boolean,
                                            Stream(Domain::test, 1, spec));
    Block block(problem.gadget.d, 2, 2200);
    source.read(0, block);
    const Index j0 = problem.gadget.d - 1;
    int on = 0;
    for (Index i = 0; i < block.count; ++i)
      for (Index r = 0; r < 2; ++r) {
        const double switched = block.token(r)(j0, i);
        const bool is_on = block.token(0)(j0, i) != block.token(1)(j0, i);
        on += is_on ? 1 : 0;
        const double want = is_on ? -2 * switched * static_cast<double>(lwr_label(problem, block, i)) : 0;
        ASSERT_EQ(block.label(r)(0, i), want) << spec;
        ASSERT_EQ(block.label(r).col(i).tail(block.d() - 1).cwiseAbs().maxCoeff(), 0) << spec;
      }
    EXPECT_GE(on, 2000);
  }
}

std::vector<Size> sizes() {
  std::vector<Size> out;
  for (const int q : {16, 64, 256})
    for (const int p : {2, 4})
      for (int n = 2; n <= 6; ++n) out.push_back({q, p, n});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Lwr, Labels, testing::ValuesIn(sizes()), [](const auto& row) {
  return fmt::format("q{}p{}n{}", row.param.q, row.param.p, row.param.n);
});

// The layer itself, heads, weights and softmax, in rational arithmetic: for every h an input that has it.
TEST(Lwr, TheExactLayerEqualsLwrForEveryH) {
  for (const std::string family :
       {"lwr:n=2,q=16,p=2", "lwr:n=2,q=16,p=4,secret=ternary", "lwr:n=3,q=16,p=4,secret=binary,base=2",
        "lwr:n=4,q=16,p=2,secret=fixed-weight,weight=3,heads=padded", "lwr:n=1,q=64,p=4,secret=binary",
        "lwr:n=3,q=8,p=8"}) {
    const std::string spec = usable(family, 64);
    const Instance instance = make(spec);
    const RoundingProblem problem = problem_of(spec);
    ASSERT_TRUE(instance.exact) << spec;
    const auto d = static_cast<std::size_t>(problem.gadget.d);
    std::vector<bool> met(static_cast<std::size_t>(problem.length()) + 1, false);
    const std::uint64_t inputs = std::uint64_t{1} << (d - 1);
    for (std::uint64_t bits = 0; bits < inputs; ++bits) {
      std::int64_t h = 0;
      for (std::size_t f = 0; f + 1 < d; ++f) h += (bits >> f & 1) != 0 ? problem.gadget.s[f] : 0;
      if (met[static_cast<std::size_t>(h)]) continue;
      met[static_cast<std::size_t>(h)] = true;
      std::vector<int> x(2 * d, 1);
      for (std::size_t f = 0; f + 1 < d; ++f) x[d + f] = (bits >> f & 1) != 0 ? -1 : 1;
      x[2 * d - 1] = -1;  // the switch is on
      const auto y = attention::evaluate(*instance.exact, x);
      const std::int64_t label = h % problem.parameters.q * problem.parameters.p / problem.parameters.q;
      EXPECT_EQ(y[0], Rational(-2 * label)) << spec << " h=" << h;
      EXPECT_EQ(y[d], Rational(2 * label)) << spec << " h=" << h;
      x[2 * d - 1] = 1;  // and off
      EXPECT_THAT(attention::evaluate(*instance.exact, x), testing::Each(Rational(0)));
    }
    EXPECT_THAT(instance.exact->w_sum(), testing::Each(Rational(0))) << spec;
  }
}

TEST(Lwr, HasHPlusTwoHeadsOrAsManyAsTheLargestSecretNeeds) {
  const RoundingProblem problem = problem_of("lwr:n=4,q=16,secret=binary,seed=1");
  EXPECT_EQ(make("lwr:n=4,q=16,secret=binary,seed=1").layer.m(), problem.length() + 2);
  for (int seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(make(fmt::format("lwr:n=4,q=16,secret=binary,heads=padded,seed={}", seed)).layer.m(),
              4 * 15 + 2);
}

TEST(Lwr, PaddingChangesNoLabel) {
  const std::string spec = usable("lwr:n=2,q=16,secret=binary");
  const Instance plain = make(spec), padded = make(spec + ",heads=padded");
  Block x(plain.layer.d, 2, 500);
  attention::draw_tokens(attention::Inputs::boolean, Stream(Domain::test, 1), 0, x);
  Block y = x;
  plain.teacher->label(x);
  padded.teacher->label(y);
  EXPECT_EQ(x.y, y.y);
}

TEST(Lwr, TheSecretIsThatOfPlainSamplesOfTheSameSeed) {
  const Instance instance = make("lwr:n=5,q=16,p=2,secret=ternary,seed=9");
  const auto recipe = lwe::Recipe::parse(Spec::parse("lwr:n=5,q=16,p=2,secret=ternary,seed=9"));
  const lwe::Sampler sampler(recipe.parameters, recipe.seed);
  EXPECT_THAT(instance.hidden, testing::ElementsAreArray(sampler.secret()));
}

TEST(Lwr, PastTheExactLimitTheForwardPassOfTheRoundedLayerIsWithinRoundingOfTheLabels) {
  const Instance instance = make("lwr:n=4,q=16,p=2,seed=1");
  EXPECT_FALSE(instance.exact);
  EXPECT_GT(instance.layer.m(), 66);
  Block exact(instance.layer.d, 2, 300);
  attention::draw_tokens(attention::Inputs::boolean, Stream(Domain::test, 1), 0, exact);
  Block forward = exact;
  instance.teacher->label(exact);
  attention::LayerTeacher(instance.layer).label(forward);
  EXPECT_LT((exact.y - forward.y).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(instance.layer.w_sum().cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Lwr, NullErrorIsExactByEnumerationOfAllInputs) {
  for (const std::string spec :
       {"lwr:n=2,q=8,p=2,seed=1", "lwr:n=2,q=8,p=4,seed=4", "lwr:n=3,q=4,p=2,seed=3"}) {
    const RoundingProblem problem = problem_of(spec);
    const std::int64_t q = problem.parameters.q, p = problem.parameters.p, n = problem.parameters.n;
    Rational mean = 0, errors = 0, squares = 0;
    for (std::int64_t h = 0; h < q; ++h) mean += Rational(h * p / q, q);
    std::int64_t count = 1;
    for (std::int64_t j = 0; j < n; ++j) count *= q;
    for (std::int64_t a = 0; a < count; ++a) {
      std::int64_t h = 0, rest = a;
      for (const lwe::Residue w : problem.secret) h += rest % q * w, rest /= q;
      const Rational g = h % q * p / q;
      errors += (g - mean) * (g - mean), squares += g * g;
    }
    EXPECT_EQ(problem.null_error(), errors / squares) << spec;
    EXPECT_EQ(*make(spec).null.exact_error, errors / squares) << spec;
  }
  EXPECT_EQ(*make("lwr").null.exact_error, Rational(1, 2));
}

TEST(Lwr, RefusesWhatItCannotMake) {
  const auto refusal = [](const std::string& spec) { return refusal_of([&] { make(spec); }); };
  using testing::HasSubstr;
  EXPECT_THAT(refusal("lwr:q=17"), HasSubstr("q=17 is not a power of two"));
  EXPECT_THAT(refusal("lwr:q=8192"), HasSubstr("4 .. 4096"));
  EXPECT_THAT(refusal("lwr:p=32"), HasSubstr("p=32 is not in 2 .. q=16"));
  EXPECT_THAT(refusal("lwr:n=200"), HasSubstr("more than 512 features"));
  EXPECT_THAT(refusal("lwr:n=40,q=256"), HasSubstr("bytes, more than"));
  EXPECT_THAT(refusal("lwr:n=40,q=4096"), HasSubstr("H="));
  EXPECT_THAT(refusal("lwr:secret=fixed-weight"), HasSubstr("weight=0"));
  std::string zero;
  for (int seed = 0; seed < 20 && zero.find("zeros") == std::string::npos; ++seed)
    zero = refusal(fmt::format("lwr:n=1,secret=binary,seed={}", seed));
  EXPECT_THAT(zero, HasSubstr("take another seed"));
}

nlohmann::json known_interpolation() {
  std::ifstream in(std::string(HARDHEAD_TEST_DIR) + "/known_answers/interpolation_weights.json");
  return nlohmann::json::parse(in);
}

TEST(RoundedInterpolation, RoundsEveryKnownWeightCorrectly) {
  const nlohmann::json known = known_interpolation();
  ASSERT_EQ(known["cases"].size(), 21u);
  for (const auto& c : known["cases"]) {
    const long h_max = c["H"];
    std::vector<std::int64_t> g;
    for (long h = 0; h <= h_max; ++h)
      g.push_back(c["function"] == "(-1)^h"
                      ? 1 - 2 * (h % 2)
                      : c["p"].get<long>() * h / c["q"].get<long>() % c["p"].get<long>());
    const auto weights = rounded_interpolation(g, c["B"]);
    ASSERT_EQ(weights.size(), c["weights"].size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_EQ(weights[i], round_to_nearest(parse_rational(std::string(c["weights"][i]))))
          << c["function"] << i;
  }
}

TEST(RoundedInterpolation, RoundsTheExactWeightsCorrectlyWhereTheseAreStillAtHand) {
  for (const auto& [base, q, p, length] :
       {std::tuple{2, 16, 2, 120}, {4, 64, 2, 200}, {4, 16, 2, 71}, {7, 16, 4, 90}, {1 << 20, 8, 8, 30}}) {
    std::vector<std::int64_t> g;
    std::vector<Rational> rational;
    for (int h = 0; h <= length; ++h) {
      g.push_back(h * p / q % p);
      rational.push_back(Rational(g.back()));
    }
    const auto weights = rounded_interpolation(g, base);
    const auto exact = exact_interpolation(rational, base);
    for (std::size_t i = 0; i < weights.size(); ++i)
      EXPECT_EQ(weights[i], round_to_nearest(exact.weights[i])) << base << " " << i;
  }
}

TEST(RoundedInterpolation, DecidesWeightsFarBelowTheTermsThatTheyAreSumsOf) {
  // As of lwr:n=10. In the middle of a plateau in the middle, weights are of the size of 2^-300.
  std::vector<std::int64_t> g;
  for (int h = 0; h <= 288; ++h) g.push_back(h / 8 % 2);
  const std::vector<Rational> rational(g.begin(), g.end());
  const std::vector<double> weights = rounded_interpolation(g, 4);
  double smallest = 1;
  for (const std::size_t i : {1, 139, 140, 147, 148, 149}) {
    EXPECT_EQ(weights[i], round_to_nearest(exact_interpolation_weight(rational, 4, static_cast<long>(i))))
        << i;
    smallest = std::min(smallest, std::abs(weights[i]));
  }
  EXPECT_LT(smallest, 0x1p-270);
}

TEST(RoundedInterpolation, RoundsATieToEven) {
  // H = 0, B = 3: w_0 = -2 g(0) = -w_1, which lies in the middle of two doubles.
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(rounded_interpolation(std::array{odd}, 3), testing::ElementsAre(-0x1p54, 0x1p54));
  const std::int64_t next = odd + 2;
  EXPECT_THAT(rounded_interpolation(std::array{next}, 3), testing::ElementsAre(-0x1p54 - 8, 0x1p54 + 8));
}

TEST(RoundedInterpolation, SaysHowLongARationalWeightIsThatItDoesNotMake) {
  const std::vector<Rational> g(20000, Rational(1));
  EXPECT_THAT(refusal_of([&] { exact_interpolation_weight(g, 4, 7); }),
              testing::HasSubstr("weight 7 of 20001 as a rational has 1.6e+09 bits"));
}

TEST(RoundedInterpolation, GivesZerosForZeroAndRefusesNothing) {
  EXPECT_THAT(rounded_interpolation(std::vector<std::int64_t>(5, 0), 4), testing::Each(0.0));
  EXPECT_THROW(rounded_interpolation({}, 4), InputError);
  EXPECT_THROW(rounded_interpolation(std::vector<std::int64_t>(5, 1), 1), InputError);
}

TEST(Staircase, IsWithinItsBoundOfTheLwrLabelForEveryH) {
  for (const std::string spec :
       {"staircase:n=4,q=16,p=2,base=1024", "staircase:n=3,q=64,p=4,base=4", "staircase:n=3,q=16,p=8,base=2",
        "staircase:n=5,q=16,p=2,secret=binary,base=16"}) {
    const RoundingProblem problem = problem_of(spec);
    const SwitchGadget gadget = staircase_rounding(problem);
    const auto g = problem.labels();
    const Rational base = problem.base, levels = problem.parameters.p - 1;
    const long spacing = static_cast<long>(problem.parameters.q / problem.parameters.p),
               length = gadget.h_max();
    EXPECT_EQ(gadget.weight_sum(), 0);
    for (long h = 0; h <= length; ++h) {
      const Rational bound =
          levels * ((1 / base + power(base, 1 - 2 * spacing)) / (1 - power(base, -2 * spacing)) +
                    power(base, -(2 * (length - h) + 1)));
      EXPECT_LE(abs(Rational(gadget.g(h) - g[static_cast<std::size_t>(h)])), bound) << spec << " h=" << h;
    }
  }
}

TEST(Staircase, LabelsAreTheExactValuesRoundedOnce) {
  for (const std::string spec :
       {"staircase", "staircase:n=3,q=64,p=8,base=2", "staircase:n=2,q=16,p=16,base=3"}) {
    const SwitchGadget gadget = staircase_rounding(problem_of(spec));
    const std::vector<double> labels = gadget.levels(0);
    ASSERT_EQ(std::ssize(labels), gadget.h_max() + 1);
    for (long h = 0; h <= gadget.h_max(); ++h)
      EXPECT_EQ(labels[static_cast<std::size_t>(h)], round_to_nearest(-2 * gadget.g(h)))
          << spec << " h=" << h;
  }
}

TEST(Staircase, IsMadeForAnyLengthOfItsRange) {
  const Instance instance = make(usable("staircase:n=2,q=4096,p=4096"));
  EXPECT_GT(instance.layer.m(), 10000);
}

TEST(Staircase, HasOneHeadAJumpAndTwoInItsPreset) {
  const RoundingProblem problem = problem_of("staircase");
  const std::int64_t jumps = problem.length() * 2 / 16;
  EXPECT_EQ(make("staircase").layer.m(), jumps + jumps % 2) << "and one where the last level is 1";
  const Instance preset = make("staircase:secret=fixed-weight,weight=1");
  EXPECT_EQ(preset.layer.m(), 2);
  EXPECT_THAT(find_family("staircase").assumptions, testing::HasSubstr("no hardness"));
}

}  // namespace
}  // namespace hardhead::hardness
