#pragma once
#include <string>
#include <vector>

#include "study/figure/figure.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// Writes the rows of a comparison into a folder:
///
///     folder/results.csv   a row for each run (runs_table)
///     folder/rows.csv      a row for each instance and learner (rows_table)
///     folder/figures/      sweep_figures(), or, where no number varies, those by instance:
///                          learnt-instance, error-instance, seconds-instance
///
/// Throws InputError for a folder that cannot be written to, and as draw().
void write_comparison(const std::vector<ComparisonRow>& rows, const std::string& folder,
                      const report::FigureStyle& style);

}  // namespace hardhead::study
