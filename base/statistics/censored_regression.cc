#include "base/statistics/censored_regression.h"

#include <boost/math/constants/constants.hpp>
#include <cmath>

#include "base/numeric/decompositions.h"

namespace hardhead::statistics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_residual = 1e-6;

/// ln Phi(t), its derivative phi(t) / Phi(t), and minus the derivative of that.
struct LogNormalTail {
  double value, slope, curvature;
};

LogNormalTail log_normal_tail(double t) {
  using namespace boost::math::double_constants;
  const double log_density = -t * t / 2 - std::log(root_two_pi);
  // Below -30 Phi(t) underflows soon: there it is phi(t) / -t times 1 - 1 / t^2, to nine digits.
  const double value = t > -30 ? std::log(std::erfc(-t / root_two) / 2)
                               : log_density - std::log(-t) + std::log1p(-1 / (t * t));
  const double slope = std::exp(log_density - value);
  return {value, slope, slope * (slope + t)};
}

/// The log-likelihood with its gradient and Hessian, as a function of (gamma, theta) = (beta, 1) / sigma.
class Likelihood {
 public:
  Likelihood(const CensoredSample& sample, double least)
      : sample_(sample), size_(sample.terms.cols() + 1), least_(least) {}

  double value(const VectorXd& at) const {
    double sum = -std::pow(least_ * at(size_ - 1), 2) / 2;
    for (Index i = 0; i < sample_.values.size(); ++i) {
      const double t = row(i).dot(at);
      sum += sample_.censored(i) ? log_normal_tail(t).value : std::log(at(size_ - 1)) - t * t / 2;
    }
    return sum;
  }

  /// Newton's step, and the gain that it promises, twice over.
  struct Step {
    VectorXd step;
    double decrement;
  };
  /// From there; empty where the Hessian is singular.
  std::optional<Step> newton_step(const VectorXd& at) const {
    const double theta = at(size_ - 1);
    VectorXd gradient = VectorXd::Zero(size_);
    MatrixXd curvature = MatrixXd::Zero(size_, size_);
    gradient(size_ - 1) -= least_ * least_ * theta;
    curvature(size_ - 1, size_ - 1) += least_ * least_;
    for (Index i = 0; i < sample_.values.size(); ++i) {
      const VectorXd x = row(i);
      const double t = x.dot(at);
      if (sample_.censored(i)) {
        const LogNormalTail tail = log_normal_tail(t);
        gradient += tail.slope * x;
        curvature += tail.curvature * x * x.transpose();
      } else {
        gradient -= t * x;
        gradient(size_ - 1) += 1 / theta;
        curvature += x * x.transpose();
        curvature(size_ - 1, size_ - 1) += 1 / (theta * theta);
      }
    }
    const VectorXd scale = curvature.diagonal().cwiseSqrt().cwiseInverse();
    if (!scale.allFinite()) return std::nullopt;
    const std::optional<VectorXd> scaled_step = positive_solve(
        scale.asDiagonal() * curvature * scale.asDiagonal(), scale.cwiseProduct(gradient), 1e-12);
    if (!scaled_step) return std::nullopt;
    VectorXd step = scale.asDiagonal() * *scaled_step;
    const double decrement = step.dot(gradient);
    return Step{std::move(step), decrement};
  }

 private:
  // (x, -y): its product with (gamma, theta) is (x beta - y) / sigma.
  VectorXd row(Index i) const {
    VectorXd out(size_);
    out << sample_.terms.row(i).transpose(), -sample_.values(i);
    return out;
  }

  const CensoredSample& sample_;
  Index size_;
  double least_;  // the residual that is added
};

/// (gamma, theta) at the maximum; empty where there is none.
std::optional<VectorXd> maximum(const Likelihood& likelihood, Index columns) {
  constexpr int most_steps = 200;
  constexpr double tolerance = 1e-10;
  VectorXd at = VectorXd::Unit(columns + 1, columns);
  double value = likelihood.value(at);
  for (int i = 0; i < most_steps; ++i) {
    const auto newton = likelihood.newton_step(at);
    if (!newton) return std::nullopt;
    if (newton->decrement <= tolerance) return at;
    for (double length = 1;; length /= 2) {
      const VectorXd next = at + length * newton->step;
      if (next(columns) <= 0) continue;
      const double there = likelihood.value(next);
      if (there < value + 0.1 * length * newton->decrement && length > tolerance) continue;
      at = next;
      value = there;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<CensoredFit> fit_censored(const CensoredSample& sample) {
  const Index columns = sample.terms.cols();
  const MatrixXd seen = (!sample.censored).cast<double>().matrix().asDiagonal() * sample.terms;
  if (numerical_rank(seen) < columns) return std::nullopt;
  // Least squares that takes censored observations for seen ones. The likelihood is maximised relative to it:
  // where sigma is small against the values, (gamma, theta) of the values themselves are next to dependent.
  const VectorXd beta = least_squares(sample.terms, sample.values);
  const double mean_square =
      (sample.terms * beta - sample.values).squaredNorm() / static_cast<double>(sample.values.size());
  const double sigma = std::sqrt(mean_square + least_residual * least_residual);
  CensoredSample relative = sample;
  relative.values = (sample.values - sample.terms * beta) / sigma;
  const std::optional<VectorXd> at = maximum(Likelihood(relative, least_residual / sigma), columns);
  if (!at) return std::nullopt;
  const double theta = (*at)(columns) / sigma;
  CensoredFit fit{beta + at->head(columns) / theta, 1 / theta, 0};
  VectorXd own(columns + 1);
  own << fit.coefficients * theta, theta;
  fit.log_likelihood = Likelihood(sample, least_residual).value(own);
  return fit;
}

}  // namespace hardhead::statistics
