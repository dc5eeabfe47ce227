#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/files/temporary_folder.h"
#include "base/process/external_command.h"

namespace hardhead::report {
namespace {

namespace fs = std::filesystem;
using Style = FigureCurve::Style;

/// Okabe and Ito, "Color Universal Design" (2008); yellow, faint on white, last; black becomes
/// the page's text colour.
constexpr std::array colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                "#E69F00", "#56B4E9", "black",   "#F0E442"};
/// gnuplot's numbers: full circle, square, triangle, diamond, inverted triangle, then the empty ones.
constexpr std::array symbols = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

/// In single quotes, where gnuplot takes every character but ' and the line's end as it is.
std::string gnuplot_string(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "'";
}

/// A title in lines, each quoted.
std::vector<std::string> lines_of(const std::string& title) {
  constexpr std::size_t most = 64;
  std::vector<std::string> out;
  std::string rest = title;
  for (std::size_t space = 0; rest.size() > most && (space = rest.rfind(' ', most)) != std::string::npos;) {
    out.push_back(gnuplot_string(rest.substr(0, space)));
    rest.erase(0, space + 1);
  }
  out.push_back(gnuplot_string(rest));
  return out;
}

bool drawable(const FigureAxis& axis, double value) {
  return std::isfinite(value) && (!axis.log || value > 0);
}

struct Range {
  double low = 0, high = 1;
};

/// What `values` take with a margin, or what the axis says. A log axis spans a factor of 6 at least, so that
/// two of its ticks are in it.
Range range_of(const FigureAxis& axis, const std::vector<double>& values) {
  std::vector<double> shown;
  for (const double value : values)
    if (drawable(axis, value)) shown.push_back(axis.log ? std::log10(value) : value);
  Range range;
  if (!shown.empty()) {
    const auto [least, most] = std::ranges::minmax(shown);
    const double span = axis.log             ? std::max(most - least, 0.75)
                        : most > least       ? most - least
                        : std::abs(most) > 0 ? std::abs(most)
                                             : 1.0;
    const double middle = least / 2 + most / 2;
    range = {middle - 0.55 * span, middle + 0.55 * span};
  }
  if (axis.log)
    range = {std::pow(10, std::max(range.low, -307.0)), std::pow(10, std::min(range.high, 307.0))};
  return {axis.low.value_or(range.low), axis.high.value_or(range.high)};
}

std::string tick(const std::string& label, double at) {
  return fmt::format("{} {:.17g}", gnuplot_string(label), at);
}

/// Powers of ten, with 2 and 5 times them where there are few.
std::string log_ticks(const Range& range) {
  const int first = static_cast<int>(std::floor(std::log10(range.low))),
            last = static_cast<int>(std::ceil(std::log10(range.high)));
  const bool few = std::log10(range.high / range.low) < 2.5;
  const int step = std::max(1, (last - first) / 6);
  std::vector<std::string> ticks;
  for (int power = first; power <= last; ++power) {
    const double decade = std::pow(10, power);
    if (few)
      for (const int times : {1, 2, 5})
        ticks.push_back(tick(fmt::format("{:g}", times * decade), times * decade));
    else if (power % step == 0)
      ticks.push_back(tick(fmt::format("10^{{{}}}", power), decade));
  }
  return fmt::format("({})", fmt::join(ticks, ", "));
}

std::string axis_lines(char name, const FigureAxis& axis, const Range& range, const std::string& ticks) {
  return fmt::format(
      "set {0}label {1} noenhanced{6}\nset {0}range [{2:.17g}:{3:.17g}]\nset {0}tics nomirror {4}\n{5}", name,
      gnuplot_string(axis.label), range.low, range.high, ticks,
      axis.log ? fmt::format("set logscale {}\n", name) : "", name == 'x' ? " offset 0,0.5" : "");
}

/// The figure as gnuplot's commands, up to the terminal and the name of the file.
class Script {
 public:
  explicit Script(const Figure& figure) : figure_(figure) {
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
    set_bars_apart(x);
    std::size_t longest = 0;
    for (const FigureCurve& curve : figure.curves) {
      add(curve);
      longest = std::max(longest, curve.label.size());
    }
    for (const FigureLevel& level : figure.levels) {
      add(level);
      longest = std::max(longest, level.label.size());
    }
    if (empty_) plots_.emplace_back("NaN notitle");  // gnuplot wants something to plot
    width_ = std::max(480.0, 60 + 7.0 * static_cast<double>(longest));
    key_ = 19.5 * static_cast<double>(figure.curves.size() + figure.levels.size());
    title_ = lines_of(figure.title);
    head_ = 18 + 18 * static_cast<double>(title_.size());
    height_ = 304 + head_ + key_;
    x_ticks_ = ticks_at(x);
  }

