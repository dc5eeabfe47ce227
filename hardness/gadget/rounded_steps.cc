#include "hardness/gadget/rounded_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "hardness/gadget/certified_rounding.h"

namespace hardhead::hardness {
namespace {

struct StepsOffset {
  const StepWeights& steps;
  std::int64_t base;
  const Rational& a;
};

template <class Real>
Real real(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}

template <unsigned decimal_digits>
class SumOfSteps {
  using Real = RealOf<decimal_digits>;
  static constexpr int bits = std::numeric_limits<Real>::digits;

 public:
  explicit SumOfSteps(const StepsOffset& input) : a_(real<Real>(input.a)) {
    const StepWeights& steps = input.steps;
    std::vector<std::size_t> order(steps.weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return steps.twice_steps[i]; });
    Rational sum = 0;
    Real size = abs(a_);
    for (const std::size_t i : order) {
      twice_steps_.push_back(steps.twice_steps[i]);
      weights_.push_back(real<Real>(steps.weights[i]));
      above_.push_back(real<Real>(sum));
      sum += steps.weights[i];
      size += 2 * abs(weights_.back());
    }
    above_.push_back(real<Real>(sum));
    far_ = static_cast<long>(std::ceil(bits / std::log2(input.base))) + 1;
    const Real inverse = 1 / Real(input.base);
    Real power = 1;
    for (long u = 0; u <= far_; ++u, power *= inverse) sigma_.push_back(power / (1 + power));
    // far_ <= bits + 2 roundings of a power, a few for each term, and what is left out of each.
    const auto terms = static_cast<long>(weights_.size());
    error_ = ldexp(size * (2 * bits + 8 * terms + 64), -bits);
  }

  /// Of h.
  std::optional<double> item(long h) const {
    const auto place = [&](long twice) {
      return static_cast<std::size_t>(std::ranges::lower_bound(twice_steps_, twice, std::greater()) -
                                      twice_steps_.begin());
    };
    const std::size_t first = place(2 * h + far_), last = place(2 * h - far_);
    Real sum = above_[first];  // there sigma is 1
    for (std::size_t i = first; i < last; ++i) {
      const long u = 2 * h - twice_steps_[i];
      const Real& small = sigma_[static_cast<std::size_t>(std::abs(u))];
      sum += weights_[i] * (u > 0 ? small : Real(1 - small));
    }
    return rounded(Real(a_ - 2 * sum), error_);
  }

 private:
  std::vector<long> twice_steps_;      // the largest first
  std::vector<Real> weights_, above_;  // above_[i]: the sum of the first i weights
  std::vector<Real> sigma_;            // of u: 1 / (1 + B^u)
  long far_ = 0;
  Real a_, error_;
};

}  // namespace

std::vector<double> rounded_steps(const StepWeights& steps, std::int64_t base, long h_max,
                                  const Rational& a) {
  return certified_roundings<SumOfSteps>(h_max + 1, StepsOffset{steps, base, a}, [&](long h) {
    return round_to_nearest(a - 2 * evaluate(steps, base, h));
  });
}

}  // namespace hardhead::hardness
