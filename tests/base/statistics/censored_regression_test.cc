#include "base/statistics/censored_regression.h"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "base/numeric/random.h"

namespace hardhead::statistics {
namespace {

/// y = 1 + 2 x + sigma e at x = 0, 0.1, ..; what exceeds `limit` is censored there.
CensoredSample line(int count, double sigma, double limit, std::uint64_t data_set = 0) {
  std::vector<double> noise(static_cast<std::size_t>(count));
  Stream(Domain::test, 3, "censored line").normals(data_set, noise);
  CensoredSample out{Eigen::MatrixXd(count, 2), Eigen::VectorXd(count), Eigen::ArrayX<bool>(count)};
  for (int i = 0; i < count; ++i) {
    const double x = 0.1 * i, y = 1 + 2 * x + sigma * noise[static_cast<std::size_t>(i)];
    out.terms.row(i) << 1, x;
    out.censored(i) = y > limit;
    out.values(i) = std::min(y, limit);
  }
  return out;
}

double log_likelihood(const CensoredSample& sample, const Eigen::VectorXd& beta, double sigma) {
  double sum = 0;
  for (Eigen::Index i = 0; i < sample.values.size(); ++i) {
    const boost::math::normal law(sample.terms.row(i).dot(beta), sigma);
    sum += std::log(sample.censored(i) ? cdf(complement(law, sample.values(i))) : pdf(law, sample.values(i)));
  }
  // The library's density has the factor 1 / sqrt(2 pi) that a comparison of models does not need.
  return sum + 0.5 * std::log(2 * M_PI) * static_cast<double>((!sample.censored).count());
}

TEST(CensoredRegression, IsLeastSquaresWhereNothingIsCensored) {
  const CensoredSample sample = line(40, 0.3, INFINITY);
  const auto fit = fit_censored(sample);
  ASSERT_TRUE(fit);
  const Eigen::VectorXd expected = sample.terms.colPivHouseholderQr().solve(sample.values);
  EXPECT_LT((fit->coefficients - expected).norm(), 1e-8);
  EXPECT_NEAR(fit->sigma, std::sqrt((sample.values - sample.terms * expected).squaredNorm() / 40), 1e-8);
}

TEST(CensoredRegression, FindsTheMaximumOfTheLikelihood) {
  const CensoredSample sample = line(60, 0.5, 8);
  ASSERT_GT(sample.censored.count(), 10);
  const auto fit = fit_censored(sample);
  ASSERT_TRUE(fit);
  const double best = log_likelihood(sample, fit->coefficients, fit->sigma);
  EXPECT_NEAR(fit->log_likelihood, best, 1e-8);
  for (const double step : {-1e-3, 1e-3}) {
    for (Eigen::Index j = 0; j < 2; ++j)
      EXPECT_LT(log_likelihood(sample, fit->coefficients + step * Eigen::VectorXd::Unit(2, j), fit->sigma),
                best);
    EXPECT_LT(log_likelihood(sample, fit->coefficients, fit->sigma + step), best);
  }
}

TEST(CensoredRegression, IsNotPulledDownByWhatItCannotSee) {
  double censored = 0, as_if_seen = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const CensoredSample sample = line(50, 0.5, 7, i);
    const auto fit = fit_censored(sample);
    ASSERT_TRUE(fit);
    censored += fit->coefficients(1) / 200;
    CensoredSample seen = sample;
    seen.censored.setConstant(false);
    as_if_seen += fit_censored(seen)->coefficients(1) / 200;
  }
  EXPECT_NEAR(censored, 2, 0.02);
  EXPECT_LT(as_if_seen, 1.7);
}

TEST(CensoredRegression, FitsExactDataAndRefusesWhatTheyDoNotDetermine) {
  const auto exact = fit_censored(line(10, 0, INFINITY));
  ASSERT_TRUE(exact);
  EXPECT_NEAR(exact->coefficients(1), 2, 1e-9);
  EXPECT_LT(exact->sigma, 1e-5);
  CensoredSample sample = line(10, 0.1, INFINITY);
  sample.terms.col(1) = sample.terms.col(0);
  EXPECT_FALSE(fit_censored(sample)) << "two columns that are the same";
  sample = line(10, 0.1, INFINITY);
  sample.censored.setConstant(true);
  EXPECT_FALSE(fit_censored(sample)) << "nothing seen";
  sample.censored.head(9).setConstant(false);
  sample.terms.col(1) = Eigen::VectorXd::Unit(10, 9);
  EXPECT_FALSE(fit_censored(sample)) << "the likelihood grows with the second coefficient without end";
}

}  // namespace
}  // namespace hardhead::statistics
