#include "report/figure_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "report/figure_axes.h"

namespace hardhead::report {
namespace {

using Style = FigureCurve::Style;
using Kind = FigureCurve::Kind;

/// Okabe and Ito, "Color Universal Design" (2008), without the yellow, which is faint on white; black becomes
/// the page's text colour.
constexpr std::array<const char*, 8> categories = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "black",   "#808080"};
/// Viridis from a quarter to three quarters of its length: dark to light at an even pace, without the yellow.
constexpr std::array<std::array<double, 3>, 5> ordered = {
    {{0x3b, 0x52, 0x8b}, {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80}, {0x5e, 0xc9, 0x62}}};
/// gnuplot's numbers: full circle, square, triangle, diamond, inverted triangle, then the empty ones.
constexpr std::array symbols = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

constexpr std::size_t most_in_legend = 6, most_in_panel = 8;

/// Curves and levels that are told apart by a name in the legend or at their ends.
std::size_t named(const Figure& figure) {
  return figure.levels.size() +
         static_cast<std::size_t>(std::ranges::count_if(
             figure.curves, [](const FigureCurve& c) { return c.kind != Kind::slope; }));
}

/// The i-th of `count` colours in an order.
std::string ordered_colour(std::size_t i, std::size_t count) {
  const double at = count < 2 ? 0 : 4.0 * static_cast<double>(i) / static_cast<double>(count - 1);
  const auto stop = std::min<std::size_t>(static_cast<std::size_t>(at), 3);
  std::array<int, 3> mixed{};
  for (std::size_t c = 0; c < 3; ++c)
    mixed[c] = static_cast<int>(
        std::lround(std::lerp(ordered[stop][c], ordered[stop + 1][c], at - static_cast<double>(stop))));
  return fmt::format("#{:02X}{:02X}{:02X}", mixed[0], mixed[1], mixed[2]);
}

/// The m of the curves, where all have one and colour is not all that tells two lines of one m apart.
std::set<double> heads_of(const Figure& figure) {
  std::set<double> out;
  std::set<std::pair<double, Kind>> lines;
  for (const FigureCurve& curve : figure.curves) {
    if (!curve.heads) return {};
    out.insert(*curve.heads);
    if (curve.style == Style::line && curve.kind != Kind::slope &&
        !lines.insert({*curve.heads, curve.kind}).second)
      return {};
  }
  return out.size() > 1 ? out : std::set<double>();
}

bool has_intervals(const FigureCurve& curve) {
  return std::ranges::any_of(curve.points,
                             [](const FigurePoint& point) { return point.interval.has_value(); });
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

/// What is drawn, and with which measures: of all panels of a figure alike.
struct Measures {
  double font, line, symbol, letter;  ///< sizes in pixels; `letter` is the usual width of one
  bool titled;                        ///< papers have captions instead
  std::set<double> heads;             ///< of which colours are an order; empty for categories

  explicit Measures(const FigureStyle& style, std::set<double> of)
      : font(13), line(1.7), symbol(0.9), letter(0), titled(true), heads(std::move(of)) {
    if (style.medium == FigureStyle::Medium::paper) {
      font = 8 * 96.0 / 72;
      line = 1.2;
      symbol = 0.55;
      titled = false;
    }
    letter = 0.54 * font;
  }

  std::string colour(const FigureCurve& curve, std::size_t number) const {
    if (heads.empty()) return categories[number % categories.size()];
    return ordered_colour(static_cast<std::size_t>(std::distance(heads.begin(), heads.find(*curve.heads))),
                          heads.size());
  }
};

/// Where a panel lies: pixels from the lower left corner of the figure, and those of the whole figure.
struct PanelPlace {
  double left, bottom, width, height, whole_width, whole_height;
};

/// One pair of axes with its curves.
class Panel {
 public:
  Panel(const Figure& figure, const Measures& measures, double width, std::optional<std::size_t> index)
      : figure_(figure),
        measures_(measures),
        width_(width),
        index_(index.value_or(0)),
        is_panel_(index.has_value()) {
    std::vector<double> x, y;
    for (const FigureCurve& curve : figure.curves)
      for (const FigurePoint& point : curve.points)
        if (drawable(figure.x, point.x) && drawable(figure.y, point.y)) {
          x.push_back(point.x);
          y.push_back(point.y);
          if (point.interval) y.insert(y.end(), {point.interval->low, point.interval->high});
        }
    empty_ = x.empty();
    barred_ = static_cast<std::size_t>(std::ranges::count_if(figure.curves, has_intervals));
    for (const FigureLevel& level : figure.levels) y.push_back(level.y);
    x_ = range_of(figure.x, x);
    y_ = range_of(figure.y, y);
    distinct_ = {x.begin(), x.end()};
    set_bars_apart();
    choose_names();
    for (const FigureCurve& curve : figure.curves) add(curve);
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
          "samplen 3 spacing {:.3f} font ',{:.2f}'\n",
          (place.bottom + legend() + 4) / place.whole_height, 1.0, measures_.font * legend_scale_);
    out += title_.empty() ? "unset title\n"
                          : fmt::format("set title {} noenhanced\n", fmt::join(title_, R"(."\n".)"));
    out += axis('x', figure_.x, x_, ticks_of(figure_.x, x_, distinct_, width_ * 0.75 / measures_.letter));
    out += axis('y', figure_.y, y_, scale_ticks(figure_.y, y_, area() * 0.4));
    if (empty_) out += "set label 'no finite data' at graph 0.5, graph 0.5 center\n";
    return out + more + names_at_ends() + fmt::format("plot {}\n", fmt::join(plots_, ", \\\n  "));
  }

  const std::string& data() const { return data_; }
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
    for (const FigureCurve& curve : figure_.curves) longest = std::max(longest, curve.label.size());
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
    const auto place = static_cast<std::size_t>(std::max(point.x, 0.0));
    std::string out = fmt::format(
        "{}: {}, {:.4g}", curve.label,
        place < figure_.x.names.size() ? figure_.x.names[place] : fmt::format("{:.4g}", point.x), point.y);
    if (point.interval && std::isfinite(point.interval->low) && std::isfinite(point.interval->high))
      out += fmt::format(" ({:.4g} .. {:.4g})", point.interval->low, point.interval->high);
    return out;
  }

