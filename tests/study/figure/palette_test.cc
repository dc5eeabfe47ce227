#include "study/figure/palette.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hardhead::report {
namespace {

FigureCurve curve(std::optional<double> heads, FigureCurve::Kind kind = FigureCurve::Kind::measured) {
  return {.label = "c", .points = {{1, 1}}, .kind = kind, .heads = heads};
}

Figure figure_of(std::vector<FigureCurve> curves) {
  return {.name = "f", .title = "", .x = {"x"}, .y = {"y"}, .curves = std::move(curves)};
}

TEST(Palette, CategoriesDifferAndASlopeHasTheColourOfTheCurveBeforeIt) {
  const Figure figure = figure_of({curve({}), curve({}, FigureCurve::Kind::slope), curve({}), curve({})});
  const Palette palette(figure);
  EXPECT_TRUE(palette.heads().empty());
  const std::vector<std::string> colours = palette.colours(figure.curves);
  EXPECT_EQ(colours[1], colours[0]);
  EXPECT_EQ((std::set<std::string>{colours[0], colours[2], colours[3]}.size()), 3u);
}

TEST(Palette, EqualHeadsHaveEqualColoursInEveryPanel) {
  const Figure figure = figure_of({curve(1), curve(2), curve(4), curve(2)});
  const Palette palette(figure);
  EXPECT_THAT(palette.heads(), testing::ElementsAre(1, 2, 4));
  const std::vector<std::string> all = palette.colours(figure.curves);
  EXPECT_EQ(all[1], all[3]);
  EXPECT_EQ((std::set<std::string>(all.begin(), all.end()).size()), 3u);
  EXPECT_EQ(palette.colours({figure.curves[2]}).front(), all[2]);
}

TEST(Palette, CurvesOfWhichOneHasNoHeadsAreCategories) {
  EXPECT_TRUE(Palette(figure_of({curve(1), curve({})})).heads().empty());
  EXPECT_TRUE(Palette(figure_of({curve(3), curve(3)})).heads().empty()) << "m does not differ";
}

}  // namespace
}  // namespace hardhead::report
