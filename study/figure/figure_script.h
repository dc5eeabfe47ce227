#pragma once
#include <string>
#include <utility>
#include <vector>

#include "study/figure/figure.h"

namespace hardhead::report {

/// A figure in gnuplot's words.
struct FigureScript {
  double width = 0, height = 0;  ///< in pixels, of which an inch has 96
  double font = 0;               ///< the height of letters, in pixels
  std::string commands;          ///< what follows the terminal and the name of the file
  /// Curves that have symbols, in the order in which they are drawn: the title of each in the SVG, and what
  /// each of its points shows when it is pointed at.
  std::vector<std::pair<std::string, std::vector<std::string>>> points;
  std::vector<std::string> bare;  ///< what those plots show that gnuplot knows no title of, in order
};

/// The script of the figure in this style (figure.h).
FigureScript figure_script(const Figure& figure, const FigureStyle& style);

}  // namespace hardhead::report
