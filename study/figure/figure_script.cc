#include "study/figure/figure_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "study/figure/gnuplot.h"
#include "study/figure/palette.h"

namespace hardhead::report {
namespace {

using Style = FigureCurve::Style;
using Kind = FigureCurve::Kind;

/// gnuplot's numbers: full circle, square, triangle, diamond, inverted triangle, then the empty ones.
constexpr std::array symbols = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

bool has_intervals(const FigureCurve& curve) {
  return std::ranges::any_of(curve.points,
                             [](const FigurePoint& point) { return point.interval.has_value(); });
}

/// Up to so many names are in a legend; up to so many curves and levels are on one pair of axes.
constexpr std::size_t most_in_legend = 6, most_in_panel = 8;

/// Curves and levels that are told apart by a name in the legend or at their ends.
std::size_t named(const Figure& figure) {
  return figure.levels.size() +
         static_cast<std::size_t>(std::ranges::count_if(
             figure.curves, [](const FigureCurve& c) { return c.kind != Kind::slope; }));
}

/// A title in lines of at most `letters`, each quoted.
std::vector<std::string> lines_of(const std::string& title, double letters) {
  const auto most = static_cast<std::size_t>(std::max(letters, 1.0));
  std::vector<std::string> out;
  std::string rest = title;
  for (std::size_t space = 0; rest.size() > most && (space = rest.rfind(' ', most)) != std::string::npos;) {
    out.push_back(gnuplot_string(rest.substr(0, space)));
    rest.erase(0, space + 1);
  }
  out.push_back(gnuplot_string(rest));
  return out;
}

/// The sizes of what is drawn, of all panels of a figure alike.
struct Measures {
  double font, line, symbol, letter;  ///< sizes in pixels; `letter` is the usual width of one
  bool titled;                        ///< papers have captions instead

  explicit Measures(const FigureStyle& style) : font(13), line(1.7), symbol(0.9), letter(0), titled(true) {
    if (style.medium == FigureStyle::Medium::paper) {
      font = 8 * 96.0 / 72;
      line = 1.2;
      symbol = 0.55;
      titled = false;
    }
    letter = 0.54 * font;
  }
};

/// Where a panel lies: pixels from the lower left corner of the figure, and those of the whole figure.
struct PanelPlace {
  double left, bottom, whole_width, whole_height;
};

/// One pair of axes with its curves: a figure, or one of its small multiples.
class Panel {
 public:
  /// `index` counts the panels of a figure; of the only one it is empty.
  Panel(const Figure& figure, const Measures& measures, const Palette& palette, double width,
        std::optional<std::size_t> index)
      : figure_(figure),
        measures_(measures),
        width_(width),
        index_(index.value_or(0)),
        is_panel_(index.has_value()) {
    const DrawnValues values = drawn_values(figure);
    empty_ = values.x.empty();
    barred_ = static_cast<std::size_t>(std::ranges::count_if(figure.curves, has_intervals));
    x_ = range_of(figure.x, values.x);
    y_ = range_of(figure.y, values.y);
    distinct_ = {values.x.begin(), values.x.end()};
    set_bars_apart();
    choose_names();
    const std::vector<std::string> colours = palette.colours(figure.curves), names = curve_names(figure);
    for (std::size_t i = 0; i < colours.size(); ++i) add(figure.curves[i], names[i], colours[i]);
    for (const FigureLevel& level : figure.levels) add(level);
    if (empty_ || plots_.empty()) add_plot("NaN", "", "no data");  // gnuplot wants something to plot
    title_ = titles();
  }

  /// Pixels that all of it takes.
  double height() const { return head() + area() + foot(); }

