#include "base/statistics/growth.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "base/error.h"
#include "base/numeric/random.h"

namespace hardhead::statistics {
namespace {

using testing::HasSubstr;

constexpr int data_sets = 400;

/// y = law(x) e^(sigma z), z standard normal, for each seed; where the noise `spreads`, sigma grows 4-fold
/// from the first x to the last.
std::vector<GrowthPoint> noisy(double (*law)(double), const std::vector<double>& x, std::size_t seeds,
                               double sigma, int data_set, bool spreads = false) {
  std::vector<double> z(x.size() * seeds);
  Stream(Domain::test, 7, "noise of a growth").normals(static_cast<std::uint64_t>(data_set), z);
  std::vector<GrowthPoint> points;
  for (std::size_t i = 0; i < x.size(); ++i) {
    GrowthPoint& point = points.emplace_back(GrowthPoint{x[i], {}});
    const double growth = static_cast<double>(i) / static_cast<double>(x.size() - 1);
    const double scale = spreads ? sigma * std::pow(4, growth) : sigma;
    for (std::size_t s = 0; s < seeds; ++s) point.y.push_back(law(x[i]) * std::exp(scale * z[i * seeds + s]));
  }
  return points;
}

double power_law(double x) {
  return 0.3 * std::pow(x, 2.5);
}
double exponential_law(double x) {
  return 0.01 * std::exp(0.2 * x);
}

const std::vector<double> sizes = {8, 16, 24, 32, 48};

TEST(Growth, IsExactOnExactData) {
  const Growth power = fit_growth(noisy(power_law, sizes, 3, 0, 0));
  EXPECT_NEAR(power.power.rate.value, 2.5, 1e-12);
  EXPECT_NEAR(power.power.intercept, std::log(0.3), 1e-12);
  EXPECT_EQ(power.power.residual, 0);
  EXPECT_NEAR(power.power.rate.interval.high - power.power.rate.interval.low, 0, 1e-12);
  EXPECT_EQ(power.prefers, Growth::Prefers::power);
  EXPECT_EQ(power.power_share, 1);
  const Growth exponential = fit_growth(noisy(exponential_law, sizes, 1, 0, 0));
  EXPECT_NEAR(exponential.exponential.rate.value, 0.2, 1e-12);
  EXPECT_NEAR(exponential.exponential.intercept, std::log(0.01), 1e-12);
  EXPECT_EQ(exponential.prefers, Growth::Prefers::exponential);
}

TEST(Growth, FitsTheMedianOfTheSeeds) {
  std::vector<GrowthPoint> points;
  for (const double x : sizes) points.push_back({x, {1e-9, power_law(x), 1e9}});
  const Growth growth = fit_growth(points);
  EXPECT_NEAR(growth.power.rate.value, 2.5, 1e-12);
  EXPECT_EQ(growth.prefers, Growth::Prefers::neither) << "seeds that differ by 18 decades tell nothing";
}

TEST(Growth, DoesNotDependOnHowPointsAreListed) {
  const auto points = noisy(power_law, {8, 16, 32}, 2, 0.1, 0);
  std::vector<GrowthPoint> split;
  for (auto at = points.rbegin(); at != points.rend(); ++at)
    for (const double y : at->y) split.push_back({at->x, {y}});
  EXPECT_EQ(fit_growth(points).str("d"), fit_growth(split).str("d"));
  EXPECT_EQ(fit_growth(points, 4).str("d"), fit_growth(points, 4).str("d"));
  EXPECT_NE(fit_growth(points, 4).power.rate.interval.low, fit_growth(points, 5).power.rate.interval.low);
}

struct Found {
  double power = 0, exponential = 0, covered = 0;  ///< shares of the data sets
};

Found over_data_sets(double (*law)(double), const std::vector<double>& x, std::size_t seeds, double sigma,
                     double rate, bool spreads = false) {
  Found found;
  for (int i = 0; i < data_sets; ++i) {
    const Growth growth = fit_growth(noisy(law, x, seeds, sigma, i, spreads), 1, 400);
    const Interval& interval = (law == power_law ? growth.power : growth.exponential).rate.interval;
    found.power += growth.prefers == Growth::Prefers::power ? 1 : 0;
    found.exponential += growth.prefers == Growth::Prefers::exponential ? 1 : 0;
    found.covered += interval.low <= rate && rate <= interval.high ? 1 : 0;
  }
  for (double* share : {&found.power, &found.exponential, &found.covered}) *share /= data_sets;
  return found;
}

TEST(Growth, PrefersTheLawThatMadeTheData) {
  for (const std::size_t seeds : {3u, 10u}) {
    const Found power = over_data_sets(power_law, sizes, seeds, 0.2, 2.5);
    const Found exponential = over_data_sets(exponential_law, sizes, seeds, 0.2, 0.2);
    EXPECT_GE(power.power, 0.9) << seeds << " seeds";
    EXPECT_GE(exponential.exponential, 0.9) << seeds << " seeds";
    EXPECT_EQ(power.exponential + exponential.power, 0) << seeds << " seeds";
  }
}

TEST(Growth, SeldomPrefersTheWrongLawWhereTheyCanHardlyBeToldApart) {
  const std::vector<double> close = {8, 10, 12, 14};
  for (const std::size_t seeds : {1u, 2u, 5u}) {
    const Found power = over_data_sets(power_law, close, seeds, 0.3, 2.5);
    const Found exponential = over_data_sets(exponential_law, close, seeds, 0.3, 0.2);
    // 5% of 400 is 20 +- 4.4.
    EXPECT_LE(power.exponential, 0.083) << seeds << " seeds";
    EXPECT_LE(exponential.power, 0.083) << seeds << " seeds";
  }
}

TEST(Growth, CoversTheRateAsOftenAsItSays) {
  for (const std::size_t x : {3u, 4u})
    for (const std::size_t seeds : {1u, 2u, 5u}) {
      const std::vector<double> first(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(x));
      // 95% of 400 is 380 +- 4.4.
      const double least = 0.9;
      for (const bool spreads : {false, true}) {
        const Found power = over_data_sets(power_law, first, seeds, 0.3, 2.5, spreads);
        const Found exponential = over_data_sets(exponential_law, first, seeds, 0.3, 0.2, spreads);
        const std::string shares = fmt::format(
            "{} x, {} seeds{}: the interval holds the power law's rate in {:.3f}, the exponential's in "
            "{:.3f} of data sets",
            x, seeds, spreads ? ", spread growing 4-fold" : "", power.covered, exponential.covered);
        std::cout << shares << '\n';
        EXPECT_GE(power.covered, spreads ? 0.84 : least) << shares;
        EXPECT_GE(exponential.covered, spreads ? 0.84 : least) << shares;
      }
    }
}

TEST(Growth, SaysBothLawsAndWhichOneTheDataPrefer) {
  EXPECT_EQ(fit_growth(noisy(power_law, sizes, 3, 0, 0)).str("d"),
            "d^2.5 (2.5 .. 2.5) or e^(0.107 d) (0.107 .. 0.107); the data prefer the power law (1.00)");
  EXPECT_THAT(fit_growth(noisy(exponential_law, sizes, 2, 0, 0)).str("m"),
              HasSubstr("or e^(0.2 m) (0.2 .. 0.2); the data prefer the exponential (1.00)"));
  EXPECT_THAT(fit_growth({{1, {2}}, {2, {2}}, {4, {2}}}).str("m"),
              HasSubstr("the data prefer neither (power law: 0.50)"));
}

TEST(Growth, RefusesWhatNoLawCanBeFittedTo) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const std::vector<GrowthPoint>& points, const std::string& message) {
    EXPECT_THAT([&] { fit_growth(points); }, testing::ThrowsMessage<InputError>(HasSubstr(message)));
  };
  refused({{1, {1}}, {2, {1, 2}}, {2, {3}}}, "2 different x, but a law is fitted to 3 or more");
  refused({{1, {1}}, {0, {1}}, {2, {3}}}, "x = 0: a positive number");
  refused({{1, {1}}, {nan, {1}}, {2, {3}}}, "x = nan: a positive number");
  refused({{1, {1}}, {2, {1, 0}}, {4, {3}}}, "y = 0 at x = 2: a positive number");
  refused({{1, {1}}, {2, {1, nan}}, {4, {3}}}, "y = nan at x = 2: a positive number");
  refused({{1, {1}}, {2, {}}, {4, {3}}}, "no y at x = 2");
  EXPECT_THAT([] { fit_growth({{1, {1}}, {2, {2}}, {4, {3}}}, 1, 0); },
              testing::ThrowsMessage<InputError>(HasSubstr("0 resamples")));
}

}  // namespace
}  // namespace hardhead::statistics
