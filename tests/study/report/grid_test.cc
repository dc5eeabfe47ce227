#include "study/report/grid.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace hardhead::report {
namespace {

TEST(Grid, HasRoomForTheTitleOfANarrowGroup) {
  const std::string title = "told intermediate results";
  const std::string svg = grid_svg({.groups = {{title, 1}},
                                    .columns = {"c"},
                                    .rows = {"r"},
                                    .cells = {{{.degree = "learnt", .text = "5"}}}},
                                   "map");
  std::smatch view, text;
  ASSERT_TRUE(std::regex_search(svg, view, std::regex("viewBox=\"0 0 ([0-9]+) ")));
  ASSERT_TRUE(std::regex_search(svg, text, std::regex("x=\"([0-9]+)\"[^>]*>" + title)));
  const int middle = std::stoi(text[1]), half = static_cast<int>(title.size()) * 7 / 2;
  EXPECT_GE(middle - half, 0);
  EXPECT_LE(middle + half, std::stoi(view[1]));
}

}  // namespace
}  // namespace hardhead::report
