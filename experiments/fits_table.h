#pragma once
#include <string>

#include "base/statistics/cost_laws.h"
#include "base/statistics/growth.h"
#include "study/report/table.h"

namespace hardhead::experiments {

/// A table of laws that were fitted to costs, a row for each law: what was measured, the law with b and c in
/// its places, these with their 95% intervals, the error of the largest x held out, AICc (both in logarithms
/// of the cost; cost_laws.h), and whether the law was preferred to every other one.
report::Table fits_table();

/// Adds the laws of a comparison.
void add_fits(report::Table& table, const std::string& measured,
              const statistics::CostLawComparison& comparison);
/// Adds the power law and the exponential in `x`, which are told apart by resampling alone.
void add_fits(report::Table& table, const std::string& measured, const std::string& x,
              const statistics::Growth& growth);

}  // namespace hardhead::experiments