  double width() const { return width_; }  ///< in pixels
  double height() const { return height_; }

  std::string str() const {
    std::string out = fmt::format(
        "set border 3 lw 1\nset grid lc rgb '#C0808080' lw 0.7 dt 1\n"
        "set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n"
        "set key at graph 0, screen {:.4f} left top Left reverse vertical maxcols 1 noenhanced samplen 3\n",
        1 - head_ / height_, (key_ + 56) / height_, (key_ + 8) / height_);
    out += fmt::format("set title {} noenhanced\n", fmt::join(title_, R"(."\n".)"));
    out += axis_lines('x', figure_.x, x_, x_ticks_);
    out += axis_lines('y', figure_.y, y_, figure_.y.log ? log_ticks(y_) : "autofreq");
    if (empty_) out += "set label 'no finite data' at graph 0.5, graph 0.5 center\n";
    return fmt::format("{}{}plot {}\n", data_, out, fmt::join(plots_, ", \\\n  "));
  }

 private:
  static bool has_intervals(const FigureCurve& curve) {
    return std::ranges::any_of(curve.points,
                               [](const FigurePoint& point) { return point.interval.has_value(); });
  }

  /// Where x is on its axis: 0 at the low end, 1 at the high one.
  double place(double x) const {
    return figure_.x.log ? std::log(x / x_.low) / std::log(x_.high / x_.low)
                         : (x - x_.low) / (x_.high - x_.low);
  }
  double at(double place) const {
    return figure_.x.log ? x_.low * std::pow(x_.high / x_.low, place) : x_.low + place * (x_.high - x_.low);
  }

  /// Where x takes a few values far enough apart, those.
  std::string ticks_at(const std::vector<double>& values) const {
    std::string fallback = figure_.x.log ? log_ticks(x_) : "autofreq";
    std::vector<std::string> ticks;
    double last = -1;
    for (const double x : std::set<double>(values.begin(), values.end())) {
      const std::string label = fmt::format("{:g}", x);
      if (label.size() > 6 || place(x) - last < 0.08) return fallback;
      ticks.push_back(tick(label, x));
      last = place(x);
    }
    return ticks.empty() ? fallback : fmt::format("({})", fmt::join(ticks, ", "));
  }

  /// Sets step_, how far curves with intervals are set apart in parts of the axis: together less than half of
  /// what is between two x. The axis gets room for them where its given ends have none.
  void set_bars_apart(const std::vector<double>& values) {
    const std::set<double> distinct(values.begin(), values.end());
    if (barred_ < 2 || distinct.empty()) return;
    step_ = std::min(0.012, 0.07 / static_cast<double>(barred_));
    for (auto next = std::next(distinct.begin()); next != distinct.end(); ++next)
      step_ = std::min(step_, (place(*next) - place(*std::prev(next))) / (2 * static_cast<double>(barred_)));
    const double reach = step_ * static_cast<double>(barred_);
    x_ = {at(std::min(0.0, place(*distinct.begin()) - reach)),
          at(std::max(1.0, place(*distinct.rbegin()) + reach))};
  }

  void add(const FigureCurve& curve) {
    const std::size_t number = curves_++;
    const double shift = has_intervals(curve)
                             ? step_ * (static_cast<double>(bars_) - static_cast<double>(barred_ - 1) / 2)
                             : 0;
    const std::string colour = fmt::format("lc rgb '{}'", colours[number % colours.size()]);
    const std::string symbol = fmt::format("pt {} ps 0.9", symbols[number % symbols.size()]);
    const std::string how = curve.style == Style::points ? fmt::format("points {} {}", symbol, colour)
                            : curve.style == Style::line
                                ? fmt::format("lines lw 2 dt '-' {}", colour)
                                : fmt::format("linespoints lw 1.7 {} {}", symbol, colour);
    std::string points, bars;
    for (const FigurePoint& point : curve.points) {
      if (!drawable(figure_.x, point.x) || !drawable(figure_.y, point.y)) continue;
      const double x = shift == 0 ? point.x : at(place(point.x) + shift);
      points += fmt::format("{:.17g} {:.17g}\n", x, point.y);
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
      data_ += fmt::format("$bars{} << END\n{}END\n", number, bars);
      plots_.push_back(fmt::format(
          "$bars{} using 1:2:(0):3 with vectors heads size graph 0.008,90 nofilled lw 1.2 {} notitle", number,
          colour));
      ++bars_;
    }
    data_ += fmt::format("$curve{} << END\n{}END\n", number, points);
    plots_.push_back(
        fmt::format("$curve{} using 1:2 with {} title {}", number, how, gnuplot_string(curve.label)));
  }

