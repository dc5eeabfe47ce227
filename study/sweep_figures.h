#pragma once
#include <vector>

#include "study/compare.h"
#include "study/figure.h"
#include "study/table.h"

namespace hardhead::study {

/// Most curves, null errors among them, that a figure of a sweep has: as many as there are colours.
inline constexpr std::size_t most_curves = 8;

/// A sweep's rows against each number that varies in it: a parameter of a family that takes two values or
/// more, or the examples allowed. For each of them
///
///     recovered-NAME   share of runs that recovered, with its exact 95% interval
///     error-NAME       median test error, from the least to the largest of the runs; the null error as a line
///     seconds-NAME     median seconds, from the least to the largest
///
/// with a curve for each choice of all else (family, method, heads, other parameters), labelled by what tells
/// the curves apart. More than most_curves go on in NAME-2, NAME-3. A row that has no such number is in the
/// table only.
std::vector<Figure> sweep_figures(const std::vector<ComparisonRow>& rows);

/// The share of a row's runs that recovered, with its exact 95% interval.
FigurePoint recovered_point(double x, const ComparisonRow& row);

/// How seconds and examples used grow along each curve of three places or more, by both laws of growth.h. All runs count,
/// recovered or not.
Table growth_table(const std::vector<ComparisonRow>& rows);

}  // namespace hardhead::study
