#include "learner/harvest.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>

#include "attention/forward.h"
#include "tests/learner/nice_source.h"

namespace hardhead::learner {
namespace {

using attention::Block;
using attention::Index;
using testing::NiceSource;

TEST(Harvest, ReadsTheExactPatternOffASingleHead) {
  const NiceSource nice("nice:d=8,k=3,m=1");
  const Harvest found =
      harvest(nice.source, 0, 2000, nice.layer().w_sum(), {.keep = 200}, RunControl{}, "hull");
  ASSERT_EQ(found.rows.size(), 200u);
  attention::Forward::Workspace ws;
  attention::attend_one(nice.layer().heads[0].theta, found.examples, ws);
  for (Index e = 0; e < found.examples.count; ++e) {
    const Index column = found.examples.column(found.rows[static_cast<std::size_t>(e)].row, e);
    EXPECT_LT((ws.p.col(column) - found.patterns.col(e)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(Harvest, AcceptsARowOnlyIfAllHeadsAttendAlike) {
  const NiceSource nice("nice:d=16,k=3,m=2");
  const Harvest found =
      harvest(nice.source, 0, 40'000, nice.layer().w_sum(), {.keep = 100}, RunControl{}, "hull");
  attention::Forward::Workspace ws;
  attention::Forward(nice.layer()).attend(found.examples, ws);
  const Index k = 3;
  double worst = 0, typical = 0;
  for (Index e = 0; e < found.examples.count; ++e) {
    const Index kept = found.examples.column(found.rows[static_cast<std::size_t>(e)].row, e);
    const Index other = found.examples.column((found.rows[static_cast<std::size_t>(e)].row + 1) % k, e);
    const auto disagreement = [&](Index column) {
      return (ws.p.col(column).head(k).array().log() - ws.p.col(column).tail(k).array().log())
          .abs()
          .maxCoeff();
    };
    worst = std::max(worst, disagreement(kept));
    typical += disagreement(other) / static_cast<double>(found.examples.count);
  }
  RecordProperty("largest disagreement in logits", std::to_string(worst));
  EXPECT_LT(worst, 0.7);
  EXPECT_GT(typical, 1.5);
}

TEST(Harvest, KeepsTheSameRowsForAnyNumberOfThreads) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const auto rows_with = [&](int threads) {
    Harvest found;
    tbb::task_arena(threads).execute([&] {
      found = harvest(nice.source, 0, 20'000, nice.layer().w_sum(), {.keep = 300}, RunControl{}, "hull");
    });
    return found;
  };
  const Harvest one = rows_with(1), two = rows_with(2);
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (std::size_t e = 0; e < one.rows.size(); ++e) {
    EXPECT_EQ(one.rows[e].score, two.rows[e].score);
    EXPECT_EQ(one.rows[e].example, two.rows[e].example);
    EXPECT_EQ(one.rows[e].row, two.rows[e].row);
  }
  EXPECT_TRUE(one.patterns == two.patterns);
}

TEST(Harvest, KeepsNothingWhenWSumIsZero) {
  const NiceSource nice("nice:d=8,k=2,m=2");
  const Harvest found =
      harvest(nice.source, 0, 1000, attention::Matrix::Zero(8, 8), {}, RunControl{}, "hull");
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.rows_eligible, 0);
  EXPECT_EQ(found.rows_seen, 2000);
}

}  // namespace
}  // namespace hardhead::learner
