#include "report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <regex>
#include <set>

#include "base/error.h"
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
std::string svg_of(const Figure& figure) {
  const ScratchFolder folder;
  draw(figure, folder.path());
  EXPECT_THAT(folder.read(figure.name + ".pdf"), StartsWith("%PDF"));
  EXPECT_EQ(folder.file_count(), 2) << "nothing is left behind";
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

TEST(Figure, CurvesDifferInColourAndSymbol) {
  Figure figure = simple();
  figure.curves.clear();
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
  EXPECT_EQ(symbols(svg_of(figure)), 21) << "two points and one in the key for each";
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
