#include "study/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/files/temporary_folder.h"
#include "base/text/json.h"
#include "study/figure/figure_script.h"
#include "study/figure/gnuplot.h"

namespace hardhead::report {
namespace {

namespace fs = std::filesystem;

/// The family of letters and the size of a figure's terminal: "'sans-serif,13'".
std::string font_of(const FigureStyle& style, const std::string& fallback, double size) {
  return gnuplot_string(fmt::format("{},{:.2f}", style.font.empty() ? fallback : style.font, size));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string as_xml(std::string text) {
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  return text;
}

/// gnuplot's black is the page's colour, and its own names of the figure and of plots without a row in the
/// legend are what they show.
std::string for_the_page(std::string svg, const Figure& figure, const std::vector<std::string>& bare) {
  for (const char* black : {"'black'", "\"black\"", "'rgb(  0,   0,   0)'"})
    replace_all(svg, black, "\"currentColor\"");
  const std::size_t from = svg.find("<title>Gnuplot"), to = svg.find("</desc>");
  if (from != std::string::npos && to != std::string::npos)
    svg.replace(from, to + 7 - from, "<title>" + as_xml(figure.title) + "</title>");
  static const std::regex unnamed("<title>gnuplot_plot_[0-9a-z]+</title>");
  std::string out;
  auto rest = svg.cbegin();
  std::size_t next = 0;
  for (std::sregex_iterator at(svg.cbegin(), svg.cend(), unnamed), end; at != end; ++at, ++next) {
    out.append(rest, (*at)[0].first);
    out += "<title>" + as_xml(next < bare.size() ? bare[next] : figure.title) + "</title>";
    rest = (*at)[0].second;
  }
  return out.append(rest, svg.cend());
}

/// Gives each symbol of a curve the title that FigureScript::points has for it: gnuplot writes the points of
/// a curve in their order, and then its symbol in the legend.
std::string with_values(const std::string& svg, const FigureScript& script) {
  std::string out;
  std::size_t from = 0;
  for (const auto& [title, values] : script.points) {
    const std::size_t group = svg.find("<title>" + as_xml(title) + "</title>", from);
    if (group == std::string::npos) return out + svg.substr(from);
    const std::size_t end = svg.find("<g id=", group);
    for (const std::string& value : values) {
      const std::size_t use = svg.find("<use ", std::max(from, group)), close = svg.find("/>", use);
      if (use == std::string::npos || use >= end) break;
      out += svg.substr(from, close - from) + "><title>" + as_xml(value) + "</title></use>";
      from = close + 2;
    }
  }
  return out + svg.substr(from);
}

}  // namespace

std::vector<std::string> curve_names(const Figure& figure) {
  std::vector<std::string> names;
  for (const FigureCurve& curve : figure.curves) {
    const bool is_slope = curve.kind == FigureCurve::Kind::slope;
    if (is_slope && !names.empty() && !curve.label.empty())
      names.back() += fmt::format(" (thin line: {})", curve.label);
    names.push_back(is_slope ? "" : curve.label);
  }
  return names;
}

void draw(const Figure& figure, const std::string& folder, const FigureStyle& style) {
  if (figure.name.empty() || !std::ranges::all_of(figure.name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-';
      }))
    throw InputError(
        fmt::format("figure '{}': a name of letters, digits, '_' and '-' is expected", figure.name));
  at_place(fmt::format("figure '{}'", figure.name), [&] {
    for (const FigureAxis* axis : {&figure.x, &figure.y}) check_axis(*axis);
  });
  const FigureScript script = figure_script(figure, style);
  const TemporaryFolder workplace(folder, ".figure");
  const std::string commands = fmt::format(
      "set encoding utf8\nset terminal svg enhanced size {:.0f},{:.0f} font {}\nset output 'svg'\n{}"
      "unset output\nset terminal pdfcairo enhanced size {:.4f},{:.4f} font {} fontscale 1\n"
      "set output 'pdf'\n{}",
      script.width, script.height, font_of(style, "sans-serif", script.font), script.commands,
      script.width / 96, script.height / 96, font_of(style, "Sans", script.font * 0.75), script.commands);
  run_gnuplot(figure.name, commands, workplace, {"svg", "pdf"});
  const std::string path = folder + "/" + figure.name;
  write_text(path + ".svg",
             with_values(for_the_page(read_file(workplace.file("svg")), figure, script.bare), script));
  write_text(path + ".pdf", read_file(workplace.file("pdf")));
  write_text(path + ".json", text_of_json(to_json(figure), 0) + "\n");
}

bool redraw(const std::string& path, const FigureStyle& style) {
  constexpr int max_depth = 5;  // the figure, its curves, a curve, its points, a point
  const std::string file = path + ".json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return false;
  const std::string place = fmt::format("figure '{}'", file);
  const Figure figure = figure_from_json(parse_json<Json>(read_file(file), max_depth), place);
  draw(figure, fs::path(path).parent_path().string(), style);
  return true;
}

}  // namespace hardhead::report
