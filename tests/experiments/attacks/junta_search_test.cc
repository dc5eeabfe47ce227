#include "experiments/attacks/junta_search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "study/problem/problem.h"
#include "tests/refusal.h"

namespace hardhead::experiments {
namespace {

using hardness::JuntaFunction;

std::string spec_of(const hardness::JuntaOptions& junta) {
  return fmt::format("junta:d={},m={},function={},seed={}", junta.d, junta.m, name_of(junta.function),
                     junta.seed);
}

JuntaSearch search(const hardness::JuntaOptions& junta, std::int64_t examples) {
  return search_junta(junta, *study::open_problem(spec_of(junta), {}).training, examples, RunContext{});
}

TEST(JuntaSearch, FindsEveryFunctionFromThePredictedNumberOfExamples) {
  for (const JuntaFunction function :
       {JuntaFunction::parity, JuntaFunction::staircase, JuntaFunction::majority, JuntaFunction::conjunction,
        JuntaFunction::address, JuntaFunction::scaled_parity, JuntaFunction::random})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const hardness::JuntaOptions junta{.d = 18, .m = 3, .function = function, .seed = seed};
      const JuntaSearch found = search(junta, junta_examples(junta, 0.001));
      EXPECT_TRUE(found.verified()) << spec_of(junta);
      EXPECT_NEAR(static_cast<double>(found.checked), 500, 100) << "half of all examples have the switch on";
    }
}

// The order of the bits matters to a staircase, and no order leaves it as it is.
TEST(JuntaSearch, NamesTheHiddenCoordinatesInTheFunctionsOrder) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const hardness::JuntaOptions junta{.d = 24, .m = 4, .seed = seed};
    const study::Problem problem = study::open_problem(spec_of(junta), {});
    EXPECT_EQ(search_junta(junta, *problem.training, 400, RunContext{}).found, problem.instance->hidden);
  }
}

// At most one run in twenty fails, by a bound that is not tight; 18 of 200 have probability 1% at that rate.
TEST(JuntaSearch, SeldomFailsFromThePredictedNumberOfExamples) {
  constexpr int runs = 200;
  for (const JuntaFunction function : {JuntaFunction::majority, JuntaFunction::conjunction}) {
    int failed = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      const hardness::JuntaOptions junta{.d = 12, .m = 3, .function = function, .seed = seed};
      failed += search(junta, junta_examples(junta, 0.05)).verified() ? 0 : 1;
    }
    EXPECT_LE(failed, 18) << name_of(function);
  }
}

TEST(JuntaSearch, TooFewExamplesLeaveSeveralFunctions) {
  const JuntaSearch found = search({.d = 20, .m = 3}, 6);
  EXPECT_TRUE(found.found.empty());
  EXPECT_FALSE(found.verified());
}

TEST(JuntaSearch, PredictsMoreExamplesForALargerClassAndForLessRisk) {
  const hardness::JuntaOptions junta{.d = 20, .m = 3};
  EXPECT_LT(junta_examples(junta, 0.1), junta_examples(junta, 0.001));
  EXPECT_LT(junta_examples(junta, 0.01), junta_examples({.d = 40, .m = 3}, 0.01));
  EXPECT_GT(junta_examples({.d = 20, .m = 8}, 0.01), 10'000) << "by a bound that is far from tight";
  EXPECT_THROW(junta_examples(junta, 0), InputError);
  EXPECT_THROW(junta_examples(junta, 1), InputError);
}

TEST(JuntaSearch, RefusesWhatIsNoJuntaOfTheseSizes) {
  const study::Problem nice = study::open_problem("nice:d=8,k=3", {});
  EXPECT_THAT(refusal_of([&] { search_junta({.d = 8, .m = 3}, *nice.training, 100, RunContext{}); }),
              testing::HasSubstr("k = 2"));
  const study::Problem junta = study::open_problem("junta:d=8,m=3", {});
  EXPECT_THROW(search_junta({.d = 9, .m = 3}, *junta.training, 100, RunContext{}), InputError);
  EXPECT_THROW(search_junta({.d = 8, .m = 3}, *junta.training, 0, RunContext{}), InputError);
}

}  // namespace
}  // namespace hardhead::experiments
