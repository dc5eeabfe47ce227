#include "study/figure/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <regex>
#include <set>

#include "base/error.h"
#include "tests/refusal.h"
#include "tests/scratch_folder.h"

namespace hardhead::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Style = FigureCurve::Style;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

/// The SVG that is drawn.
std::string svg_of(const Figure& figure, const FigureStyle& style = {}) {
  const ScratchFolder folder;
  draw(figure, folder.path(), style);
  EXPECT_THAT(folder.read(figure.name + ".pdf"), StartsWith("%PDF"));
  EXPECT_EQ(folder.file_count(), 3) << "with its JSON, and nothing is left behind";
  return folder.read(figure.name + ".svg");
}

std::ptrdiff_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
}

/// Symbols drawn: one for each point and one in the key.
std::ptrdiff_t symbols(const std::string& svg) {
  return count(svg, R"(<use xlink:href='#gpPt\d+' transform='translate)");
}

Figure simple() {
  return {.name = "simple",
          .title = "a title",
          .x = {"examples", true},
          .y = {"test error (relative)", true},
          .curves = {{"first", {{1, 0.5}, {10, 0.05}}}, {"second", {{1, 0.7}, {10, 0.2}}}},
          .levels = {{"null error", 0.44}}};
}

TEST(Figure, HasItsLabelsPointsAndLevels) {
  const std::string svg = svg_of(simple());
  for (const char* text : {"a title", "examples", "test error (relative)", "first", "second", "null error"})
    EXPECT_THAT(svg, HasSubstr(std::string("<text>") + text + "</text>"));
  EXPECT_EQ(symbols(svg), 6);
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray")) << "the level";
}

TEST(Figure, EachPointSaysItsValueAndTheLegendDoesNot) {
  Figure figure = simple();
  figure.curves[1].points[1].interval = {{0.1, 0.3}};
  figure.curves[1].label = "a < b";
  const std::string svg = svg_of(figure);
  for (const char* text :
       {"first: 1, 0.5", "first: 10, 0.05", "a &lt; b: 1, 0.7", "a &lt; b: 10, 0.2 (0.1 .. 0.3)"})
    EXPECT_EQ(count(svg, R"(<use [^>]*><title>)" +
                             std::regex_replace(std::string(text), std::regex(R"([.()])"), R"(\$&)") +
                             "</title></use>"),
              1)
        << text;
  EXPECT_EQ(count(svg, "</use>"), 4);
}

TEST(Figure, TakesTheColourOfThePageForTextAndAxes) {
  const std::string svg = svg_of(simple());
  EXPECT_EQ(count(svg, "black"), 0);
  EXPECT_GT(count(svg, "fill=\"currentColor\""), 10);
  EXPECT_EQ(count(svg, R"(<rect x="0" y="0"[^>]* fill="none"/>)"), 1) << "no background";
}

TEST(Figure, LabelsAreTakenLiterally) {
  Figure figure = simple();
  figure.title = "w_sum ^{2} <b> & 'q' \"d\" `id` @x \\n";
  figure.curves[0].label = "theta_norm, m=2 {/Symbol a}\nplot 1";
  figure.x.label = "$(id)";
  const std::string svg = svg_of(figure);
  EXPECT_THAT(svg, HasSubstr("<text>w_sum ^{2} &lt;b> &amp; 'q' \"d\" `id` @x \\n</text>"));
  EXPECT_THAT(svg, HasSubstr("<text>theta_norm, m=2 {/Symbol a} plot 1</text>"));
  EXPECT_THAT(svg, HasSubstr("<text>$(id)</text>"));
}

