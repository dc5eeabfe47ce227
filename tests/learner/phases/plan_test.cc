#include "learner/phases/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learner/phases/exhaustive_search.h"
#include "learner/phases/hull.h"

namespace hardhead::learner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SixPhasesOptions options(const std::string& method) {
  const Spec spec = Spec::parse(method);
  return six_phases_table(spec.name == "paper" ? Route::paper : Route::practical).read(spec);
}

std::int64_t rows_of_hull(const SixPhasesOptions& options) {
  return rows_to_keep(16, 3, options, options.hull);
}

std::int64_t rows_of_refined_hull(const SixPhasesOptions& options) {
  return rows_to_keep(16, 3, options, options.hull_refined);
}

TEST(Plan, RowsAndPointsAreThoseAskedForOrTheRoutes) {
  const std::int64_t fewest = fewest_rows(16, 3);
  EXPECT_EQ(rows_of_hull(options("sculpt")), 8 * fewest);
  EXPECT_EQ(rows_of_hull(options("paper")), 3 * fewest);
  EXPECT_EQ(rows_of_hull(options("sculpt:hull_refined=paper")), 8 * fewest);
  EXPECT_EQ(rows_of_refined_hull(options("sculpt:hull_refined=paper")), 3 * fewest);
  EXPECT_EQ(rows_of_hull(options("paper:rows=777")), 777);
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

// An option that makes one part dearer makes the whole dearer by just as much, and leaves the other parts
// alone.
TEST(Plan, TheWholeGrowsByWhatItsPartGrows) {
  const Plan plan = make_plan(8, 2, 2, 20'000, options("paper"));
  const Plan rounds = make_plan(8, 2, 2, 20'000, options("paper:rounds=2"));
  const Plan points = make_plan(8, 2, 2, 20'000, options("paper:net_points=600"));
  const Plan crude = make_plan(8, 2, 2, 20'000, options("paper:w_sum_examples=100"));
  EXPECT_GT(rounds.harvest_seconds, plan.harvest_seconds);
  EXPECT_GT(rounds.certificate_seconds, plan.certificate_seconds);
  EXPECT_NEAR(rounds.seconds() - plan.seconds(),
              rounds.harvest_seconds - plan.harvest_seconds + rounds.certificate_seconds -
                  plan.certificate_seconds + rounds.hull_seconds - plan.hull_seconds,
              1e-12 * rounds.seconds());
  EXPECT_GT(points.tuple_seconds, 3 * plan.tuple_seconds);
  EXPECT_NEAR(points.seconds() - plan.seconds(), points.tuple_seconds - plan.tuple_seconds,
              1e-12 * points.seconds());
  EXPECT_LT(crude.fit_seconds, plan.fit_seconds);
  EXPECT_NEAR(plan.seconds() - crude.seconds(), plan.fit_seconds - crude.fit_seconds, 1e-12 * plan.seconds());
}

TEST(Plan, EveryPartCountsForOneHeadToo) {
  const Plan plan = make_plan(8, 2, 1, 20'000, options("paper"));
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