  /// gnuplot's commands; `more` stand in front of the plot itself.
  std::string str(const PanelPlace& place, const std::string& more) const {
    const double area_bottom = place.bottom + foot();
    std::string out = fmt::format(
        "unset label\nunset arrow\nunset logscale\nunset rmargin\nset border 3 lw 1\n"
        "set grid lc rgb '#C0808080' lw 0.7 dt 1\n"
        "set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\nset tmargin at screen {:.5f}\n"
        "set bmargin at screen {:.5f}\n",
        place.left / place.whole_width, place.bottom / place.whole_height, width_ / place.whole_width,
        height() / place.whole_height, (area_bottom + area()) / place.whole_height,
        area_bottom / place.whole_height);
    if (at_ends_)
      out += fmt::format("set rmargin at screen {:.5f}\nunset key\n",
                         (place.left + width_ - names_width_) / place.whole_width);
    else
      out += fmt::format(
          "set key at graph 0, screen {:.5f} left top Left reverse vertical maxcols 1 noenhanced "
          "samplen 3 spacing 1.000 font ',{:.2f}'\n",
          (place.bottom + legend() + 4) / place.whole_height, measures_.font * legend_scale_);
    out += title_.empty() ? "unset title\n"
                          : fmt::format("set title {} noenhanced\n", fmt::join(title_, R"(."\n".)"));
    out += axis('x', figure_.x, x_, ticks_of(figure_.x, x_, distinct_, width_ * 0.75 / measures_.letter));
    out += axis('y', figure_.y, y_, scale_ticks(figure_.y, y_, area() * 0.4));
    if (empty_) out += "set label 'no finite data' at graph 0.5, graph 0.5 center\n";
    return out + more + names_at_ends() + fmt::format("plot {}\n", fmt::join(plots_, ", \\\n  "));
  }

  /// What stands in front of the commands of all panels.
  const std::string& data() const { return data_; }
  /// What those plots show that gnuplot knows no title of; and of curves that have symbols the title in the
  /// SVG and what each point shows when it is pointed at.
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

  std::vector<std::string> titles() const {
    if (figure_.title.empty() || !(measures_.titled || is_panel_)) return {};
    return lines_of(figure_.title, 0.95 * width_ / measures_.letter);
  }

  /// A legend of up to six; then names at the ends of curves, if they leave room for the curves.
  void choose_names() {
    std::size_t longest = 0;
    for (const std::string& name : curve_names(figure_)) longest = std::max(longest, name.size());
    for (const FigureLevel& level : figure_.levels) longest = std::max(longest, level.label.size());
    rows_ = static_cast<double>(named(figure_));
    names_width_ = (static_cast<double>(longest) + 3) * measures_.letter;
    at_ends_ = rows_ > most_in_legend && !is_panel_ && names_width_ < 0.45 * width_;
    const double wanted = 4 * measures_.font + static_cast<double>(longest) * measures_.letter;
    legend_scale_ = std::clamp((width_ - 7 * measures_.font) / wanted, 0.7, 1.0);
  }

  std::string axis(char name, const FigureAxis& axis, const AxisRange& range,
                   const std::string& ticks) const {
    const double along = name == 'x' ? width_ : area() + 2 * measures_.font;
    const std::string label =
        fmt::format("{}", fmt::join(lines_of(axis.label, along / measures_.letter), R"(."\n".)"));
    return fmt::format(
        "set {0}label {1} noenhanced{6}\nset {0}range [{2:.17g}:{3:.17g}]\n"
        "set {0}tics nomirror{7} {4}\n{5}",
        name, label, range.low, range.high, ticks, axis.log ? fmt::format("set logscale {}\n", name) : "",
        name == 'x' ? " offset 0,0.5" : "", axis.names.empty() ? "" : " noenhanced");
  }