TEST(Figure, AnApostropheIsDrawnWhereverItStands) {
  for (const char* text : {"'a", "it''s", "a'", "'''", "exec:awk -v a='' '{}'", "`date`\\'$x"}) {
    Figure figure = simple();
    figure.title = figure.x.label = figure.curves[0].label = figure.levels[0].label = text;
    const std::string svg = svg_of(figure), shown = std::string("<text>") + text + "</text>";
    int times = 0;
    for (std::size_t at = 0; (at = svg.find(shown, at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 4) << text;
  }
  Figure named = simple();
  named.x = {"x", false, {}, {}, {"'a", "b''c"}};
  EXPECT_THAT(svg_of(named), HasSubstr("b''c"));
}

TEST(Figure, AnAxisThatCannotBeDrawnIsRefusedByItsName) {
  const ScratchFolder folder;
  const auto refused = [&](const FigureAxis& axis) {
    Figure figure = simple();
    figure.x = axis;
    return refusal_of([&] { draw(figure, folder.path()); });
  };
  for (const double end : {0.0, -1.0, 1e-310, nan, infinity, -infinity}) {
    EXPECT_THAT(refused({"examples", true, end, {}}), HasSubstr("figure 'simple': axis 'examples': low = "));
    EXPECT_THAT(refused({"examples", true, {}, end}), HasSubstr("axis 'examples': high = ")) << end;
  }
  EXPECT_THAT(refused({"x", false, 2, 2}), HasSubstr("low = 2 must be below high = 2"));
  EXPECT_THAT(refused({"x", false, {}, nan}), HasSubstr("high = nan: it must be finite"));
  EXPECT_EQ(refused({"x", true, 1e-300, 1e300}), "accepted");
  EXPECT_EQ(refused({"x", false, -1e300, 1e300}), "accepted");
}

TEST(Figure, CurvesDifferInColourAndSymbol) {
  Figure figure = simple();
  figure.curves.clear();
  figure.levels.clear();
  for (int c = 0; c < 8; ++c)
    figure.curves.push_back({"c" + std::to_string(c), {{1.0 + c, 0.5}}, Style::points});
  const std::string svg = svg_of(figure);
  std::set<std::string> shapes, colours;
  const std::regex use(R"(<use xlink:href='#(gpPt\d+)' transform='[^']*' color=['"]([^'"]+))");
  for (std::sregex_iterator at(svg.begin(), svg.end(), use), end; at != end; ++at) {
    shapes.insert((*at)[1]);
    colours.insert((*at)[2]);
  }
  EXPECT_EQ(shapes.size(), 8u);
  EXPECT_EQ(colours.size(), 8u);
}

TEST(Figure, IntervalsAreBarsAndAreCutOffAtTheAxis) {
  Figure figure = simple();
  figure.levels.clear();
  const auto strokes = [](const std::string& svg) {
    return count(svg, R"(<path stroke='rgb\(  0, 114, 178\))");
  };
  const std::ptrdiff_t without = strokes(svg_of(figure));
  figure.curves[0].points[0].interval = statistics::Interval{0, infinity};
  figure.curves[0].points[1].interval = statistics::Interval{0.01, 0.3};
  const std::string svg = svg_of(figure);
  EXPECT_GT(strokes(svg), without);
  EXPECT_EQ(count(svg, "nan|inf"), 0);
  figure.curves[0].points[0].interval = figure.curves[0].points[1].interval = statistics::Interval{nan, 1};
  EXPECT_EQ(strokes(svg_of(figure)), without);
}

TEST(Figure, BarsSetApartStayInside) {
  Figure figure = simple();
  figure.x = {"knob", false, 0, 1};
  figure.levels.clear();
  figure.curves.clear();
  for (int c = 0; c < 7; ++c)
    figure.curves.push_back(
        {std::to_string(c),
         {{0, 0.5, statistics::Interval{0.4, 0.6}}, {1, 0.5, statistics::Interval{0.4, 0.6}}}});
  EXPECT_EQ(symbols(svg_of(figure)), 14) << "two points for each; their names are at their ends";
}

TEST(Figure, ALongTitleTakesMoreLines) {
  Figure figure = simple();
  figure.title = std::string(50, 'a') + " " + std::string(50, 'b') + " " + std::string(100, 'c');
  const std::string svg = svg_of(figure);
  EXPECT_EQ(count(svg, "<text>(a{50}|b{50}|c{100})</text>"), 3);
  EXPECT_EQ(count(svg, "viewBox=\"0 0 480 "), 1);
}

TEST(Figure, WhatCannotBeDrawnIsLeftOutAndSaid) {
  Figure figure = simple();
  figure.curves[0].points = {{1, 0.5}, {10, nan}, {100, 0}, {-1, 0.5}, {infinity, 0.5}};
  figure.curves[1].points = {{1, -1}};
  const std::string svg = svg_of(figure);
  EXPECT_EQ(symbols(svg), 3) << "a point, and two symbols in the key";
  EXPECT_THAT(svg, HasSubstr("second (no finite data)"));
  EXPECT_THAT(svg, Not(HasSubstr(">no finite data<")));
}

TEST(Figure, WithoutDataSaysSo) {
  EXPECT_THAT(svg_of({.name = "none", .title = "t", .x = {"x"}, .y = {"y"}, .curves = {}}),
              HasSubstr("no finite data"));
  Figure figure = simple();
  figure.curves = {{"empty", {}}};
  figure.levels = {{"null error", 0}};
  EXPECT_THAT(svg_of(figure), HasSubstr("no finite data"));
}

TEST(Figure, DrawsWhateverTheRangeOfTheData) {
  Figure figure = simple();
  figure.levels.clear();
  for (const std::vector<FigurePoint>& points :
       std::vector<std::vector<FigurePoint>>{{{8, 1}},
                                             {{8, 0}},
                                             {{8, 1e-31}, {9, 1}},
                                             {{1e-300, 1e300}, {1e300, 1e-300}},
                                             {{0, 0}, {1e9, -1e9}}})
    for (const bool log : {false, true}) {
      figure.x.log = figure.y.log = log;
      figure.curves = {{"c", points}};
      EXPECT_THAT(svg_of(figure), HasSubstr("</svg>"));
    }
}

/// `count` curves of two points, with m = 2, 3, 4, 2, 3, .. where `with_heads`.
Figure many(std::size_t count, bool with_heads) {
  Figure figure = simple();
  figure.levels.clear();
  figure.curves.clear();
  for (std::size_t c = 0; c < count; ++c) {
    const double y = 0.01 * static_cast<double>(c + 1);
    figure.curves.push_back({"curve " + std::to_string(c), {{1, y}, {10, 2 * y}}});
    if (with_heads) figure.curves.back().heads = static_cast<double>(2 + c % 3);
  }
  return figure;
}

/// The colours of the symbols that are drawn.
std::set<std::string> colours_of(const std::string& svg) {
  std::set<std::string> out;
  const std::regex use(R"(<use xlink:href='#gpPt\d+' transform='[^']*' color=['"]([^'"]+))");
  for (std::sregex_iterator at(svg.begin(), svg.end(), use), end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

TEST(Figure, ColourIsTheNumberOfHeadsWhereCurvesDifferInIt) {
  EXPECT_EQ(colours_of(svg_of(many(6, true))).size(), 3U);
  EXPECT_EQ(colours_of(svg_of(many(6, false))).size(), 6U);
  Figure alike = many(3, true);
  for (FigureCurve& curve : alike.curves) curve.heads = 2;
  EXPECT_EQ(colours_of(svg_of(alike)).size(), 3U) << "m tells nothing apart";
}

TEST(Figure, DashesAreTheKindOfACurve) {
  const auto dashes = [](FigureCurve::Kind kind) {
    Figure figure = many(1, false);
    figure.curves[0].kind = kind;
    figure.curves[0].style = Style::line;
    const std::string svg = svg_of(figure);
    return count(svg.substr(svg.find("gnuplot_plot_1")), "stroke-dasharray");
  };
  EXPECT_EQ(dashes(FigureCurve::Kind::measured), 0);
  EXPECT_GT(dashes(FigureCurve::Kind::bound), 0);
  EXPECT_EQ(dashes(FigureCurve::Kind::slope), 0);
}

TEST(Figure, EveryPlotHasATitleThatSaysWhatItIs) {
  Figure figure = many(3, false);
  figure.curves[0].points[0].interval = statistics::Interval{0.005, 0.02};
  figure.curves[1].kind = FigureCurve::Kind::slope;
  for (const std::size_t curves : {3U, 7U, 12U}) {
    if (curves > 3) figure = many(curves, false);
    const std::string svg = svg_of(figure);
    EXPECT_EQ(count(svg, "<title>gnuplot"), 0) << curves;
    for (std::size_t i = 0; i < curves; ++i) {
      const bool has_slope = curves == 3 && i == 0;
      const std::string name =
          figure.curves[i].label + (has_slope ? R"( \(thin line: )" + figure.curves[1].label + R"(\))" : "");
      EXPECT_EQ(count(svg, "<title>" + name + "</title>"), 1) << curves;
    }
  }
}

TEST(Figure, PastEightCurvesThereIsAPanelForEachM) {
  const std::string svg = svg_of(many(9, true));
  for (const char* m : {"m = 2", "m = 3", "m = 4"})
    EXPECT_EQ(count(svg, std::string("<text>") + m + "</text>"), 1);
  EXPECT_EQ(count(svg, "<text>a title</text>"), 1);
  EXPECT_EQ(count(svg, "<text>examples</text>"), 3) << "each has its axes";
}

TEST(Figure, CategoriesHaveTheirNames) {
  Figure figure = simple();
  figure.x = {"inputs", false, {}, {}, {"Boolean", "sphere"}};
  figure.curves = {{"c", {{0, 0.5}, {1, 0.4}}, Style::points}};
  const std::string svg = svg_of(figure);
  for (const char* name : {"Boolean", "sphere"}) EXPECT_EQ(count(svg, std::string(">") + name + "<"), 1);
  EXPECT_EQ(symbols(svg), 3);
}

TEST(Figure, APapersFigureIsAsWideAsItsColumn) {
  const FigureStyle paper{.medium = FigureStyle::Medium::paper};
  EXPECT_THAT(svg_of(simple(), paper), HasSubstr("viewBox=\"0 0 312 ")) << "3.25 inches of 96 pixels";
  EXPECT_THAT(svg_of(simple(), paper), Not(HasSubstr("<text>a title</text>"))) << "papers have captions";
  FigureStyle wide = paper;
  wide.width = 7;
  wide.font = "Serif";
  const std::string svg = svg_of(simple(), wide);
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 672 "));
  EXPECT_THAT(svg, HasSubstr("font-family=\"Serif\""));
}

TEST(Figure, IsDrawnAgainFromItsJson) {
  const ScratchFolder folder;
  Figure figure = many(5, true);
  figure.curves[0].points[0].interval = statistics::Interval{0.005, nan};
  figure.curves[1].points[1].y = nan;
  figure.x.names = {"a", "b"};
  figure.levels = {{"null error", 0.44}};
  draw(figure, folder.path());
  const std::string drawn = folder.read("simple.svg"), data = folder.read("simple.json");
  std::filesystem::remove(folder.path("simple.svg"));
  EXPECT_TRUE(redraw(folder.path("simple"), {}));
  EXPECT_EQ(folder.read("simple.svg"), drawn);
  EXPECT_EQ(folder.read("simple.json"), data);
  EXPECT_FALSE(redraw(folder.path("other"), {}));
  for (const char* bad : {"{}", "[]", "1", "{\"name\": 3}"}) {
    folder.write("bad.json", bad);
    EXPECT_THROW(redraw(folder.path("bad"), {}), InputError) << bad;
  }
}

TEST(Figure, NamesThePackageWhereGnuplotIsMissing) {
  const ScratchFolder folder;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string said;
  try {
    draw(simple(), folder.path());
  } catch (const InputError& error) {
    said = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(said, HasSubstr("gnuplot-nox"));
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(Figure, ANameThatIsNoneOrAFolderThatIsNotThereIsRefused) {
  const ScratchFolder folder;
  Figure figure = simple();
  EXPECT_THROW(draw(figure, folder.path("missing")), InputError);
  for (const char* name : {"", "a/b", "..", "a b", "x;y"}) {
    figure.name = name;
    EXPECT_THROW(draw(figure, folder.path()), InputError) << name;
  }
  EXPECT_EQ(folder.file_count(), 0);
}

}  // namespace
}  // namespace hardhead::report
