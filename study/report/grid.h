#pragma once
#include <string>
#include <utility>
#include <vector>

namespace hardhead::report {

/// One cell of a grid.
struct GridCell {
  std::string degree;                 ///< "recovered", "learnt", "partly", "nothing"; empty: it was not tried
  std::string text;                   ///< its first line: "learnt 5 of 5"
  std::string detail{};               ///< its second line: "309k examples"; may be empty
  std::vector<std::string> behind{};  ///< lines that a reader can open: the command, how it went
};

/// A map of judgements: rows by columns, coloured by degree. The text says it too, for those who do not see
/// the colours.
struct Grid {
  std::vector<std::pair<std::string, int>> groups{};  ///< of neighbouring columns: title and how many
  std::vector<std::string> columns{};                 ///< titles, as many as the groups have together
  std::vector<std::string> rows{};                    ///< titles
  std::vector<std::vector<GridCell>> cells{};         ///< of each row, one for each column
};

/// A grid as a picture: an SVG of text and rectangles, with `title` for those who cannot see it. A colour is
/// told from its neighbours by people who are colour-blind too, and stays apart in print.
std::string grid_svg(const Grid& grid, const std::string& title);

}  // namespace hardhead::report
