#include "study/figure/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/files/read_file.h"
#include "tests/scratch_folder.h"

namespace hardhead::report {
namespace {

using testing::HasSubstr;

HeatMap small_map() {
  return {.title = "margins",
          .x = "head",
          .y = "layer",
          .columns = {"0", "1"},
          .rows = {"0", "1", "2"},
          .unit = "margin",
          .values = {{0.5, 2}, {1, std::nan("")}, {INFINITY, 1e-9}}};
}

TEST(HeatMap, IsDrawnAsSvgOrPdf) {
  const ScratchFolder folder;
  const std::string svg = folder.path() + "/map.svg", pdf = folder.path() + "/map.pdf";
  draw(small_map(), svg);
  draw(small_map(), pdf);
  const std::string text = read_file(svg);
  for (const char* word : {"<svg", "margins", "head", "layer", "margin"}) EXPECT_THAT(text, HasSubstr(word));
  EXPECT_EQ(read_file(pdf).substr(0, 4), "%PDF");
}

TEST(HeatMap, TheScaleHasRoomForAllRatios) {
  const ScratchFolder folder;
  HeatMap map = small_map();
  map.values = {{0.5, 2}, {1, 1}, {1, 0.003}};
  draw(map, folder.path("map.svg"));
  const std::string text = folder.read("map.svg");
  EXPECT_THAT(text, HasSubstr(">1024<"));
  EXPECT_THAT(text, testing::Not(HasSubstr(">4096<")));
}

TEST(HeatMap, OtherEndingsAreRefused) {
  try {
    draw(small_map(), "map.png");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'map.png': a name that ends in .svg or .pdf"));
  }
}

}  // namespace
}  // namespace hardhead::report
