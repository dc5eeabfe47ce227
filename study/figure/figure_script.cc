#include "study/figure/figure_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "study/figure/axes.h"
#include "study/figure/palette.h"
#include "study/figure/panel.h"

namespace hardhead::report {
namespace {

using detail::lines_of;
using detail::Measures;
using detail::most_in_legend;
using detail::Panel;

/// The figure itself, or its panels: one for each m, or for as many curves as a legend takes, all on the same
/// axes.
std::vector<Figure> panels_of(const Figure& figure, const std::set<double>& heads) {
  if (detail::named(figure) <= detail::most_in_panel) return {figure};
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

std::string font_of(const FigureStyle& style, const std::string& fallback, double size) {
  return gnuplot_string(fmt::format("{},{:.2f}", style.font.empty() ? fallback : style.font, size));
}

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
    out.commands += panels[i].str({width * static_cast<double>(i % beside), top - panels[i].height(), width,
                                   tallest, out.width, out.height},
                                  i == 0 ? above : "");
  }
  if (several) out.commands += "unset multiplot\n";
  return out;
}

}  // namespace hardhead::report
