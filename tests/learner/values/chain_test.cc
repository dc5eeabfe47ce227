#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/learner/layer_error.h"
#include "tests/refusal.h"

namespace hardhead::learner {
namespace {

/// The parities of the first 1, 2, .. of these features.
attention::Hints parities_of(std::vector<Index> features) {
  return [features = std::move(features)](const attention::Block& block) {
    attention::RowMatrix out = attention::RowMatrix::Ones(static_cast<Index>(features.size()), block.count);
    for (Index t = 0; t < out.rows(); ++t)
      for (Index s = 0; s <= t; ++s) {
        const Index f = features[static_cast<std::size_t>(s)];
        out.row(t).array() *= block.token(0).row(f).array() * block.token(1).row(f).array();
      }
    return out;
  };
}

Report asked(const hardness::Instance& instance, attention::Hints hints, std::uint64_t seed = 1) {
  const Index d = instance.layer.d;
  ValueOracle oracle(
      instance.teacher, d,
      {.tokens = 2, .hints = std::move(hints), .gadget = attention::ParityGadget{d - 1, -2, 2}});
  return learn(Spec::parse("chain"), oracle, {.seed = seed});
}

TEST(Chain, FindsSetsThatAreOutOfReachWithoutHints) {
  for (const auto& [d, m] : {std::pair{8, 2}, {20, 6}, {40, 12}, {128, 20}}) {
    const hardness::Instance instance = instance_of(fmt::format("parity:d={},m={}", d, m));
    const Report report = asked(instance, parities_of(instance.hidden));
    EXPECT_EQ(*report.hidden, instance.hidden);
    EXPECT_LT(report.queries_used, 160);
  }
}

TEST(Chain, FailsNoMoreOftenThanItSays) {
  const hardness::Instance instance = instance_of("parity:d=20,m=6");
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    failed += asked(instance, parities_of(instance.hidden), seed).ending == Ending::failed ? 1 : 0;
  EXPECT_LE(failed, 9) << "P(more than 9 of 300) at 0.01 is below 0.001";
}

TEST(Chain, ReportsHintsThatAreNone) {
  const hardness::Instance instance = instance_of("parity:d=20,m=3");
  const Report report = asked(instance, [](const attention::Block& block) {
    attention::RowMatrix out(3, block.count);  // products of many features: no single one explains a step
    for (Index t = 0; t < 3; ++t)
      for (Index n = 0; n < block.count; ++n) out(t, n) = block.token(0).col(n).segment(0, 7 + 3 * t).prod();
    return out;
  });
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_THAT(report.message, ::testing::HasSubstr("two features have large gradients"));
}

TEST(Chain, IsRefusedWithoutHints) {
  const hardness::Instance instance = instance_of("parity:d=12,m=3");
  EXPECT_THAT(refusal_of([&] { asked(instance, {}); }),
              ::testing::HasSubstr("chain reads hints, which layers of family parity give"));
}

}  // namespace
}  // namespace hardhead::learner
