#pragma once
#include <string>
#include <vector>

namespace hardhead::report {

/// A table of numbers as colours.
struct HeatMap {
  std::string title;                        ///< one line
  std::string x, y;                         ///< what columns and rows are
  std::vector<std::string> columns, rows;   ///< their names; rows from the top
  std::string unit;                         ///< what the numbers are
  std::vector<std::vector<double>> values;  ///< by rows, ratios: 1 is neither; NaN is drawn as nothing
};

/// Draws ratios on a logarithmic scale from 1 / 4^j to 4^j, with the least j of 1 to 10 that has room for all
/// of them: from orange (below 1) over white (1) to blue (above), colours of Okabe and Ito, which
/// colour-blind readers can tell apart. What is beyond has the colour of the end. An SVG, or a PDF where the
/// path ends in .pdf, by gnuplot. Throws InputError: gnuplot is missing or fails, another ending, or the file
/// cannot be written.
void draw(const HeatMap& map, const std::string& path);

}  // namespace hardhead::report
