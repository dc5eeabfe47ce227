#include "experiments/fits_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "study/cost/cost_fit.h"

namespace hardhead::experiments {
namespace {

TEST(FitsTable, HasARowForEachLawWithItsRateAndTheOneThatIsSingledOut) {
  std::vector<statistics::Cost> costs;  // e^(2 m), with a little of each seed's own
  for (int m = 1; m <= 6; ++m)
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      costs.push_back({{static_cast<double>(m), 16},
                       std::exp(2.0 * m + 0.02 * std::sin(7.0 * m + 3.0 * static_cast<double>(seed))),
                       false,
                       seed});
  report::Table table = fits_table();
  add_fits(table, "examples", statistics::compare_cost_laws(costs, study::nice_cost_laws()));
  ASSERT_EQ(table.rows.size(), study::nice_cost_laws().size());
  EXPECT_EQ(table.rows[0][1], "m^b");
  EXPECT_EQ(table.rows[1][1], "e^(b m)");
  EXPECT_NEAR(std::stod(table.rows[1][2]), 2, 0.02);
  for (const auto& row : table.rows) EXPECT_EQ(row.back(), row[1] == "e^(b m)" ? "yes" : "no") << row[1];
}

TEST(FitsTable, NamesBothCoefficientsOfALawThatHasTwo) {
  std::vector<statistics::Cost> costs;  // d^(0.5 m + 1)
  for (int m = 1; m <= 5; ++m)
    for (const double d : {8.0, 16.0, 32.0})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        costs.push_back(
            {{static_cast<double>(m), d},
             std::pow(d, 0.5 * m + 1) * std::exp(0.01 * std::sin(5.0 * m + d + static_cast<double>(seed))),
             false,
             seed});
  report::Table table = fits_table();
  add_fits(table, "examples", statistics::compare_cost_laws(costs, study::parity_cost_laws()));
  EXPECT_EQ(table.rows[0][1], "d^(b m + c)");
  EXPECT_NEAR(std::stod(table.rows[0][2]), 0.5, 0.05);
  EXPECT_NEAR(std::stod(table.rows[0][4]), 1, 0.2);
  EXPECT_EQ(table.rows[1][4], "-");
}

TEST(FitsTable, SaysOfTwoLawsOfGrowthWhichOneTheDataPrefer) {
  std::vector<statistics::GrowthPoint> points;
  for (const double m : {1.0, 2.0, 4.0, 8.0, 16.0})
    points.push_back({m, {m * m, 1.01 * m * m, 0.99 * m * m}});
  report::Table table = fits_table();
  add_fits(table, "queries", "m", statistics::fit_growth(points));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][1], "m^b");
  EXPECT_NEAR(std::stod(table.rows[0][2]), 2, 0.01);
  EXPECT_EQ(table.rows[0].back(), "yes");
  EXPECT_EQ(table.rows[1].back(), "no");
}

}  // namespace
}  // namespace hardhead::experiments