  /// Sets step_, how far curves with intervals are set apart in parts of the axis: together less than half of
  /// what is between two x. The axis gets room for them where its given ends have none.
  void set_bars_apart() {
    if (barred_ < 2 || distinct_.empty()) return;
    const auto count = static_cast<double>(barred_);
    step_ = distinct_.size() <= 3 ? std::min(0.02, 0.2 / count) : std::min(0.012, 0.036 / count);
    for (auto next = std::next(distinct_.begin()); next != distinct_.end(); ++next)
      step_ = std::min(
          step_, (place_on(figure_.x, x_, *next) - place_on(figure_.x, x_, *std::prev(next))) / (2 * count));
    const double reach = step_ * count;
    const AxisRange before = x_;
    x_ = {
        value_at(figure_.x, before, std::min(0.0, place_on(figure_.x, before, *distinct_.begin()) - reach)),
        value_at(figure_.x, before, std::max(1.0, place_on(figure_.x, before, *distinct_.rbegin()) + reach))};
  }

  /// A plot with a row in the legend, or one that is titled in the SVG only.
  void add_plot(const std::string& what, const std::string& legend, const std::string& meaning) {
    plots_.push_back(what + (legend.empty() ? " notitle" : " title " + gnuplot_string(legend)));
    if (legend.empty()) bare_.push_back(meaning);
  }

  std::string look(const FigureCurve& curve, const std::string& colour, std::size_t number) const {
    const std::string symbol = fmt::format("pt {} ps {}", symbols[number % symbols.size()], measures_.symbol);
    const std::string dash = curve.kind == Kind::bound ? "dt '.'" : "dt 1";
    const double width = curve.kind == Kind::slope ? 0.5 * measures_.line : measures_.line;
    if (curve.style == Style::points) return fmt::format("points {} lc rgb '{}'", symbol, colour);
    if (curve.style == Style::line || curve.kind == Kind::slope)
      return fmt::format("lines lw {} {} lc rgb '{}'", width, dash, colour);
    return fmt::format("linespoints lw {} {} {} lc rgb '{}'", width, dash, symbol, colour);
  }

  /// "sculpt: 4, 2.5e+03 (2.1e+03 .. 2.9e+03)".
  std::string value_text(const FigureCurve& curve, const FigurePoint& point) const {
    const auto& names = figure_.x.names;
    const bool is_named = std::max(point.x, 0.0) < static_cast<double>(names.size());
    std::string out = fmt::format(
        "{}: {}, {:.4g}", curve.label,
        is_named ? names[static_cast<std::size_t>(std::max(point.x, 0.0))] : fmt::format("{:.4g}", point.x),
        point.y);
    if (point.interval && std::isfinite(point.interval->low) && std::isfinite(point.interval->high))
      out += fmt::format(" ({:.4g} .. {:.4g})", point.interval->low, point.interval->high);
    return out;
  }

  /// `name_in_legend` is that of curve_names().
  void add(const FigureCurve& curve, const std::string& name_in_legend, const std::string& colour) {
    const std::size_t number = curves_++;
    coloured_ +=
        curve.kind == Kind::slope && coloured_ > 0 ? 0 : 1;  // a slope belongs to the curve before it
    const std::string how = look(curve, colour, coloured_ - 1);
    const double shift = has_intervals(curve)
                             ? step_ * (static_cast<double>(bars_) - static_cast<double>(barred_ - 1) / 2)
                             : 0;
    std::string points, bars;
    std::vector<std::string> shown;
    Name name{name_in_legend, colour, 0, 0};
    for (const FigurePoint& point : curve.points) {
      if (!drawable(figure_.x, point.x) || !drawable(figure_.y, point.y)) continue;
      const double x =
          shift == 0 ? point.x : value_at(figure_.x, x_, place_on(figure_.x, x_, point.x) + shift);
      points += fmt::format("{:.17g} {:.17g}\n", x, point.y);
      shown.push_back(value_text(curve, point));
      name.x = x;
      name.y = point.y;
      if (!point.interval || std::isnan(point.interval->low) || std::isnan(point.interval->high)) continue;
      const double low = std::clamp(point.interval->low, y_.low, y_.high),
                   high = std::clamp(point.interval->high, y_.low, y_.high);
      bars += fmt::format("{:.17g} {:.17g} {:.17g}\n", x, low, high - low);
    }
    if (points.empty()) {
      plots_.push_back(
          fmt::format("keyentry with {} title {}", how, gnuplot_string(curve.label + " (no finite data)")));
      return;
    }
    if (!bars.empty()) {
      data_ += fmt::format("$bars{}_{} << END\n{}END\n", index_, number, bars);
      add_plot(
          fmt::format("$bars{}_{} using 1:2:(0):3 with vectors heads size graph 0.008,90 nofilled lw 1.2 "
                      "lc rgb '{}'",
                      index_, number, colour),
          "", curve.label + ": intervals");
      ++bars_;
    }
    data_ += fmt::format("$curve{}_{} << END\n{}END\n", index_, number, points);
    const bool is_slope = curve.kind == Kind::slope;
    add_plot(fmt::format("$curve{}_{} using 1:2 with {}", index_, number, how), at_ends_ ? "" : name.text,
             is_slope ? curve.label : name.text);
    if (curve.style != Style::line && !is_slope) shown_points_.emplace_back(name.text, std::move(shown));
    if (at_ends_ && !is_slope) names_.push_back(std::move(name));
  }

