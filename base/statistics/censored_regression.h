#pragma once
#include <Eigen/Core>
#include <optional>

namespace hardhead::statistics {

/// Observations of a linear model, some of which are only known to be larger than a number.
struct CensoredSample {
  Eigen::MatrixXd terms;         ///< one row an observation: what its value depends on linearly
  Eigen::VectorXd values;        ///< the value, or what it is larger than
  Eigen::ArrayX<bool> censored;  ///< which of the two
};

/// The model that fits a sample best.
struct CensoredFit {
  Eigen::VectorXd coefficients;  ///< beta, one a column of the terms
  double sigma = 0;              ///< spread of the errors
  double log_likelihood = 0;     ///< at these
};

/// Maximum likelihood for y = x beta + sigma e with independent standard normal errors e, where of a censored
/// observation only y > c is known (J. Tobin, Econometrica 26, 1958):
///
///     ln L = sum_seen (ln phi((y - x beta) / sigma) - ln sigma) + sum_censored ln Phi((x beta - c) / sigma).
///
/// In beta / sigma and 1 / sigma it is concave (R. Olsen, Econometrica 46, 1978), so that Newton's method
/// finds the one maximum. One further residual of 1e-6 is added, which keeps sigma above 0 where the model
/// fits exactly. Empty where the terms of the observations that are seen are linearly dependent: then there
/// is no maximum, or more than one.
std::optional<CensoredFit> fit_censored(const CensoredSample& sample);

}  // namespace hardhead::statistics
