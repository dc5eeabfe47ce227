#pragma once
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "study/figure/figure.h"

/// Where values lie on the axes of a figure, what is written at the ticks, in gnuplot's words, and gnuplot.
namespace hardhead::report {

/// The values that a figure shows.
struct DrawnValues {
  std::vector<double> x{};  ///< of all points that can be on the axes
  std::vector<double> y{};  ///< of the same points, with the ends of their intervals, and of all levels
};

/// The values of all curves and levels.
DrawnValues drawn_values(const Figure& figure);

/// What an axis shows.
struct AxisRange {
  double low = 0, high = 1;  ///< its ends
};

/// An expression whose value is the text: in single quotes gnuplot takes every character but ' and the line's
/// end as it is, and each ' is a string of its own. (Its '' fails behind the opening quote.)
std::string gnuplot_string(const std::string& text);

/// Throws InputError that names the axis: an end that is not finite, or not a normal number above 0 on a log
/// axis; a low end that is not below the high one.
void check_axis(const FigureAxis& axis);

/// Can the value be on the axis: finite, and positive on a log axis?
bool drawable(const FigureAxis& axis, double value);

/// What `values` take with a margin, or what the axis says; of categories, all of them. A log axis spans a
/// factor of 6 at least, so that two of its ticks are in it.
AxisRange range_of(const FigureAxis& axis, const std::vector<double>& values);

/// Where a value is on the axis: 0 at the low end, 1 at the high one.
double place_on(const FigureAxis& axis, const AxisRange& range, double value);
/// The value at a place: the inverse of place_on().
double value_at(const FigureAxis& axis, const AxisRange& range, double place);

/// Ticks at the names of categories; else at the values themselves, where they are few and far enough apart;
/// else where the scale wants them. `letters` of a label fit on the axis.
std::string ticks_of(const FigureAxis& axis, const AxisRange& range, const std::set<double>& values,
                     double letters);

/// Ticks where the scale wants them, as many as have room.
std::string scale_ticks(const FigureAxis& axis, const AxisRange& range, double letters);

/// Runs gnuplot in `workplace` on a script that writes these files there, without the reader's own settings.
/// Throws InputError that names the figure: gnuplot is missing or complains, or one of the files is not there
/// or empty, as on a full disk, since gnuplot says nothing of that.
void run_gnuplot(const std::string& figure, const std::string& script, const TemporaryFolder& workplace,
                 std::initializer_list<std::string> files);

}  // namespace hardhead::report
