#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/run/parallel.h"

namespace hardhead {
namespace {

// Joining is associative and exact in these, so that the grain, which shapes the tree, must not show; joining
// texts is not commutative, so that a wrong order would.
RC_GTEST_PROP(DeterministicReduceProperties, ExactSumsDoNotDependOnTheGrain, ()) {
  const auto values = *rc::gen::arbitrary<std::vector<std::int32_t>>();
  const auto count = static_cast<std::int64_t>(values.size());
  std::int64_t expected = 0;
  for (const std::int32_t value : values) expected += value;
  const auto sum = [&](std::int64_t grain) {
    return deterministic_reduce(
        count, grain, std::int64_t{0},
        [&](std::int64_t& partial, std::int64_t i) { partial += values[static_cast<std::size_t>(i)]; },
        [](std::int64_t& left, std::int64_t right) { left += right; });
  };
  RC_ASSERT(sum(*rc::gen::inRange<std::int64_t>(1, 130)) == expected);
}

RC_GTEST_PROP(DeterministicReduceProperties, PartsAreJoinedInTheOrderOfTheIndices, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const std::string joined = deterministic_reduce(
      static_cast<std::int64_t>(text.size()), *rc::gen::inRange<std::int64_t>(1, 130), std::string(),
      [&](std::string& partial, std::int64_t i) { partial += text[static_cast<std::size_t>(i)]; },
      [](std::string& left, const std::string& right) { left += right; });
  RC_ASSERT(joined == text);
}

RC_GTEST_PROP(DeterministicReduceProperties, RoundedSumsAreTheSameEveryTime, ()) {
  const auto values =
      *rc::gen::container<std::vector<std::int32_t>>(2000, rc::gen::arbitrary<std::int32_t>());
  const auto grain = *rc::gen::inRange<std::int64_t>(1, 130);
  const auto sum = [&] {
    return deterministic_reduce(
        2000, grain, 0.0,
        [&](double& partial, std::int64_t i) {
          partial += 1.0 / (1e-3 + values[static_cast<std::size_t>(i)]);
        },
        [](double& left, double right) { left += right; });
  };
  RC_ASSERT(sum() == sum());
}

}  // namespace
}  // namespace hardhead
