#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "study/figure/axes.h"
#include "study/figure/figure.h"
#include "study/figure/palette.h"

// A pair of axes with its curves in gnuplot's words: a figure, or one of its small multiples.
namespace hardhead::report::detail {

/// Up to so many names are in a legend; up to so many curves and levels are on one pair of axes.
inline constexpr std::size_t most_in_legend = 6, most_in_panel = 8;

/// Curves and levels that are told apart by a name in the legend or at their ends.
std::size_t named(const Figure& figure);

/// A title in lines of at most `letters`, each quoted.
std::vector<std::string> lines_of(const std::string& title, double letters);

/// The sizes of what is drawn, of all panels of a figure alike.
struct Measures {
  double font, line, symbol, letter;  ///< sizes in pixels; `letter` is the usual width of one
  bool titled;                        ///< papers have captions instead

  explicit Measures(const FigureStyle& style);
};

/// Where a panel lies: pixels from the lower left corner of the figure, and those of the whole figure.
struct PanelPlace {
  double left, bottom, width, height, whole_width, whole_height;
};

/// One pair of axes with its curves.
class Panel {
 public:
  /// `index` counts the panels of a figure; of the only one it is empty.
  Panel(const Figure& figure, const Measures& measures, const Palette& palette, double width,
        std::optional<std::size_t> index);

  /// Pixels that all of it takes.
  double height() const { return head() + area() + foot(); }

  /// gnuplot's commands; `more` stand in front of the plot itself.
  std::string str(const PanelPlace& place, const std::string& more) const;

  /// What stands in front of the commands of all panels.
  const std::string& data() const { return data_; }
  /// As FigureScript has them.
  const std::vector<std::string>& bare() const { return bare_; }
  const auto& shown_points() const { return shown_points_; }

 private:
  struct Name {
    std::string text, colour;
    double x, y;  ///< where the curve ends, on the axes
  };

  double legend() const { return at_ends_ ? 0 : 1.55 * measures_.font * legend_scale_ * rows_ + 6; }
  double foot() const { return legend() + 4.2 * measures_.font; }
  double area() const { return (is_panel_ ? 0.8 : at_ends_ ? 0.65 : 0.55) * width_; }
  double head() const { return measures_.font * (1.4 + 1.4 * static_cast<double>(title_.size())); }

  std::vector<std::string> titles() const;
  /// A legend of up to six; then names at the ends of curves, if they leave room for the curves.
  void choose_names();

  std::string axis(char name, const FigureAxis& axis, const AxisRange& range, const std::string& ticks) const;
  /// Sets step_, how far curves with intervals are set apart in parts of the axis: together less than half of
  /// what is between two x. The axis gets room for them where its given ends have none.
  void set_bars_apart();

  /// A plot with a row in the legend, or one that is titled in the SVG only.
  void add_plot(const std::string& what, const std::string& legend, const std::string& meaning);

  std::string look(const FigureCurve& curve, const std::string& colour, std::size_t number) const;

  /// "sculpt: 4, 2.5e+03 (2.1e+03 .. 2.9e+03)".
  std::string value_text(const FigureCurve& curve, const FigurePoint& point) const;

  /// `name_in_legend` is that of curve_names().
  void add(const FigureCurve& curve, const std::string& name_in_legend, const std::string& colour);
  void add(const FigureLevel& level);

  /// Names right of the axes, each as high as its curve's end where the others let it be.
  std::string names_at_ends() const;

  const Figure& figure_;
  const Measures& measures_;
  double width_;
  std::size_t index_;
  bool is_panel_;
  AxisRange x_, y_;
  std::set<double> distinct_;  ///< the x that are drawn
  bool empty_ = false, at_ends_ = false;
  double rows_ = 0, names_width_ = 0, legend_scale_ = 1;
  std::string data_;
  std::vector<std::string> title_, plots_, bare_;
  std::vector<std::pair<std::string, std::vector<std::string>>> shown_points_;
  std::vector<Name> names_;
  std::size_t curves_ = 0, coloured_ = 0, levels_ = 0, bars_ = 0, barred_ = 0;
  double step_ = 0;
};

}  // namespace hardhead::report::detail
