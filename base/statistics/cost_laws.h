#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/tail_exponent.h"

namespace hardhead::statistics {

/// What one run cost.
struct Cost {
  std::vector<double> at;  ///< what was varied; at[0], such as a number of heads, is what laws are judged by
  double value = 0;        ///< examples, seconds, queries: positive
  bool censored = false;   ///< the run was given up there: it costs more than `value`
  std::uint64_t seed = 0;  ///< runs of one seed may depend on each other, those of different seeds do not
};

/// A law ln(cost) = c_0 + sum_j c_j terms(at)_j + sigma e, e standard normal.
struct CostLaw {
  std::string name;                                                   ///< "a power of m"
  std::function<std::vector<double>(std::span<const double>)> terms;  ///< of `at`, as many for every `at`
};

/// A law as fitted.
struct CostLawFit {
  std::string name;                    ///< of the law
  std::vector<Estimate> coefficients;  ///< c_0, c_1, .. with 95% intervals of the bootstrap
  double sigma = 0;                    ///< spread of ln(cost) around the law
  double aicc = 0;                     ///< 2 K - 2 ln L + 2 K (K+1) / (n-K-1), K with sigma
  double held_out_error = 0;           ///< of the largest at[0], predicted from the others
};

/// Laws side by side.
struct CostLawComparison {
  std::vector<CostLawFit> fits;  ///< in the order of the laws
  /// preferred[a][b]: the share of resamples in which a has both a smaller held-out error and a smaller AICc
  /// than b; 0 if that is not so of the data themselves.
  std::vector<std::vector<double>> preferred;

  /// In at least 95% of the resamples.
  bool prefers(std::size_t a, std::size_t b) const { return preferred[a][b] >= 0.95; }
  /// The law that is preferred to every other; fits.size() if there is none.
  std::size_t singled_out() const;
};

/// Values of at[0] with a cost that is not censored.
std::size_t values_seen(std::span<const Cost> costs);

/// compare_cost_laws() fits nothing to fewer values of at[0].
inline constexpr std::size_t fewest_values = 5;

/// Fits each law by maximum likelihood, censored costs among them (censored_regression.h), and compares them:
///
///     held out    each law is fitted without the largest at[0] that has a cost which is not censored (and
///                 without larger ones), and predicts these costs; its error is the root mean square of
///                 ln cost - prediction, of a censored cost only by how much the prediction falls short of it
///     AICc        of the fit to all costs
///     bootstrap   seeds are drawn with replacement, each with all its costs, `resamples` times, by a
///                 generator that `seed` addresses
///
/// A coefficient's interval is its value +- t s sqrt(G / (G-1)): s is its standard deviation over the
/// resamples, G the number of seeds and t the quantile 0.975 of Student's distribution with G - 1 degrees of
/// freedom. In simulations with 3 to 10 seeds (cost_laws_test) it holds the true coefficient in 0.92 to 0.95
/// of studies. It covers what seeds vary, and not a law that does not hold.
///
/// Throws InputError for fewer than fewest_values values of at[0] with a cost that is not censored, a cost
/// that is not a positive number, fewer than 2 seeds, and for a law that the costs do not determine (naming
/// it).
CostLawComparison compare_cost_laws(std::span<const Cost> costs, std::span<const CostLaw> laws,
                                    std::uint64_t seed = 1, int resamples = 1000);

/// What one law says a cost would be where nobody has measured it.
struct CostPrediction {
  std::string name;                    ///< of the law
  Estimate cost;                       ///< exp of the law there, with its 95% interval
  std::vector<double> coefficients{};  ///< c_0, c_1, .. of the fit to all costs
  double aicc = 0;                     ///< of the law's fit, as in CostLawFit: smaller is better
};

/// What laws, fitted to all costs, say of a new one. Of each law
///
///     ln cost = x c +- t sqrt(J + sigma^2 n/(n-p)),   x = (1, terms(at)),
///
/// n costs, p coefficients, t the quantile 0.975 of Student's distribution with n - p degrees of freedom, and
/// J = (n-1)/n sum_i (x c_(i) - mean)^2 the jackknife's variance, c_(i) being fitted without cost i. In
/// simulations (cost_laws_test) the interval holds a new cost in 0.93 to 0.97 of studies. It assumes that
/// each cost is independent of the others, and that the law holds there: how far a law bends beyond what was
/// measured it cannot know, and laws side by side show a part of it.
class CostPredictor {
 public:
  /// Throws InputError for a cost that is not a positive number, and for a law (naming it) that the costs, or
  /// all but one of them, do not determine.
  CostPredictor(std::span<const Cost> costs, std::vector<CostLaw> laws);

  /// Of each law, in their order.
  std::vector<CostPrediction> at(std::span<const double> at) const;

 private:
  struct Fit {
    CostLaw law;
    std::vector<double> coefficients;
    std::vector<std::vector<double>> without;  // each cost once
    double variance = 0, quantile = 0, aicc = 0;
  };
  std::vector<Fit> fits_;
};

}  // namespace hardhead::statistics
