#include "experiments/cost_cells.h"

#include <gtest/gtest.h>

namespace hardhead::experiments {
namespace {

TEST(CostCell, HasItsRunsOneByOneForTheTableOfCosts) {
  CostCell cell{.learner = "adam, full", .source = "parity:d=12,m=3,variant=exact", .d = 12, .k = 2, .m = 3};
  cell.costs = {{.at = {3, 12}, .value = 5000, .seed = 1},
                {.at = {3, 12}, .value = 9000, .censored = true, .seed = 2},
                {.at = {3, 12}, .value = 7000, .seed = 3}};
  cell.seconds = {0.5, 0.75};  // of those that are not censored
  const std::vector<study::MeasuredCost> runs = cell.runs();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0], (study::MeasuredCost{"adam, full", "parity", 12, 2, 3, 1, 5000, false, 0.5}));
  EXPECT_EQ(runs[1], (study::MeasuredCost{"adam, full", "parity", 12, 2, 3, 2, 9000, true, {}}));
  EXPECT_EQ(runs[2], (study::MeasuredCost{"adam, full", "parity", 12, 2, 3, 3, 7000, false, 0.75}));
  EXPECT_EQ(study::parse_costs(report::csv(study::costs_table(runs)), "here"), runs);
}

}  // namespace
}  // namespace hardhead::experiments