  void add(const FigureCurve& curve) {
    const std::size_t number = curves_++;
    coloured_ +=
        curve.kind == Kind::slope && coloured_ > 0 ? 0 : 1;  // a slope belongs to the curve before it
    const std::string colour = measures_.colour(curve, coloured_ - 1),
                      how = look(curve, colour, coloured_ - 1);
    const double shift = has_intervals(curve)
                             ? step_ * (static_cast<double>(bars_) - static_cast<double>(barred_ - 1) / 2)
                             : 0;
    std::string points, bars;
    std::vector<std::string> shown;
    Name name{curve.label, colour, 0, 0};
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
    const bool in_legend = !at_ends_ && curve.kind != Kind::slope;
    add_plot(fmt::format("$curve{}_{} using 1:2 with {}", index_, number, how), in_legend ? curve.label : "",
             curve.label);
    if (curve.style != Style::line && curve.kind != Kind::slope)
      shown_points_.emplace_back(curve.label, std::move(shown));
    if (!in_legend) names_.push_back(std::move(name));
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
    std::size_t slopes = 0;
    for (const auto& [place, name] : places) {
      if (at_ends_)
        out += fmt::format(
            "set arrow from first {:.17g},{:.17g} to graph 1.03,{:.5f} nohead lw 0.5 "
            "lc rgb '#A0808080'\n",
            name->x, name->y, place);
      out += at_ends_ ? fmt::format("set label {} at graph 1.04,{:.5f} left noenhanced tc rgb '{}'\n",
                                    gnuplot_string(name->text), place, name->colour)
                      : fmt::format(
                            "set label {} at first {:.17g},{:.17g} right offset 0,{:.1f} noenhanced "
                            "tc rgb '{}'\n",
                            gnuplot_string(name->text), name->x, name->y,
                            0.7 + static_cast<double>(slopes++ % 3), name->colour);
    }
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
  std::vector<double> x, y;
  for (const FigureCurve& curve : figure.curves)
    for (const FigurePoint& point : curve.points)
      if (drawable(figure.x, point.x) && drawable(figure.y, point.y)) {
        x.push_back(point.x);
        y.push_back(point.y);
      }
  for (const FigureLevel& level : figure.levels) y.push_back(level.y);
  Figure blank = figure;
  blank.curves.clear();
  blank.title.clear();
  const AxisRange across = range_of(figure.x, x), up = range_of(figure.y, y);
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

std::string font_of(const FigureStyle& style, const std::string& fallback, double size) {
  return gnuplot_string(fmt::format("{},{:.2f}", style.font.empty() ? fallback : style.font, size));
}

FigureScript figure_script(const Figure& figure, const FigureStyle& style) {
  const Measures measures(style, heads_of(figure));
  std::vector<Figure> figures = panels_of(figure, measures.heads);
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
    panels.emplace_back(figures[i], measures, width, figures.size() > 1 ? std::optional(i) : std::nullopt);
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
    out.commands += panels[i].str({width * static_cast<double>(i % beside), top - panels[i].height(), width,
                                   tallest, out.width, out.height},
                                  i == 0 ? above : "");
  }
  if (several) out.commands += "unset multiplot\n";
  return out;
}

}  // namespace hardhead::report
