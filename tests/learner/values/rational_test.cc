#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "tests/learner/layer_error.h"

namespace hardhead::learner {
namespace {

using attention::ExactLayer;

/// Theta_i = (ln 2 / 2) N_i, N_i of integers in -6 .. 6, W_i of integers in -5 .. 5.
ExactLayer integer_layer(Index d, Index m) {
  const Stream stream(Domain::instance, 1, "rational test");
  ExactLayer out{d, 2, {}};
  std::uint64_t item = 0;
  for (Index i = 0; i < m; ++i) {
    ExactLayer::Head head;
    for (Index a = 0; a < d; ++a)
      for (Index b = 0; b < d; ++b) {
        const auto theta = static_cast<std::int64_t>(stream.below(item++, 13)) - 6;
        const auto w = static_cast<std::int64_t>(stream.below(item++, 11)) - 5;
        if (theta != 0) head.theta.push_back({a, b, theta});
        if (w != 0) head.w.push_back({a, b, Rational(w)});
      }
    out.heads.push_back(std::move(head));
  }
  return out;
}

auto sorted(const ExactLayer& layer) {
  using Place = std::pair<Index, Index>;
  std::vector<std::pair<std::map<Place, std::int64_t>, std::map<Place, Rational>>> out;
  for (const ExactLayer::Head& head : layer.heads) {
    auto& [theta, w] = out.emplace_back();
    for (const auto& entry : head.theta) theta[{entry.row, entry.column}] = entry.half_units;
    for (const auto& entry : head.w) w[{entry.row, entry.column}] = entry.value;
  }
  std::ranges::sort(out);
  return out;
}

TEST(Rational, IsExactForEveryNumberOfHeads) {
  for (Index m = 1; m <= 6; ++m) {
    const ExactLayer layer = integer_layer(8, m);
    ExactOracle oracle(layer, {});
    Task task;
    task.heads = m;
    const Report report = learn(Spec::parse("rational"), oracle, task);
    ASSERT_EQ(report.ending, Ending::finished) << "m = " << m << ": " << report.message;
    EXPECT_EQ(sorted(*report.exact), sorted(layer)) << "m = " << m;
  }
}

TEST(Rational, FindsTheHeadsOfAParityLayer) {
  const hardness::Instance parity = instance_of("parity:d=6,m=2");
  ExactOracle oracle(*parity.exact, {});
  const Report report = learn(Spec::parse("rational"), oracle, {});
  ASSERT_EQ(report.ending, Ending::finished) << report.message;
  EXPECT_EQ(sorted(*report.exact), sorted(*parity.exact));
}

TEST(Rational, InDoubleLearnsFewHeads) {
  const hardness::Instance one = instance_of("nice:d=6,m=1"), two = instance_of("nice:d=6,m=2");
  for (const hardness::Instance* instance : {&one, &two}) {
    ValueOracle oracle(instance->teacher, 6, {});
    Task task;
    task.heads = instance->layer.m();
    const Report report = learn(Spec::parse("rational:arithmetic=double"), oracle, task);
    ASSERT_EQ(report.ending, Ending::finished) << report.message;
    EXPECT_LE(layer_error(*report.layer, instance->layer), 1e-10);
  }
}

TEST(Rational, TheArithmeticDecidesTheOracle) {
  const hardness::Instance nice = instance_of("nice:d=6,m=1");
  ValueOracle values(nice.teacher, 6, {}), fixed(nice.teacher, 6, {.tokens = 2});
  ExactOracle exact(integer_layer(4, 1), {});
  EXPECT_THROW(learn(Spec::parse("rational"), values, {}), InputError);
  EXPECT_THROW(learn(Spec::parse("rational:arithmetic=double"), fixed, {}), InputError);
  EXPECT_THROW(learn(Spec::parse("mobius"), exact, {}), InputError);
}

}  // namespace
}  // namespace hardhead::learner
