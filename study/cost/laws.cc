#include "study/cost/laws.h"

#include <fmt/format.h>

#include <cmath>

namespace hardhead::study {

using statistics::CostLaw;

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

const std::vector<CostLaw>& rounding_cost_laws() {
  static const std::vector<CostLaw> all{
      {"(q^n)^{}", [](std::span<const double> at) { return std::vector{(at[1] - 1) * std::log(2)}; }},
      {"d^({1} n + {0})",
       [](std::span<const double> at) { return std::vector{std::log(at[1]), at[0] * std::log(at[1])}; }}};
  return all;
}

const std::vector<CostLaw>& junta_cost_laws() {
  static const std::vector<CostLaw> all{
      {"d^{}", [](std::span<const double> at) { return std::vector{std::log(at[0])}; }}};
  return all;
}

}  // namespace hardhead::study