  void add(const FigureLevel& level) {
    if (!drawable(figure_.y, level.y)) {
      plots_.push_back(fmt::format("keyentry with lines lc rgb '#808080' title {}",
                                   gnuplot_string(level.label + " (no finite data)")));
      return;
    }
    const std::size_t number = levels_++;
    data_ += fmt::format("$level{0} << END\n{1:.17g} {3:.17g}\n{2:.17g} {3:.17g}\nEND\n", number, x_.low,
                         x_.high, level.y);
    plots_.push_back(fmt::format("$level{} using 1:2 with lines lw 1.7 dt {} lc rgb '#808080' title {}",
                                 number, 2 + number % 4, gnuplot_string(level.label)));
  }

  const Figure& figure_;
  Range x_, y_;
  bool empty_ = false;
  double width_ = 0, height_ = 0, head_ = 0, key_ = 0;
  std::string data_, x_ticks_;
  std::vector<std::string> title_, plots_;
  std::size_t curves_ = 0, levels_ = 0, bars_ = 0, barred_ = 0;
  double step_ = 0;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// gnuplot's black is the page's colour, its own title the figure's.
std::string for_the_page(std::string svg, const std::string& title) {
  std::string escaped = title;
  replace_all(escaped, "&", "&amp;");
  replace_all(escaped, "<", "&lt;");
  for (const char* black : {"'black'", "\"black\"", "'rgb(  0,   0,   0)'"})
    replace_all(svg, black, "\"currentColor\"");
  const std::size_t from = svg.find("<title>Gnuplot"), to = svg.find("</desc>");
  if (from == std::string::npos || to == std::string::npos) return svg;
  return svg.replace(from, to + 7 - from, "<title>" + escaped + "</title>");
}

}  // namespace

void draw(const Figure& figure, const std::string& folder) {
  if (figure.name.empty() || !std::ranges::all_of(figure.name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-';
      }))
    throw InputError(
        fmt::format("figure '{}': a name of letters, digits, '_' and '-' is expected", figure.name));
  const Script script(figure);
  const TemporaryFolder workplace(folder, ".figure");
  const std::string commands = workplace.file("script"), svg = workplace.file("svg"),
                    pdf = workplace.file("pdf");
  constexpr double points_per_inch = 72 * 1.35;  // of the pixels: a column of a paper is about 9 cm
  std::ofstream(commands)
      << "set encoding utf8\n"
      << fmt::format("set terminal svg enhanced size {},{} font 'sans-serif,13'\nset output {}\n",
                     script.width(), script.height(), gnuplot_string(svg))
      << script.str()
      << fmt::format(
             "set terminal pdfcairo enhanced size {:.2f},{:.2f} font 'Sans,9.5' fontscale 0.7\n"
             "set output {}\nset key spacing 1.35\nreplot\n",
             script.width() / points_per_inch, script.height() / points_per_inch, gnuplot_string(pdf));
  // Without the reader's own settings: -d.
  const CommandEnding ending =
      run_command("exec gnuplot -d " + shell_quoted(commands), workplace.file("log"), std::nullopt, {});
  if (!ending.well() || fs::file_size(svg) == 0 || fs::file_size(pdf) == 0)
    throw InputError(fmt::format("figure '{}': gnuplot ended with {}: {}{}", figure.name, ending.str(),
                                 ending.last_words,
                                 ending.exit_code == 127 ? " (Debian's package: gnuplot-nox)" : ""));
  AtomicFile file(folder + "/" + figure.name + ".svg");
  file.stream() << for_the_page(read_file(svg), figure.title);
  file.commit();
  AtomicFile paper(folder + "/" + figure.name + ".pdf");
  paper.stream() << read_file(pdf);
  paper.commit();
}

}  // namespace hardhead::report
