#pragma once
#include <vector>

#include "study/figure/figure.h"
#include "study/report/table.h"
#include "study/sweep/compare.h"

namespace hardhead::study {

/// The largest number of curves in a figure of a sweep, null errors among them: there are this many colours.
inline constexpr std::size_t most_curves = 8;

/// Figures of a sweep's rows against each number that varies in it: a parameter of a family that takes two
/// values or more, or the examples allowed. For each of them there are
///
///     recovered-NAME   share of runs that recovered, with its exact 95% interval
///     learnt-NAME      share of runs that learnt or recovered (degree.h), likewise
///     error-NAME       median test error, from the least to the largest of the runs; a line: the null error
///     seconds-NAME     median seconds, from the least to the largest
///
/// with a curve for each choice of everything else (family, method, heads told to the learner, other
/// parameters), labelled by what tells the curves apart. Where there are more than most_curves, the others
/// are in NAME-2, NAME-3, .. A row that has no such number is in the table only.
std::vector<report::Figure> sweep_figures(const std::vector<ComparisonRow>& rows);

/// Figures examples-NAME, likewise: the median of the examples that runs read, or of the queries of learners
/// by values, from the least to the largest of the runs.
std::vector<report::Figure> asked_figures(const std::vector<ComparisonRow>& rows);
/// The same quantities but the share recovered against the instances, a category each, with a curve of points
/// for each learner: learnt-instance, error-instance, seconds-instance. Learners beyond most_curves are left
/// out.
std::vector<report::Figure> instance_figures(const std::vector<ComparisonRow>& rows);

/// The share of a row's runs that recovered, with its exact 95% interval.
report::FigurePoint recovered_point(double x, const ComparisonRow& row);
/// The share of a row's runs that learnt or recovered, with its exact 95% interval.
report::FigurePoint learnt_point(double x, const ComparisonRow& row);

/// How seconds and examples used grow along each curve of at least three places, by both laws of growth.h.
/// All runs count, whether they recovered or not.
report::Table growth_table(const std::vector<ComparisonRow>& rows);

}  // namespace hardhead::study
