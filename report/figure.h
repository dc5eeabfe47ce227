#pragma once
#include <optional>
#include <string>
#include <vector>

#include "statistics/binomial_interval.h"

namespace hardhead::report {

/// A point of a curve, with the interval that goes with its y.
struct FigurePoint {
  double x = 0, y = 0;                             ///< in the units of the axes
  std::optional<statistics::Interval> interval{};  ///< of y: a bar
};

/// A curve with its name in the legend.
struct FigureCurve {
  /// How its points are drawn; each is line or symbol, or both.
  enum class Style { points, line, line_and_points };
  std::string label;  ///< in the legend
  std::vector<FigurePoint>
      points;  ///< points that are not finite, or not positive on a log axis, are left out
  Style style = Style::line_and_points;  ///< line, symbols or both
};

/// An axis with its label and scale.
struct FigureAxis {
  std::string label;                    ///< with its unit: "seconds", "test error (relative)"
  bool log = false;                     ///< logarithmic scale
  std::optional<double> low{}, high{};  ///< the range shown; else what the data take
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
  FigureAxis x, y;                    ///< across and up
  std::vector<FigureCurve> curves;    ///< in the order of the legend
  std::vector<FigureLevel> levels{};  ///< dashed, across the figure
};

/// Draws `folder`/NAME.svg and NAME.pdf with gnuplot, in colours that colour-blind readers can tell apart
/// (Okabe and Ito) and with a symbol of its own for each of up to ten curves. A curve without points is
/// dashed. Curves with intervals are set a little apart sideways, so that their bars can be told apart. An
/// interval is cut off at the axis, and left out if an end of it is no number. The SVG has no background and
/// its text takes the page's colour (currentColor); the PDF is black on white. A figure without a point to
/// draw says "no finite data". Throws InputError: a name of other letters, gnuplot is missing or fails, the
/// folder cannot be written to.
void draw(const Figure& figure, const std::string& folder);

}  // namespace hardhead::report
