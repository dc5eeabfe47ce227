#include "learner/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learner/hull.h"
#include "learner/tuples.h"

namespace hardhead::learner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Parameters options(const std::string& method) {
  const Spec spec = Spec::parse(method);
  return {spec, find_method(spec.name).parameters};
}

TEST(Plan, RowsAndPointsAreThoseAskedForOrTheRoutes) {
  const std::int64_t fewest = fewest_rows(16, 3);
  EXPECT_EQ(rows_to_keep(16, 3, options("sculpt"), "hull"), 8 * fewest);
  EXPECT_EQ(rows_to_keep(16, 3, options("paper"), "hull"), 3 * fewest);
  EXPECT_EQ(rows_to_keep(16, 3, options("sculpt:hull_refined=paper"), "hull"), 8 * fewest);
  EXPECT_EQ(rows_to_keep(16, 3, options("sculpt:hull_refined=paper"), "hull_refined"), 3 * fewest);
  EXPECT_EQ(rows_to_keep(16, 3, options("paper:rows=777"), "hull"), 777);
  EXPECT_EQ(net_points_wanted(options("sculpt")), 1500);
  EXPECT_EQ(net_points_wanted(options("paper")), 300);
  EXPECT_EQ(net_points_wanted(options("paper:net_points=50")), 50);
}

TEST(Plan, LinearProgrammesAndTuplesCostWhereTheRouteHasThem) {
  const Plan sculpt = make_plan(16, 3, 2, 100'000, options("sculpt"));
  EXPECT_EQ(sculpt.certificate_seconds, 0);
  EXPECT_EQ(sculpt.tuples, 0);
  EXPECT_EQ(sculpt.tuple_seconds, 0);
  EXPECT_THAT(sculpt.str(), Not(HasSubstr("tuples")));

  const Plan paper = make_plan(16, 3, 2, 100'000, options("paper:net_points=100"));
  EXPECT_GT(paper.certificate_seconds, 0);
  EXPECT_GT(paper.hull_seconds, sculpt.hull_seconds);
  EXPECT_EQ(paper.tuples, tuple_count(100, 2));
  EXPECT_GT(paper.tuple_seconds, 0);
  EXPECT_THAT(paper.str(), HasSubstr("2 heads"));
  EXPECT_THAT(paper.str(), HasSubstr("tuples of heads"));
}

TEST(Plan, AllItsPartsAddUpAndCountForOneHeadToo) {
  const Plan plan = make_plan(8, 2, 1, 20'000, options("paper"));
  EXPECT_DOUBLE_EQ(plan.seconds(), plan.harvest_seconds + plan.certificate_seconds + plan.hull_seconds +
                                       plan.tuple_seconds + plan.fit_seconds);
  for (const double part : {plan.harvest_seconds, plan.certificate_seconds, plan.hull_seconds,
                            plan.tuple_seconds, plan.fit_seconds, plan.bytes})
    EXPECT_GT(part, 0);
  EXPECT_THAT(plan.str(), HasSubstr("1 head,"));
}

TEST(Plan, GrowsWithExamplesFeaturesAndRounds) {
  const auto seconds = [](attention::Index d, std::int64_t examples, const char* method) {
    return make_plan(d, 3, 2, examples, options(method)).seconds();
  };
  EXPECT_GT(seconds(16, 200'000, "sculpt"), seconds(16, 100'000, "sculpt"));
  EXPECT_GT(seconds(32, 100'000, "sculpt"), seconds(16, 100'000, "sculpt"));
  EXPECT_GT(seconds(16, 100'000, "sculpt:rounds=3"), seconds(16, 100'000, "sculpt"));
  EXPECT_DOUBLE_EQ(make_plan(16, 3, 2, 100'000, options("sculpt:rounds=0")).harvest_seconds * 3,
                   make_plan(16, 3, 2, 100'000, options("sculpt")).harvest_seconds);
  EXPECT_GT(make_plan(16, 3, 2, 100'000, options("sculpt:rows=100000")).bytes,
            make_plan(16, 3, 2, 100'000, options("sculpt")).bytes);
}

}  // namespace
}  // namespace hardhead::learner
