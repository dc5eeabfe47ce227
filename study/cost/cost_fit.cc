#include "study/cost/cost_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/statistics/median.h"

namespace hardhead::study {
namespace {

using statistics::Cost;
using statistics::CostLaw;
using statistics::CostPrediction;

/// The median of the costs at each place; censored where the median is.
std::vector<Cost> cell_medians(const std::vector<Cost>& costs) {
  std::map<std::vector<double>, std::vector<double>> values;
  std::map<std::vector<double>, double> given_up;
  for (const Cost& cost : costs) {
    values[cost.at].push_back(cost.censored ? INFINITY : cost.value);
    if (cost.censored) given_up[cost.at] = std::max(given_up[cost.at], cost.value);
  }
  std::vector<Cost> out;
  for (const auto& [at, found] : values) {
    const double middle = statistics::median(found);
    out.push_back({at, std::isfinite(middle) ? middle : given_up[at], !std::isfinite(middle)});
  }
  return out;
}

/// ln(seconds per example) is linear in those of ln m and ln d that vary.
CostLaw rate_law(const std::vector<Cost>& rates) {
  std::vector<std::size_t> varying;
  for (const std::size_t j : {0u, 1u})
    if (std::ranges::any_of(rates, [&](const Cost& one) { return one.at[j] != rates.front().at[j]; }))
      varying.push_back(j);
  return {"seconds per example", [varying](std::span<const double> at) {
            std::vector<double> out;
            for (const std::size_t j : varying) out.push_back(std::log(at[j]));
            return out;
          }};
}

std::string range_text(const std::vector<MeasuredCost>& costs) {
  const auto range = [&](const char* name, int MeasuredCost::* member) {
    const auto [least, most] = std::ranges::minmax(costs | std::views::transform(member));
    return least == most ? fmt::format("{} = {}", name, least)
                         : fmt::format("{} = {} .. {}", name, least, most);
  };
  return fmt::format("{}, {}, {} runs, {} of them censored", range("m", &MeasuredCost::m),
                     range("d", &MeasuredCost::d), costs.size(),
                     std::ranges::count_if(costs, &MeasuredCost::censored));
}

/// Nothing where the value is within those that were measured.
void add_beyond(std::vector<std::string>& to, const char* name, int value,
                const std::vector<MeasuredCost>& costs, int MeasuredCost::* member) {
  std::set<int> seen;
  for (const MeasuredCost& cost : costs)
    if (!cost.censored) seen.insert(cost.*member);
  if (value > *seen.rbegin())
    to.push_back(fmt::format("{} = {} where {} is the largest measured", name, value, *seen.rbegin()));
  if (value < *seen.begin())
    to.push_back(fmt::format("{} = {} where {} is the smallest measured", name, value, *seen.begin()));
}

/// Each of d and m may have been measured, and no success near both.
bool larger_than_all(int d, int m, const std::vector<MeasuredCost>& costs) {
  return std::ranges::none_of(
      costs, [&](const MeasuredCost& cost) { return !cost.censored && cost.d >= d && cost.m >= m; });
}

/// Those of the d that is nearest in the ratio.
std::vector<MeasuredCost> of_nearest_d(std::vector<MeasuredCost> costs, const LayerSize& size) {
  const auto apart = [&](const MeasuredCost& cost) { return std::abs(std::log(1.0 * cost.d / size.d)); };
  const int nearest = std::ranges::min_element(costs, {}, apart)->d;
  std::erase_if(costs, [&](const MeasuredCost& cost) { return cost.d != nearest; });
  return costs;
}

/// Those of layers with at least fewest_hidden_sets.
std::vector<MeasuredCost> of_many_hidden_sets(std::vector<MeasuredCost> costs, const LayerSize&) {
  std::erase_if(costs, [](const MeasuredCost& cost) {
    return !(ln_hidden_sets(cost.d, cost.m) >= std::log(fewest_hidden_sets));
  });
  return costs;
}

std::vector<MeasuredCost> of_every_size(std::vector<MeasuredCost> costs, const LayerSize&) {
  return costs;
}

std::vector<MeasuredCost> of_the_same_m(std::vector<MeasuredCost> costs, const LayerSize& size) {
  std::erase_if(costs, [&](const MeasuredCost& cost) { return cost.m != size.m; });
  return costs;
}

/// Of layers of rounding, at = {n, d}: a power of the number of secrets q^n = 2^(d-1), and d^(b n + c).
const std::vector<CostLaw>& rounding_cost_laws() {
  static const std::vector<CostLaw> all{
      {"(q^n)^{}", [](std::span<const double> at) { return std::vector{(at[1] - 1) * std::log(2)}; }},
      {"d^({1} n + {0})",
       [](std::span<const double> at) { return std::vector{std::log(at[1]), at[0] * std::log(at[1])}; }}};
  return all;
}

/// Of juntas of one function of m bits, at = {d, m}: a power of d.
const std::vector<CostLaw>& junta_cost_laws() {
  static const std::vector<CostLaw> all{
      {"d^{}", [](std::span<const double> at) { return std::vector{std::log(at[0])}; }}};
  return all;
}

/// A family whose costs are fitted: which of one learner's costs count for layers of a size, and the laws.
struct FittedFamily {
  std::string_view name;
  std::vector<MeasuredCost> (*that_count)(std::vector<MeasuredCost> costs, const LayerSize& size);
  const std::vector<CostLaw>& (*laws)();
  bool by_d = false;
};

constexpr FittedFamily fitted_families[] = {
    {"nice", of_nearest_d, nice_cost_laws},     {"parity", of_many_hidden_sets, parity_cost_laws},
    {"lwr", of_every_size, rounding_cost_laws}, {"lwe", of_every_size, rounding_cost_laws},
    {"lpn", of_every_size, parity_cost_laws},   {"junta", of_the_same_m, junta_cost_laws, true}};

/// The row of a family as in MeasuredCost, "junta staircase".
const FittedFamily* fitted_family(std::string_view family) {
  const std::string_view name = family.substr(0, family.find(' '));
  const auto* const found = std::ranges::find(fitted_families, name, &FittedFamily::name);
  return found == std::end(fitted_families) ? nullptr : found;
}

}  // namespace

std::string law_text(std::string name, const std::vector<std::string>& coefficients) {
  for (std::size_t j = 0; j < coefficients.size(); ++j)
    for (const std::string& place : {std::string("{}"), fmt::format("{{{}}}", j)})
      if (const std::size_t at = name.find(place); at != std::string::npos)
        name.replace(at, place.size(), coefficients[j]);
  return name;
}

double ln_hidden_sets(double d, double m) {
  return std::lgamma(d) - std::lgamma(m + 1) - std::lgamma(d - m);
}

const std::vector<CostLaw>& nice_cost_laws() {
  static const std::vector<CostLaw> all{
      {"m^{}", [](std::span<const double> at) { return std::vector{std::log(at[0])}; }},
      {"e^({} m)", [](std::span<const double> at) { return std::vector{at[0]}; }},
      {"e^({} m ln m)", [](std::span<const double> at) { return std::vector{at[0] * std::log(at[0])}; }},
      {"e^({} (m-1)^2)", [](std::span<const double> at) { return std::vector{(at[0] - 1) * (at[0] - 1)}; }}};
  return all;
}

const std::vector<CostLaw>& parity_cost_laws() {
  static const std::vector<CostLaw> all{
      {"d^({1} m + {0})",
       [](std::span<const double> at) { return std::vector{std::log(at[1]), at[0] * std::log(at[1])}; }},
      {"C(d-1,m)^{}", [](std::span<const double> at) { return std::vector{ln_hidden_sets(at[1], at[0])}; }}};
  return all;
}

CostFit::CostFit(std::vector<MeasuredCost> costs, const std::vector<CostLaw>& laws, bool by_d)
    : costs_(std::move(costs)), learner_(costs_.front().learner), by_d_(by_d) {
  for (const MeasuredCost& cost : costs_)
    if (!cost.censored) largest_m_ = std::max(largest_m_, cost.m);
  try {
    fit(laws);
  } catch (const InputError& error) {
    no_fit_ = error.what();
  }
}

std::vector<double> CostFit::place(int d, int m) const {
  const auto features = static_cast<double>(d), hidden = static_cast<double>(m);
  return by_d_ ? std::vector{features, hidden} : std::vector{hidden, features};
}

void CostFit::fit(const std::vector<CostLaw>& laws) {
  std::vector<Cost> runs, rates;
  for (const MeasuredCost& cost : costs_) {
    runs.push_back({place(cost.d, cost.m), cost.examples, cost.censored});
    if (cost.seconds) rates.push_back({runs.back().at, *cost.seconds / cost.examples});
  }
  const std::vector<Cost> cells = cell_medians(runs);
  if (const std::size_t seen = statistics::values_seen(cells); seen < statistics::fewest_values)
    throw InputError(fmt::format("costs at {} values of {}, where laws are fitted to {} or more", seen,
                                 by_d_ ? "d" : "m", statistics::fewest_values));
  examples_.emplace(cells, laws);
  rate_.emplace(rates, std::vector{rate_law(rates)});
}

LearnerCost CostFit::at(int d, int m) const {
  LearnerCost out{.learner = learner_, .no_fit = no_fit_};
  out.measured = range_text(costs_);
  if (no_fit_) return out;
  const std::vector<double> there = place(d, m);
  out.laws = examples_->at(there);
  std::ranges::stable_sort(out.laws, {}, &CostPrediction::aicc);
  out.examples = out.laws.front().cost;
  for (const CostPrediction& law : out.laws) {
    if (!(law.aicc <= out.laws.front().aicc + without_support)) break;
    out.examples.interval.low = std::min(out.examples.interval.low, law.cost.interval.low);
    out.examples.interval.high = std::max(out.examples.interval.high, law.cost.interval.high);
  }
  const double rate = rate_->at(there).front().cost.value;  // seconds per example
  out.seconds = {rate * out.examples.value,
                 {rate * out.examples.interval.low, rate * out.examples.interval.high}};
  add_beyond(out.beyond, "d", d, costs_, &MeasuredCost::d);
  add_beyond(out.beyond, "m", m, costs_, &MeasuredCost::m);
  if (out.beyond.empty() && larger_than_all(d, m, costs_))
    out.beyond.push_back(
        fmt::format("d = {} and m = {}, where no size with a success is as large in both", d, m));
  return out;
}

std::vector<CostFit> cost_fits(const std::string& family, const LayerSize& size,
                               std::span<const MeasuredCost> costs) {
  std::vector<CostFit> out;
  const FittedFamily* const fitted = fitted_family(family);
  if (fitted == nullptr) return out;
  std::vector<std::string> learners;
  std::map<std::string, std::vector<MeasuredCost>> by_learner;
  for (const MeasuredCost& cost : costs) {
    if (cost.family != family || cost.k != size.k) continue;
    if (!by_learner.contains(cost.learner)) learners.push_back(cost.learner);
    by_learner[cost.learner].push_back(cost);
  }
  for (const std::string& learner : learners)
    if (std::vector<MeasuredCost> counted = fitted->that_count(by_learner[learner], size); !counted.empty())
      out.emplace_back(std::move(counted), fitted->laws(), fitted->by_d);
  return out;
}

}  // namespace hardhead::study
