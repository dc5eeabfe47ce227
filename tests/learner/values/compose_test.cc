#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attention/layer/network.h"
#include "base/error.h"
#include "learner/mobius/mobius.h"
#include "study/run/run.h"
#include "tests/hardness/make.h"

namespace hardhead::learner {
namespace {

study::RunResult run_block(const std::string& spec, const std::string& method, study::ValueAccess access = {},
                           std::uint64_t seed = 1) {
  study::RunOptions options;
  options.method = Learner::parse(method);
  options.task.seed = seed;
  options.values = std::move(access);
  return study::run(study::open_problem(spec, {}), options, {});
}

// docs/block.md.
double expected_queries(double d, double units) {
  return 12 + 40 * units + 1.05 * 8 * (d + 1) * units + 3 * (units + d + 1);
}

double measure_of(const Report& report, const std::string& phase, const std::string& name) {
  for (const Phase& entry : report.phases)
    if (entry.name == phase)
      for (const auto& [measure, value] : entry.measures)
        if (measure == name) return value;
  ADD_FAILURE() << "no measure " << name << " of " << phase;
  return 0;
}

struct BlockCase {
  Index m, width;
  int residual;
};

class Compose : public ::testing::TestWithParam<BlockCase> {};

TEST_P(Compose, RecoversTheBlock) {
  const auto [m, width, residual] = GetParam();
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const study::RunResult result =
        run_block(fmt::format("block:d=16,k=2,m={},width={},residual={},seed={}", m, width, residual, seed),
                  "compose", {}, seed);
    ASSERT_EQ(result.report.ending, Ending::finished) << result.report.message;
    EXPECT_EQ(result.report.layer->network->width(), width);
    EXPECT_EQ(result.report.layer->network->residual, residual == 1);
    EXPECT_EQ(result.score.heads_found, m);
    worst = std::max(worst, result.score.test_error);
    const double expected = expected_queries(16, static_cast<double>(width));
    EXPECT_NEAR(measure_of(result.report, "network", "queries"), expected, 0.15 * expected);
    for (const auto& error : result.score.parameter_error->w_error) EXPECT_LE(*error, 1e-6);
  }
  EXPECT_LE(worst, 1e-16);
  RecordProperty("worst", fmt::format("{:.2g}", worst));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Compose,
                         ::testing::Values(BlockCase{1, 8, 1}, BlockCase{2, 32, 1}, BlockCase{4, 16, 1},
                                           BlockCase{2, 48, 0}));

TEST(ComposeLearner, WorksThroughSingleForOneHead) {
  const study::RunResult result =
      run_block("block:d=8,k=2,m=1,width=20,residual=0", "compose:attention=single");
  ASSERT_EQ(result.report.ending, Ending::finished) << result.report.message;
  EXPECT_LE(result.score.test_error, 1e-16);
}

TEST(ComposeLearner, NamesANetworkThatIsNotInjective) {
  // Six pairs for eight features.
  const study::RunResult narrow = run_block("block:d=8,k=2,m=1,width=12,residual=0", "compose");
  EXPECT_EQ(narrow.report.ending, Ending::failed);
  EXPECT_NE(narrow.report.message.find("not injective"), std::string::npos) << narrow.report.message;
  // A residual that does not keep the orientation everywhere.
  const study::RunResult steep = run_block("block:d=8,k=2,m=1,width=32,slope=20", "compose");
  EXPECT_EQ(steep.report.ending, Ending::failed);
  EXPECT_NE(steep.report.message.find("not injective"), std::string::npos) << steep.report.message;
}

TEST(ComposeLearner, APolishAveragesWhatAnswersAreOffBy) {
  study::ValueAccess access;
  access.tolerance.tau = 1e-8;
  const char* const block = "block:d=8,k=2,m=2,width=8,seed=4";
  const study::RunResult without = run_block(block, "compose", access),
                         with = run_block(block, "compose:polish=2000", access);
  ASSERT_EQ(with.report.ending, Ending::finished) << with.report.message;
  EXPECT_LE(with.score.test_error, without.score.test_error / 10);
  EXPECT_EQ(*with.report.queries_used, *without.report.queries_used + 2000);
  EXPECT_GT(measure_of(with.report, "joint_polish", "error_before"),
            10 * measure_of(with.report, "joint_polish", "holdout_error"));
}

TEST(ComposeLearner, EndsWhenTheBudgetIsSpent) {
  const std::int64_t all = *run_block("block:d=8,k=2,m=2,width=8", "compose").report.queries_used;
  for (const std::int64_t budget : {std::int64_t{100}, all - 60}) {  // in the network, in the heads
    const study::RunResult result = run_block("block:d=8,k=2,m=2,width=8", "compose", {.budget = budget});
    EXPECT_TRUE(result.report.out_of_queries()) << result.report.message;
    EXPECT_LE(*result.report.queries_used, budget);
  }
}

TEST(ComposeLearner, AttentionTakesTheQueriesOfItsFormula) {
  const study::RunResult result = run_block("block:d=8,k=2,m=2,width=8", "compose");
  double queries = 0;
  for (const char* phase : {"w_sum", "features", "join", "check"})
    queries += measure_of(result.report, phase, "queries");
  EXPECT_EQ(queries,
            static_cast<double>(mobius::all_queries(8, 2) +
                                static_cast<Index>(measure_of(result.report, "features", "repeats")) *
                                    mobius::relation_queries(2)));
  EXPECT_EQ(measure_of(result.report, "residual", "queries"), 8);
}

TEST(ComposeLearner, SaysThatThereIsNoNetwork) {
  for (const char* spec : {"low-rank:d=8,k=2,m=2", "nice:d=8,k=2,m=2"}) {
    const study::RunResult result = run_block(spec, "compose");
    EXPECT_EQ(result.report.failed_phase, "network") << spec;
    EXPECT_NE(result.report.message.find("no network"), std::string::npos) << result.report.message;
  }
}

TEST(ComposeLearner, MobiusAloneFindsNoBlock) {
  const study::RunResult result = run_block("block:d=8,k=2,m=2,width=8", "mobius");
  EXPECT_NE(result.report.ending, Ending::finished);
}

}  // namespace
}  // namespace hardhead::learner
