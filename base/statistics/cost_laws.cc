#include "base/statistics/cost_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/numeric/random.h"
#include "base/statistics/censored_regression.h"

namespace hardhead::statistics {
namespace {

using Observations = std::vector<const Cost*>;

/// A law's fit to some of the costs.
struct Judged {
  CensoredFit fit;
  double aicc = 0, held_out_error = 0;
};

CensoredSample sample_of(const Observations& costs, const CostLaw& law) {
  CensoredSample out;
  const auto count = static_cast<Eigen::Index>(costs.size());
  out.values.resize(count);
  out.censored.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Cost& cost = *costs[static_cast<std::size_t>(i)];
    const std::vector<double> terms = law.terms(cost.at);
    if (i == 0) out.terms.resize(count, static_cast<Eigen::Index>(terms.size()) + 1);
    out.terms(i, 0) = 1;
    for (std::size_t j = 0; j < terms.size(); ++j) out.terms(i, static_cast<Eigen::Index>(j) + 1) = terms[j];
    out.values(i) = std::log(cost.value);
    out.censored(i) = cost.censored;
  }
  return out;
}

double root_mean_square_error(const CensoredFit& fit, const CensoredSample& unseen) {
  const Eigen::ArrayXd error = unseen.values - unseen.terms * fit.coefficients;
  return std::sqrt(unseen.censored.select(error.max(0.0), error).square().mean());
}

/// 2 K - 2 ln L + 2 K (K+1) / (n-K-1); infinite where n is too small for it.
double aicc_of(const CensoredFit& fit, std::size_t costs) {
  const auto parameters = static_cast<double>(fit.coefficients.size() + 1),
             free = static_cast<double>(costs) - parameters - 1;
  if (free <= 0) return INFINITY;
  return 2 * parameters - 2 * fit.log_likelihood + 2 * parameters * (parameters + 1) / free;
}

/// Empty where the costs do not determine the law, or have none to hold out.
std::optional<Judged> judge(const Observations& costs, double held_out_from, const CostLaw& law) {
  Observations known, unseen;
  for (const Cost* cost : costs) (cost->at[0] < held_out_from ? known : unseen).push_back(cost);
  if (known.empty() || unseen.empty()) return std::nullopt;
  const auto all = fit_censored(sample_of(costs, law)), part = fit_censored(sample_of(known, law));
  if (!all || !part) return std::nullopt;
  const double aicc = aicc_of(*all, costs.size());
  if (!std::isfinite(aicc)) return std::nullopt;
  return Judged{*all, aicc, root_mean_square_error(*part, sample_of(unseen, law))};
}

std::set<double> values_of(std::span<const Cost> costs) {
  std::set<double> out;
  for (const Cost& cost : costs)
    if (!cost.censored) out.insert(cost.at.at(0));
  return out;
}

/// Throws InputError for a cost that is not a positive number.
Observations checked(std::span<const Cost> costs) {
  Observations out;
  for (const Cost& cost : costs) {
    if (!(cost.value > 0 && std::isfinite(cost.value)))
      throw InputError(fmt::format("cost {}: a positive number is expected", cost.value));
    out.push_back(&cost);
  }
  return out;
}

[[noreturn]] void refuse_undetermined(const CostLaw& law) {
  throw InputError(fmt::format("the costs do not determine the law '{}'", law.name));
}

/// The costs of each seed.
std::vector<Observations> by_seed(std::span<const Cost> costs) {
  std::map<std::uint64_t, Observations> seeds;
  for (const Cost* cost : checked(costs)) seeds[cost->seed].push_back(cost);
  if (seeds.size() < 2)
    throw InputError(fmt::format("costs of {} seeds, but their bootstrap needs at least 2", seeds.size()));
  std::vector<Observations> out;
  for (auto& [seed, observations] : seeds) out.push_back(std::move(observations));
  return out;
}

/// Sum and sum of squares of a coefficient over resamples, around its value.
struct Spread {
  double sum = 0, squares = 0;
  int count = 0;

  void add(double deviation) { sum += deviation, squares += deviation * deviation, ++count; }
  double deviation() const {
    if (count < 2) return INFINITY;
    const double mean = sum / count;
    return std::sqrt(std::max(0.0, squares / count - mean * mean) * count / (count - 1));
  }
};

class Comparison {
 public:
  Comparison(std::span<const Cost> costs, std::span<const CostLaw> laws)
      : laws_(laws), seeds_(by_seed(costs)), held_out_from_(*values_of(costs).rbegin()) {
    Observations all;
    for (const Cost& cost : costs) all.push_back(&cost);
    for (const CostLaw& law : laws_) {
      std::optional<Judged> judged = judge(all, held_out_from_, law);
      if (!judged) refuse_undetermined(law);
      spreads_.emplace_back(static_cast<std::size_t>(judged->fit.coefficients.size()));
      data_.push_back(std::move(*judged));
    }
    wins_.assign(laws_.size(), std::vector<double>(laws_.size(), 0));
  }

  void resample(const Stream& stream, std::uint64_t item) {
    std::vector<double> uniform(seeds_.size());
    stream.uniforms(item, uniform);
    Observations drawn;
    for (const double u : uniform) {
      const Observations& seed = seeds_[static_cast<std::size_t>(u * static_cast<double>(seeds_.size()))];
      drawn.insert(drawn.end(), seed.begin(), seed.end());
    }
    std::vector<std::optional<Judged>> judged;
    for (const CostLaw& law : laws_) judged.push_back(judge(drawn, held_out_from_, law));
    for (std::size_t a = 0; a < laws_.size(); ++a) {
      if (!judged[a]) continue;
      for (std::size_t j = 0; j < spreads_[a].size(); ++j) {
        const auto at = static_cast<Eigen::Index>(j);
        spreads_[a][j].add(judged[a]->fit.coefficients(at) - data_[a].fit.coefficients(at));
      }
      for (std::size_t b = 0; b < laws_.size(); ++b)
        if (judged[b] && better(*judged[a], *judged[b])) ++wins_[a][b];
    }
  }