  void add(const FigureLevel& level) {
    if (!drawable(figure_.y, level.y)) {
      plots_.push_back(fmt::format("keyentry with lines lc rgb '#808080' title {}",
                                   gnuplot_string(level.label + " (no finite data)")));
      return;
    }
    constexpr std::array dashes = {3, 2, 4, 5};  // dotted first: it bounds
    const std::size_t number = levels_++;
    data_ += fmt::format("$level{0}_{1} << END\n{2:.17g} {4:.17g}\n{3:.17g} {4:.17g}\nEND\n", index_, number,
                         x_.low, x_.high, level.y);
    add_plot(fmt::format("$level{}_{} using 1:2 with lines lw {} dt {} lc rgb '#808080'", index_, number,
                         measures_.line, dashes[number % dashes.size()]),
             at_ends_ ? "" : level.label, level.label);
    if (at_ends_) names_.push_back({level.label, "#808080", x_.high, level.y});
  }

  /// Names right of the axes, each as high as its curve's end where the others let it be.
  std::string names_at_ends() const {
    if (names_.empty()) return "";
    std::vector<std::pair<double, const Name*>> places;
    for (const Name& name : names_)
      places.emplace_back(std::clamp(place_on(figure_.y, y_, name.y), 0.0, 1.0), &name);
    std::ranges::stable_sort(places, {}, [](const auto& one) { return one.first; });
    const double apart = 1.25 * measures_.font / area();
    for (std::size_t i = 1; i < places.size(); ++i)
      places[i].first = std::max(places[i].first, places[i - 1].first + apart);
    double ceiling = 1.02;
    for (auto at = places.rbegin(); at != places.rend(); ++at, ceiling -= apart)
      at->first = std::min(at->first, ceiling);
    std::string out;
    for (const auto& [place, name] : places)
      out += fmt::format(
          "set arrow from first {:.17g},{:.17g} to graph 1.03,{:.5f} nohead lw 0.5 lc rgb '#A0808080'\n"
          "set label {} at graph 1.04,{:.5f} left noenhanced tc rgb '{}'\n",
          name->x, name->y, place, gnuplot_string(name->text), place, name->colour);
    return out;
  }

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

/// The figure itself, or its panels: one for each m, or for as many curves as a legend takes, all on the same
/// axes.
std::vector<Figure> panels_of(const Figure& figure, const std::set<double>& heads) {
  if (named(figure) <= most_in_panel) return {figure};
  Figure blank = figure;
  blank.curves.clear();
  blank.title.clear();
  const DrawnValues values = drawn_values(figure);
  const AxisRange across = range_of(figure.x, values.x), up = range_of(figure.y, values.y);
  blank.x.low = across.low;
  blank.x.high = across.high;
  blank.y.low = up.low;
  blank.y.high = up.high;
  std::vector<Figure> out;
  for (const double m : heads) {
    out.push_back(blank);
    out.back().title = fmt::format("m = {:g}", m);
    for (FigureCurve curve : figure.curves) {
      if (curve.heads != m) continue;
      if (const std::string said = ", " + out.back().title; curve.label.ends_with(said))
        curve.label.erase(curve.label.size() - said.size());
      out.back().curves.push_back(std::move(curve));
    }
  }
  if (!heads.empty()) return out;
  const std::size_t room = most_in_legend - std::min(most_in_legend - 1, figure.levels.size());
  const std::size_t count = (figure.curves.size() + room - 1) / room;
  for (std::size_t p = 0; p < count; ++p) {
    const auto begin = static_cast<std::ptrdiff_t>(p * figure.curves.size() / count),
               end = static_cast<std::ptrdiff_t>((p + 1) * figure.curves.size() / count);
    out.push_back(blank);
    out.back().curves.assign(figure.curves.begin() + begin, figure.curves.begin() + end);
  }
  return out;
}

}  // namespace

FigureScript figure_script(const Figure& figure, const FigureStyle& style) {
  const Measures measures(style);
  const Palette palette(figure);
  const std::vector<Figure> figures = panels_of(figure, palette.heads());
  const bool is_paper = style.medium == FigureStyle::Medium::paper;
  FigureScript out;
  out.font = measures.font;
  std::size_t longest = 0;
  for (const FigureCurve& curve : figure.curves) longest = std::max(longest, curve.label.size());
  const double wanted =
      std::max(figures.size() > 1 ? 720.0 : 480.0, 60 + measures.letter * static_cast<double>(longest));
  out.width = style.width ? *style.width * 96 : is_paper ? 3.25 * 96 : wanted;
  const double room = figures.size() > 1 ? std::floor(out.width / (14 * measures.font)) : 1;
  const auto beside = static_cast<std::size_t>(std::clamp(room, 1.0, static_cast<double>(figures.size())));
  const double width = out.width / static_cast<double>(beside);
  std::vector<Panel> panels;
  panels.reserve(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i)
    panels.emplace_back(figures[i], measures, palette, width,
                        figures.size() > 1 ? std::optional(i) : std::nullopt);
  double tallest = 0;
  for (const Panel& panel : panels) tallest = std::max(tallest, panel.height());
  const std::size_t rows = (panels.size() + beside - 1) / beside;
  const bool several = panels.size() > 1;
  const std::vector<std::string> title = lines_of(figure.title, 0.95 * out.width / measures.letter);
  const double head =
      several && measures.titled ? 1.5 * measures.font * static_cast<double>(title.size()) + 6 : 0;
  out.height = head + tallest * static_cast<double>(rows);
  for (const Panel& panel : panels) {
    out.commands += panel.data();
    out.bare.insert(out.bare.end(), panel.bare().begin(), panel.bare().end());
    out.points.insert(out.points.end(), panel.shown_points().begin(), panel.shown_points().end());
  }
  // The title of all panels is a label of the first one: a multiplot's own is white on the page.
  std::string above;
  if (head > 0)
    above = fmt::format("set label {} at screen 0.5,{:.5f} center noenhanced\n",
                        fmt::join(title, R"(."\n".)"), 1 - 1.1 * measures.font / out.height);
  if (several) out.commands += "set multiplot\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double top = out.height - head - tallest * static_cast<double>(i / beside);
    out.commands += panels[i].str(
        {width * static_cast<double>(i % beside), top - panels[i].height(), out.width, out.height},
        i == 0 ? above : "");
  }
  if (several) out.commands += "unset multiplot\n";
  return out;
}

}  // namespace hardhead::report
