#include "experiments/fits_table.h"

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "study/cost/cost_fit.h"

namespace hardhead::experiments {
namespace {

constexpr const char* none = "-";

std::vector<std::string> cells_of(const statistics::Estimate& estimate) {
  return {fmt::format("{:.4g}", estimate.value),
          fmt::format("{:.4g} .. {:.4g}", estimate.interval.low, estimate.interval.high)};
}

std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> out;
  for (const std::vector<std::string>& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

const char* yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

}  // namespace

report::Table fits_table() {
  return {{"measured", "law", "b", "b: 95%", "c", "c: 95%", "held-out error", "AICc", "singled out"}, {}};
}

void add_fits(report::Table& table, const std::string& measured,
              const statistics::CostLawComparison& comparison) {
  const std::size_t singled_out = comparison.singled_out();
  for (std::size_t l = 0; l < comparison.fits.size(); ++l) {
    const statistics::CostLawFit& fit = comparison.fits[l];
    const bool two = fit.coefficients.size() > 2;  // of which b, the last, goes with m
    using Cells = std::vector<std::string>;
    table.add(joined({{measured, study::law_text(fit.name, two ? Cells{"c", "b"} : Cells{"b"})},
                      cells_of(fit.coefficients.back()),
                      two ? cells_of(fit.coefficients[1]) : Cells{none, none},
                      {fmt::format("{:.3g}", fit.held_out_error), fmt::format("{:.1f}", fit.aicc),
                       comparison.fits.size() == 1 ? none : yes_or_no(l == singled_out)}}));
  }
}

void add_fits(report::Table& table, const std::string& measured, const std::string& x,
              const statistics::Growth& growth) {
  using enum statistics::Growth::Prefers;
  const auto add = [&](const std::string& law, const statistics::GrowthLaw& fit, bool preferred) {
    table.add(joined({{measured, law}, cells_of(fit.rate), {none, none, none, none, yes_or_no(preferred)}}));
  };
  add(x + "^b", growth.power, growth.prefers == power);
  add(fmt::format("e^(b {})", x), growth.exponential, growth.prefers == exponential);
}

}  // namespace hardhead::experiments