  CostLawComparison result(int resamples) const {
    const auto seeds = static_cast<double>(seeds_.size());
    const double quantile = boost::math::quantile(boost::math::students_t(seeds - 1), 0.975);
    CostLawComparison out;
    out.preferred = wins_;
    for (std::size_t a = 0; a < laws_.size(); ++a) {
      const Judged& own = data_[a];
      CostLawFit fit{laws_[a].name, {}, own.fit.sigma, own.aicc, own.held_out_error};
      for (std::size_t j = 0; j < spreads_[a].size(); ++j) {
        const double value = own.fit.coefficients(static_cast<Eigen::Index>(j)),
                     half = quantile * spreads_[a][j].deviation() * std::sqrt(seeds / (seeds - 1));
        fit.coefficients.push_back({value, {value - half, value + half}});
      }
      out.fits.push_back(std::move(fit));
      for (std::size_t b = 0; b < laws_.size(); ++b)
        out.preferred[a][b] = better(own, data_[b]) ? wins_[a][b] / resamples : 0;
    }
    return out;
  }

 private:
  static bool better(const Judged& a, const Judged& b) {
    return a.held_out_error < b.held_out_error && a.aicc < b.aicc;
  }

  std::span<const CostLaw> laws_;
  std::vector<Observations> seeds_;
  double held_out_from_;
  std::vector<Judged> data_;
  std::vector<std::vector<Spread>> spreads_;
  std::vector<std::vector<double>> wins_;
};

/// Throws InputError where the costs do not determine the law.
CensoredFit fitted(const Observations& costs, const CostLaw& law) {
  auto fit = fit_censored(sample_of(costs, law));
  if (!fit) refuse_undetermined(law);
  return *std::move(fit);
}

std::vector<double> coefficients_of(const CensoredFit& fit) {
  return {fit.coefficients.begin(), fit.coefficients.end()};
}

double ln_cost(const std::vector<double>& coefficients, const std::vector<double>& terms) {
  double out = coefficients[0];
  for (std::size_t j = 0; j < terms.size(); ++j) out += coefficients[j + 1] * terms[j];
  return out;
}

/// (n-1)/n times the sum of squares of what leaving one cost out changes.
double jackknife_variance(const std::vector<std::vector<double>>& without, const std::vector<double>& terms) {
  const auto n = static_cast<double>(without.size());
  double sum = 0, squares = 0;
  for (const std::vector<double>& coefficients : without) sum += ln_cost(coefficients, terms);
  for (const std::vector<double>& coefficients : without)
    squares += std::pow(ln_cost(coefficients, terms) - sum / n, 2);
  return squares * (n - 1) / n;
}

}  // namespace

CostPredictor::CostPredictor(std::span<const Cost> costs, std::vector<CostLaw> laws) {
  const Observations all = checked(costs);
  for (CostLaw& law : laws) {
    if (all.size() < 3) refuse_undetermined(law);
    const CensoredFit fit = fitted(all, law);
    const auto n = static_cast<double>(all.size()), free = n - static_cast<double>(fit.coefficients.size());
    if (free < 1) refuse_undetermined(law);
    std::vector<std::vector<double>> without;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Observations others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      without.push_back(coefficients_of(fitted(others, law)));
    }
    fits_.push_back({std::move(law), coefficients_of(fit), std::move(without),
                     fit.sigma * fit.sigma * n / free,
                     boost::math::quantile(boost::math::students_t(free), 0.975), aicc_of(fit, all.size())});
  }
}

std::vector<CostPrediction> CostPredictor::at(std::span<const double> at) const {
  std::vector<CostPrediction> out;
  for (const Fit& fit : fits_) {
    const std::vector<double> terms = fit.law.terms(at);
    const double middle = ln_cost(fit.coefficients, terms),
                 half = fit.quantile * std::sqrt(fit.variance + jackknife_variance(fit.without, terms));
    out.push_back({fit.law.name,
                   {std::exp(middle), {std::exp(middle - half), std::exp(middle + half)}},
                   fit.coefficients,
                   fit.aicc});
  }
  return out;
}

std::size_t CostLawComparison::singled_out() const {
  for (std::size_t a = 0; a < fits.size(); ++a) {
    bool best = true;
    for (std::size_t b = 0; b < fits.size(); ++b) best = best && (a == b || prefers(a, b));
    if (best) return a;
  }
  return fits.size();
}

std::size_t values_seen(std::span<const Cost> costs) {
  return values_of(costs).size();
}

CostLawComparison compare_cost_laws(std::span<const Cost> costs, std::span<const CostLaw> laws,
                                    std::uint64_t seed, int resamples) {
  if (const std::size_t seen = values_seen(costs); seen < fewest_values)
    throw InputError(
        fmt::format("costs at {} values, but laws are compared on {} or more", seen, fewest_values));
  if (resamples < 1) throw InputError(fmt::format("{} resamples, but at least 1 is needed", resamples));
  Comparison comparison(costs, laws);
  const Stream stream(Domain::test, seed, "cost laws");
  for (int i = 0; i < resamples; ++i) comparison.resample(stream, static_cast<std::uint64_t>(i));
  return comparison.result(resamples);
}

}  // namespace hardhead::statistics
