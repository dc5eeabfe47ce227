#include "study/run/degree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hardhead::study {
namespace {

using statistics::Interval;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<Degree> degree(double test_error, double advantage,
                             std::optional<Interval> interval = std::nullopt) {
  return degree_of({test_error, 1e-10, advantage, interval});
}

TEST(Degree, IsDecidedAtItsBorders) {
  EXPECT_EQ(degree(1e-10, 1), Degree::recovered);
  EXPECT_EQ(degree(std::nextafter(1e-10, 1), 1), Degree::learnt);
  EXPECT_EQ(degree(0.01, 0.99), Degree::learnt);
  const double just_below = std::nextafter(0.99, 0);
  EXPECT_EQ(degree(0.01, just_below, Interval{0.98, 1}), Degree::partly);
  EXPECT_EQ(degree(0.9, 0.1, Interval{1e-300, 0.2}), Degree::partly);
  EXPECT_EQ(degree(0.9, 0.1, Interval{0, 0.2}), Degree::nothing);
  EXPECT_EQ(degree(0.9, 0.1, Interval{-0.1, 0.3}), Degree::nothing);
  EXPECT_EQ(degree(1, 0, Interval{0, 0}), Degree::nothing) << "what the null predictor says, to the bit";
  EXPECT_EQ(degree(1, -1, Interval{-1.1, -0.9}), Degree::nothing);
}

TEST(Degree, AdvantageCountsBeforeItsInterval) {
  EXPECT_EQ(degree(0.01, 0.995, Interval{-0.5, 1}), Degree::learnt);
}

TEST(Degree, OfALayerOfLabelsZeroIsDecidedByItsErrorAlone) {
  EXPECT_EQ(degree(0, std::nan("")), Degree::recovered);
  EXPECT_EQ(degree(infinity, -infinity), Degree::nothing);
  EXPECT_EQ(degree(infinity, std::nan("")), Degree::nothing);
  EXPECT_EQ(degree(std::nan(""), std::nan("")), Degree::nothing);
}

TEST(Degree, IsNotKnownWhereItTakesAnIntervalThatIsNot) {
  EXPECT_FALSE(degree(0.5, 0.5));
  EXPECT_FALSE(degree(0.9, 1e-12));
  EXPECT_EQ(degree(0.001, 0.999), Degree::learnt);
  EXPECT_EQ(degree(1, 0), Degree::nothing);
}

TEST(DegreeCounts, SayWhatThereIs) {
  DegreeCounts counts;
  EXPECT_EQ(counts.str(), "-");
  counts.add(Degree::recovered);
  counts.add(Degree::learnt);
  counts.add(Degree::recovered);
  EXPECT_EQ(counts.str(), "recovered 2, learnt 1 of 3");
  EXPECT_EQ(counts.at_least_learnt(), 3);
  counts.add(Degree::partly);
  counts.add(Degree::nothing);
  counts.add(std::nullopt);
  EXPECT_EQ(counts.str(), "recovered 2, learnt 1, partly 1, nothing 1, unknown 1 of 6");
  EXPECT_EQ(counts.at_least_learnt(), 3);
  EXPECT_EQ(counts.total(), 6);
}

TEST(Degree, NamesAreThoseOfTheFiles) {
  EXPECT_EQ(names_of<Degree>(), (std::vector<std::string>{"recovered", "learnt", "partly", "nothing"}));
  EXPECT_LT(Degree::nothing, Degree::partly);
  EXPECT_LT(Degree::learnt, Degree::recovered);
}

}  // namespace
}  // namespace hardhead::study
