#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "hardness/families/rounding_layer.h"
#include "hardness/hardness.h"
#include "lwe/attacks/attack.h"

namespace hardhead::hardness {
namespace {

using attention::Block;
using attention::Index;

struct Drawn {
  Instance instance;
  lwe::Samples exact, noisy;
};

/// The same examples with right labels and as a learner gets them, read as samples.
Drawn draw(const std::string& spec, const lwe::ProblemParameters& p, std::int64_t count) {
  Drawn out{make_instance(Spec::parse(spec)), {}, {}};
  const auto source = std::make_shared<attention::SimulatedSource>(
      out.instance.teacher, out.instance.layer.d, 2, out.instance.inputs, Stream(Domain::samples, 1));
  const attention::NoisySource wrong(source, out.instance.wrong_labels, Stream(Domain::samples, 1, "noise"));
  Block block(out.instance.layer.d, 2, count);
  source->read(0, block);
  out.exact = rounding_samples(p, block);
  wrong.read(0, block);
  out.noisy = rounding_samples(p, block);
  return out;
}

TEST(Lwe, TrainingLabelsAreLweSamplesOfTheStatedDeviation) {
  lwe::ProblemParameters p{.problem = lwe::ProblemKind::lwe, .n = 3, .q = 64, .sigma = 2};
  const Drawn drawn = draw("lwe:n=3,q=64,sigma=2", p, 20'000);
  double squares = 0;
  for (std::size_t i = 0; i < drawn.exact.b.size(); ++i) {
    const std::int64_t h =
        lwe::inner_product(drawn.exact.row(static_cast<std::int64_t>(i)), lwe::draw_secret(p, 1), 64);
    ASSERT_EQ(drawn.exact.b[i], h);
    std::int64_t e = (static_cast<std::int64_t>(drawn.noisy.b[i]) - h + 64) % 64;
    if (e > 32) e -= 64;
    squares += static_cast<double>(e * e);
  }
  const auto m = static_cast<double>(drawn.exact.b.size());
  EXPECT_GT(m, 9000);
  EXPECT_NEAR(squares / m / 4, 1, 5 * std::sqrt(2 / m));
}

TEST(Lpn, LabelsAreWrongAtTheRateAndAnAttackReadsTheSecret) {
  lwe::ProblemParameters p{.problem = lwe::ProblemKind::lpn, .n = 16, .q = 2, .rate = 0.125};
  const Drawn drawn = draw("lpn:n=16", p, 4000);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < drawn.exact.b.size(); ++i)
    wrong += drawn.exact.b[i] != drawn.noisy.b[i] ? 1 : 0;
  const auto m = static_cast<double>(drawn.exact.b.size());
  EXPECT_NEAR(static_cast<double>(wrong) / m, 0.125, 5 * std::sqrt(0.125 * 0.875 / m));
  const auto report = lwe::attack({p, drawn.noisy}, lwe::find_attack("exhaustive"), 60, {});
  EXPECT_TRUE(report.solved()) << report.message;
  EXPECT_TRUE(std::equal(report.secret.begin(), report.secret.end(), drawn.instance.hidden.begin()));
}

TEST(Noisy, AnExamplesNoiseIsTheSameInWhateverBlock) {
  const Instance instance = make_instance(Spec::parse("lpn:n=10,rate=0.4"));
  const auto source = std::make_shared<attention::SimulatedSource>(instance.teacher, 11, 2, instance.inputs,
                                                                   Stream(Domain::samples, 1));
  const attention::NoisySource wrong(source, instance.wrong_labels, Stream(Domain::samples, 1, "noise"));
  Block all(11, 2, 300), part(11, 2, 40);
  wrong.read(0, all);
  wrong.read(200, part);
  for (Index n = 0; n < 40; ++n)
    for (Index r = 0; r < 2; ++r) EXPECT_EQ(part.label(r)(0, n), all.label(r)(0, 200 + n));
}

// The mean of noisy labels is not the label: mod q, what is added to one end comes off the other.
TEST(CeilingError, IsThatOfTheMeanOfNoisyLabels) {
  EXPECT_EQ(make_instance(Spec::parse("lpn:n=6,rate=0.125")).ceiling_error, Rational(2, 64));
  EXPECT_EQ(make_instance(Spec::parse("lpn:n=6,rate=0.25")).ceiling_error, Rational(2, 16));
  EXPECT_EQ(make_instance(Spec::parse("lpn:n=6,rate=0")).ceiling_error, 0);
  for (const double sigma : {0.6, 1.0, 3.0}) {
    const Instance instance = make_instance(Spec::parse(fmt::format("lwe:n=2,q=16,sigma={}", sigma)));
    const auto q = std::int64_t{1} << (instance.layer.d - 1) / 2;
    const lwe::DiscreteGaussian law(sigma);
    std::int64_t step = q;
    for (const auto w : instance.hidden) step = std::gcd(step, static_cast<std::int64_t>(w));
    double errors = 0, squares = 0;
    for (std::int64_t g = 0; g < q; g += step) {
      double mean = 0;
      for (std::int64_t e = -law.cut(); e <= law.cut(); ++e)
        mean += std::ldexp(static_cast<double>(law.probability(e)), -64) *
                static_cast<double>(((g + e) % q + q) % q);
      errors += (mean - static_cast<double>(g)) * (mean - static_cast<double>(g));
      squares += static_cast<double>(g * g);
    }
    EXPECT_NEAR(round_to_nearest(instance.ceiling_error), errors / squares, 1e-12) << sigma;
  }
}

TEST(CeilingError, LeavesRoomBelowTheNullError) {
  for (const char* spec :
       {"lwe:n=2,q=4,sigma=50", "lwe:n=2,q=8,sigma=2", "lpn:n=5,rate=0.499", "parity:d=6,m=2"}) {
    const Instance instance = make_instance(Spec::parse(spec));
    EXPECT_LT(instance.ceiling_error, *instance.null.exact_error) << spec;
  }
}

}  // namespace
}  // namespace hardhead::hardness
