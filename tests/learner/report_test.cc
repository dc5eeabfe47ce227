#include "learner/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace hardhead::learner {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Phase, ListsItsMeasuresInTheOrderTheyWereAdded) {
  Phase phase{.name = "hull"};
  phase.add("gap", 3);
  phase.add("error", 0.5);
  EXPECT_THAT(phase.measures, ElementsAre(Pair("gap", 3), Pair("error", 0.5)));
}

TEST(Phase, AMeasureCannotTakeTheNameOfAFieldOrOfAnotherMeasure) {
  Phase phase{.name = "hull"};
  phase.add("gap", 3);
  for (const char* taken : {"name", "seconds", "examples", "rows_kept", "gap"})
    EXPECT_THROW(phase.add(taken, 1), std::logic_error) << taken;
  EXPECT_THAT(phase.measures, ElementsAre(Pair("gap", 3)));
}

}  // namespace
}  // namespace hardhead::learner
