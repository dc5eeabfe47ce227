#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "attention/layer/exact.h"
#include "base/error.h"
#include "hardness/families/parity.h"
#include "hardness/hardness.h"
#include "tests/hardness/make.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::EnumerationSource;
using attention::Index;

template <class Visit>
void for_every_input(const Instance& instance, const Visit& visit) {
  const EnumerationSource source(instance.teacher, instance.layer.d, 2);
  Block block(instance.layer.d, 2, 64);
  for (std::int64_t first = 0; first < source.size(); first += block.count) {
    block.resize(block.d(), 2, std::min<Index>(64, source.size() - first));
    source.read(first, block);
    for (Index n = 0; n < block.count; ++n) visit(block, n);
  }
}

struct View {
  bool on;   // the switch
  int sign;  // chi_S(z)
};

View view(const Instance& instance, const std::vector<int>& x) {
  const auto d = static_cast<std::size_t>(instance.layer.d);
  View out{x[d - 1] != x[2 * d - 1], 1};
  for (const Index j : instance.hidden)
    if (x[static_cast<std::size_t>(j)] != x[d + static_cast<std::size_t>(j)]) out.sign = -out.sign;
  return out;
}

/// kappa of labels: 0 but for the minimal variant of even m.
Rational kappa_of(const Instance& instance) {
  const auto m = static_cast<long>(instance.hidden.size());
  if (instance.spec.values[3].second == "exact" || m % 2 != 0) return 0;
  std::vector<Rational> g;
  for (long h = 0; h <= m; ++h) g.push_back(h % 2 == 0 ? 1 : -1);
  return minimal_steps(g, instance.exact->base).offset;
}

const std::vector<std::string>& small_specs() {
  static const std::vector<std::string> specs{
      "parity:d=5,m=1,variant=exact",   "parity:d=5,m=1,variant=minimal",
      "parity:d=6,m=2,variant=exact",   "parity:d=6,m=2,variant=minimal,base=2",
      "parity:d=6,m=3,base=3",          "parity:d=6,m=3,variant=minimal,base=16",
      "parity:d=5,m=4,variant=minimal", "parity:d=6,m=5,variant=minimal",
      "parity:d=7,m=4,variant=exact",   "parity:d=2,m=1,base=1048576"};
  return specs;
}

TEST(Parity, ExactEvaluationIsTheStatedFormulaOnEveryInput) {
  for (const auto& spec : small_specs()) {
    const Instance instance = make(spec);
    const Rational kappa = kappa_of(instance);
    for_every_input(instance, [&](const Block& block, Index n) {
      const auto x = tokens(block, n);
      const auto y = attention::evaluate(*instance.exact, x);
      const View v = view(instance, x);
      const auto d = static_cast<std::size_t>(instance.layer.d);
      for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t f = 0; f < d; ++f) {
          const Rational want =
              f == 0 && v.on ? Rational(-2 * x[r * d + d - 1] * (v.sign + kappa)) : Rational(0);
          ASSERT_EQ(y[r * d + f], want) << spec;
        }
    });
  }
}

TEST(Parity, ProjectionsSumToZeroExactlyInEveryVariant) {
  for (const char* variant : {"exact", "minimal"})
    for (int m = 1; m <= 12; ++m) {
      const Instance instance = make("parity:d=20,m=" + std::to_string(m) + ",variant=" + variant);
      EXPECT_THAT(instance.exact->w_sum(), testing::Each(Rational(0))) << m << variant;
    }
}

TEST(Parity, HeadCountIsAsStated) {
  for (int m = 1; m <= 8; ++m) {
    const std::string spec = "parity:d=20,m=" + std::to_string(m);
    EXPECT_EQ(make(spec).layer.m(), m + 2);
    EXPECT_EQ(make(spec + ",variant=minimal").layer.m(), m % 2 == 0 ? m : m + 1);
  }
}

TEST(Parity, NullErrorEqualsEveryKnownOneExactly) {
  std::ifstream in(std::string(HARDHEAD_TEST_DIR) + "/known_answers/parity_weights.json");
  const auto known = nlohmann::json::parse(in);
  ASSERT_EQ(known["cases"].size(), 30u);
  for (const auto& c : known["cases"]) {
    const std::string m = std::to_string(c["m"].get<int>()), base = std::to_string(c["B"].get<int>());
    EXPECT_EQ(make("parity:d=20,variant=minimal,m=" + m + ",base=" + base).null.exact_error,
              parse_rational(std::string(c["null_error"])));
    EXPECT_EQ(make("parity:d=20,m=" + m + ",base=" + base).null.exact_error, Rational(1));
  }
}

