#include "study/cost/measured_costs.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text/number.h"

namespace hardhead::study {
namespace {

const std::vector<std::string> columns{"learner", "family",   "d",        "k",      "m",
                                       "seed",    "examples", "censored", "seconds"};

/// The run that a row is of, each cell read as what its column holds.
MeasuredCost cost_in(const std::vector<std::string>& cells, const std::string& place) {
  const auto number = [&]<class Number>(std::size_t column, Number least) {
    const std::optional<Number> value = whole_number<Number>(cells[column]);
    if (!value || !(*value >= least))
      throw InputError(fmt::format("{}, column '{}': '{}' is no number of at least {}", place,
                                   columns[column], cells[column], least));
    return *value;
  };
  constexpr double positive = 1e-9;
  MeasuredCost out{.learner = cells[0],
                   .family = cells[1],
                   .d = number(2, 1),
                   .k = number(3, 1),
                   .m = number(4, 1),
                   .seed = number(5, std::uint64_t{0}),
                   .examples = number(6, 1.0),
                   .censored = number(7, 0) != 0};
  if (!cells[8].empty()) out.seconds = number(8, positive);
  if (out.seconds.has_value() == out.censored || !std::isfinite(out.examples))
    throw InputError(
        fmt::format("{}: examples that end, and seconds where the run is not censored, are expected", place));
  return out;
}

}  // namespace

report::Table costs_table(std::span<const MeasuredCost> costs) {
  report::Table table{columns, {}};
  for (const MeasuredCost& cost : costs)
    table.add({cost.learner, cost.family, fmt::format("{}", cost.d), fmt::format("{}", cost.k),
               fmt::format("{}", cost.m), fmt::format("{}", cost.seed), fmt::format("{}", cost.examples),
               cost.censored ? "1" : "0", cost.seconds ? fmt::format("{:.3g}", *cost.seconds) : ""});
  return table;
}

std::vector<MeasuredCost> parse_costs(std::string_view csv, const std::string& place) {
  const report::Table table = report::parse_csv(std::string(csv), place);
  if (table.columns != columns)
    throw InputError(fmt::format("{}: the columns {} are expected", place, fmt::join(columns, ", ")));
  std::vector<MeasuredCost> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    out.push_back(cost_in(table.rows[i], fmt::format("{}, row {}", place, i + 1)));
  return out;
}

std::span<const MeasuredCost> measured_costs() {
  static const std::vector<MeasuredCost> all =
      parse_costs(detail::measured_costs_text(), "docs/results/claims/*/costs.csv");
  return all;
}

}  // namespace hardhead::study
