#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/binomial_interval.h"
#include "base/text/json.h"

namespace hardhead::report {

/// A point of a curve, with the interval that goes with its y.
struct FigurePoint {
  double x = 0, y = 0;                             ///< in the units of the axes
  std::optional<statistics::Interval> interval{};  ///< of y: a bar
};

/// A curve with its name.
struct FigureCurve {
  /// How its points are drawn; each is line or symbol, or both.
  enum class Style { points, line, line_and_points };
  /// What it is: measured (solid), a bound or a theory's prediction (dotted), a slope of a fit or of a theory
  /// (thin, of the colour of the curve before it, whose name has its label in brackets).
  enum class Kind { measured, bound, slope };
  std::string label;                     ///< in the legend, or at the curve's end
  std::vector<FigurePoint> points{};     ///< not drawn where not finite, or not positive on a log axis
  Style style = Style::line_and_points;  ///< line, symbols or both
  Kind kind = Kind::measured;            ///< its dashes
  std::optional<double> heads{};         ///< m: where curves differ in it, it is their colour
};

/// An axis with its label and scale.
struct FigureAxis {
  std::string label{};                  ///< with its unit: "seconds", "test error (relative)"
  bool log = false;                     ///< logarithmic scale
  std::optional<double> low{}, high{};  ///< the range shown; else what the data take
  /// Categories: the i-th name stands at the value i. Empty for numbers.
  std::vector<std::string> names{};
};

/// A horizontal line with its name: a null error, a bound, a target.
struct FigureLevel {
  std::string label;  ///< at the line
  double y = 0;       ///< where it lies
};

/// A figure as data: what is drawn for the page and for papers.
struct Figure {
  std::string name;                   ///< of its files; letters, digits, '_' and '-'
  std::string title;                  ///< one line
  FigureAxis x{}, y{};                ///< across and up
  std::vector<FigureCurve> curves{};  ///< in the order of the legend
  std::vector<FigureLevel> levels{};  ///< dashed, across the figure
};

/// How large a figure is drawn, and in which letters.
struct FigureStyle {
  /// Where it is shown: on a page, or in a column of a paper.
  enum class Medium { screen, paper };
  Medium medium = Medium::screen;  ///< decides what is not said below
  std::optional<double> width{};   ///< in inches, 1.5 .. 20; screen: 5, paper: 3.25
  std::string font{};              ///< a family's name; empty for the page's sans-serif
};

/// The names of a figure's curves, in their order, in its legend and for whoever else draws it. A slope has
/// none of its own (empty): the name of the curve before it has its label, "m = 2 (thin line: slope 1)".
std::vector<std::string> curve_names(const Figure& figure);

/// Draws `folder`/NAME.svg and NAME.pdf with gnuplot, and writes NAME.json, from which redraw() draws again.
///
/// One style for all: colour is m where curves differ in it, in an order that is perceived as one (a part of
/// viridis, dark to light without the yellow); else the colours of Okabe and Ito, which colour-blind readers
/// can tell apart, without the yellow. Each of up to ten curves has a symbol of its own. Dashes are the kind
/// of a curve (FigureCurve::Kind). Up to six curves and levels are in a legend below; seven and eight have
/// their names at their ends; more are drawn as small multiples on the same axes, a panel for each m, or for
/// as many curves as a legend takes. Curves with intervals are set apart sideways, so that their bars do not
/// overlap. An interval is cut off at the axis, and left out if an end of it is no number.
///
/// The SVG has no background, its text takes the page's colour (currentColor), and a title of each curve says
/// its name; the PDF is black on white. A figure without a point to draw says "no finite data". Throws
/// InputError: a name of other letters, gnuplot is missing or fails, the folder cannot be written to.
void draw(const Figure& figure, const std::string& folder, const FigureStyle& style = {});

/// Draws the figure of PATH.json again. False where there is no such file, as of figures of before 0.2.
/// Throws InputError: the file is no figure, and as draw().
bool redraw(const std::string& path, const FigureStyle& style);

/// A figure as a JSON object: what is drawn, without how. `points` are arrays [x, y], or [x, y, low, high]
/// with an interval; a number that is not finite is null.
Json to_json(const Figure& figure);
/// Reads what to_json() wrote. Throws InputError beginning with `place`.
Figure figure_from_json(const Json& document, const std::string& place);

}  // namespace hardhead::report