TEST(Parity, NullErrorIsThatOfTheBestFunctionOfTheSwitchByEnumeration) {
  for (const auto& spec : small_specs()) {
    const Instance instance = make(spec);
    // For each switch value, the best multiple of x_{r,j0}: sums of (x_{r,j0} Y)^2 and x_{r,j0} Y.
    std::array<Rational, 2> squares{}, sums{};
    std::array<long, 2> counts{};
    for_every_input(instance, [&](const Block& block, Index n) {
      const auto x = tokens(block, n);
      const auto y = attention::evaluate(*instance.exact, x);
      const auto d = static_cast<std::size_t>(instance.layer.d);
      const std::size_t on = view(instance, x).on ? 1 : 0;
      for (std::size_t r = 0; r < 2; ++r) {
        squares[on] += y[r * d] * y[r * d];
        sums[on] += x[r * d + d - 1] * y[r * d];
        counts[on] += 1;
      }
    });
    const Rational explained = sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
    EXPECT_EQ(*instance.null.exact_error, 1 - explained / (squares[0] + squares[1])) << spec;
  }
}

TEST(Parity, HiddenSetIsSortedOfSizeMAndNeverHasTheSwitch) {
  for (int seed = 0; seed < 200; ++seed) {
    const Instance instance = make("parity:d=9,m=3,seed=" + std::to_string(seed));
    ASSERT_EQ(instance.hidden.size(), 3u);
    EXPECT_TRUE(std::is_sorted(instance.hidden.begin(), instance.hidden.end()));
    EXPECT_EQ(std::set<Index>(instance.hidden.begin(), instance.hidden.end()).size(), 3u);
    EXPECT_GE(instance.hidden.front(), 0);
    EXPECT_LT(instance.hidden.back(), 8);
  }
}

TEST(Parity, HiddenSetIsUniformOverAllSubsets) {
  std::map<std::vector<Index>, int> seen;
  constexpr int draws = 3000;
  for (int seed = 0; seed < draws; ++seed)
    ++seen[make("parity:d=6,m=2,variant=minimal,seed=" + std::to_string(seed)).hidden];
  ASSERT_EQ(seen.size(), 10u);
  double chi_square = 0;
  for (const auto& [set, count] : seen) chi_square += (count - 300.0) * (count - 300.0) / 300.0;
  EXPECT_LT(chi_square, 33.7);  // 9 degrees of freedom, one in 10,000
}

TEST(Parity, SizeDMinusOneIsAllowedAndOneMoreIsNot) {
  EXPECT_EQ(make("parity:d=4,m=3").hidden, (std::vector<Index>{0, 1, 2}));
  try {
    make("parity:d=4,m=4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("m=4 is more than d-1=3"));
    EXPECT_THAT(error.what(), testing::HasSubstr("parity:d=4,m=4,base=4"));
  }
}

TEST(Parity, WeightsTooLargeToComputeAreRefusedBeforeTheyAre) {
  EXPECT_THROW(make("parity:d=512,m=500,base=1048576"), InputError);
}

TEST(Parity, TwoHeadPresetIsTheXorOfTwoHiddenBits) {
  const Instance instance = make("parity:m=2,variant=minimal");
  EXPECT_EQ(instance.layer.m(), 2);
  EXPECT_EQ(instance.exact->heads[0].w[0].value, Rational(130, 27));
  EXPECT_EQ(*instance.null.exact_error, Rational(81, 370));
}

TEST(Parity, TwoHeadsHideThreeBits) {
  const Instance instance = make("parity:d=6,m=3,variant=compact");
  EXPECT_EQ(instance.layer.m(), 2);
  EXPECT_NEAR(round_to_nearest(*instance.null.exact_error), 0.400, 5e-4);
  const Rational w = instance.exact->w_sum().at(5 * 6);
  EXPECT_EQ(*instance.null.exact_error, 1 / (1 + w * w / 4));
  for_every_input(instance, [&](const Block& block, Index n) {
    const auto x = tokens(block, n);
    const auto y = attention::evaluate(*instance.exact, x);
    const View v = view(instance, x);
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t f = 0; f < 6; ++f) {
        const Rational want = f != 0 ? Rational(0) : x[r * 6 + 5] * (v.on ? Rational(-2 * v.sign) : w);
        ASSERT_EQ(y[r * 6 + f], want);
      }
  });
}

TEST(Parity, CompactLabelsAreWhatTheLayerComputes) {
  for (const char* spec : {"parity:d=6,m=3,variant=compact", "parity:d=6,m=2,variant=compact-exact",
                           "parity:d=7,m=5,variant=compact", "parity:d=7,m=6,variant=compact-exact,base=3",
                           "parity:d=3,m=1,variant=compact", "parity:d=7,m=4,variant=compact,base=16"}) {
    const Instance instance = make(spec);
    const attention::LayerTeacher forward(instance.layer);
    const Rational off_level = 4 * (1 / *instance.null.exact_error - 1);  // W^2
    for_every_input(instance, [&](const Block& block, Index n) {
      const auto x = tokens(block, n);
      const View v = view(instance, x);
      Block one(block.d(), 2, 1);
      for (Index f = 0; f < block.d(); ++f)
        for (Index r = 0; r < 2; ++r) one.x(f, r) = x[static_cast<std::size_t>(r * block.d() + f)];
      forward.label(one);
      for (Index r = 0; r < 2; ++r) {
        const double label = block.label(r)(0, n), sign = one.x(block.d() - 1, r);
        if (v.on) {
          ASSERT_EQ(label, -2.0 * v.sign * sign) << spec;
        } else {
          ASSERT_NEAR(label * label, round_to_nearest(off_level), 1e-12) << spec;
        }
        ASSERT_NEAR(one.label(r)(0, 0), label, 1e-11) << spec;
      }
    });
  }
}

TEST(Parity, CompactHeadsAreAboutHalfAsMany) {
  for (int m = 1; m <= 12; ++m) {
    const std::string spec = "parity:d=20,m=" + std::to_string(m) + ",variant=compact";
    EXPECT_EQ(make(spec).layer.m(), m / 2 + 1);
    const Instance exact = make(spec + "-exact");
    EXPECT_EQ(exact.layer.m(), m / 2 + 2);
    EXPECT_EQ(*exact.null.exact_error, Rational(1));
    EXPECT_EQ(instance_shape(exact.spec).m, exact.layer.m());
    EXPECT_EQ(exact.exact.has_value(), m <= 3);
  }
  EXPECT_THROW(make("parity:d=80,m=65,variant=compact"), InputError);
  EXPECT_THROW(make("parity:d=8,m=5,variant=compact,base=17"), InputError);
  EXPECT_THROW(make("smoothed:d=8,m=5,variant=compact"), InputError);
}

TEST(Parity, BitsBehindHeadsAreTheMostThatAVariantHides) {
  for (const ParityVariant variant :
       {ParityVariant::exact, ParityVariant::minimal, ParityVariant::compact, ParityVariant::compact_exact})
    for (Index heads = 1; heads <= 20; ++heads) {
      const Index bits = bits_behind_heads(variant, heads);
      if (bits > 0) {
        EXPECT_LE(parity_heads(variant, bits), heads);
      }
      for (Index more = bits + 1; more < bits + 5; ++more) EXPECT_GT(parity_heads(variant, more), heads);
    }
  EXPECT_EQ(bits_behind_heads(ParityVariant::compact, 8), 15);
  EXPECT_EQ(bits_behind_heads(ParityVariant::compact_exact, 8), 13);
  EXPECT_EQ(bits_behind_heads(ParityVariant::minimal, 7), 6);
}

TEST(Parity, DigestsAreTheSameOnEveryMachine) {
  EXPECT_EQ(make("parity").digest, "7cee6d77c2773c6345e5a86664b3355334d6dd9eb03a60112cc0b476de23f9a8");
  EXPECT_EQ(make("parity:m=3,variant=minimal,base=3,seed=7").digest,
            "cd1cb48c225128244f3883154773a079a8395e4fc7ce765d08cca680ff8dc259");
  EXPECT_EQ(make("parity").hidden, (std::vector<Index>{0, 10, 13, 16, 17, 18}));
}

}  // namespace
}  // namespace hardhead::hardness
