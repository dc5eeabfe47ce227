#include "study/figure/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/read_file.h"
#include "base/files/temporary_folder.h"
#include "study/figure/gnuplot.h"

namespace hardhead::report {
namespace {

/// Names at up to some twenty places of an axis.
std::string map_ticks(const std::vector<std::string>& names) {
  const std::size_t step = names.size() / 20 + 1;
  std::string out;
  for (std::size_t i = 0; i < names.size(); i += step)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", gnuplot_string(names[i]), i);
  return out;
}

/// A cell a line: column, row, log2 of the value, cut off at the ends of the scale.
std::string map_cells(const HeatMap& map, double limit) {
  std::string out;
  for (std::size_t row = 0; row < map.values.size(); ++row) {
    for (std::size_t column = 0; column < map.values[row].size(); ++column) {
      const double value = map.values[row][column];
      out += std::isnan(value) || value < 0
                 ? fmt::format("{} {} NaN\n", column, row)
                 : fmt::format("{} {} {:.6g}\n", column, row, std::clamp(std::log2(value), -limit, limit));
    }
    out += "\n";
  }
  return out;
}

/// log2 of the ends of the scale.
double map_limit(const HeatMap& map) {
  constexpr double least = 2, most = 20;
  double limit = least;
  for (const auto& row : map.values)
    for (const double value : row)
      if (std::isfinite(value) && value > 0)
        limit = std::max(limit, 2 * std::ceil(std::abs(std::log2(value)) / 2));
  return std::min(limit, most);
}

std::string map_script(const HeatMap& map, bool pdf) {
  const double limit = map_limit(map), cell = 22, columns = static_cast<double>(map.columns.size()),
               rows = static_cast<double>(map.rows.size());
  const double width = std::clamp(columns * cell, 160.0, 900.0) + 230,
               height = std::clamp(rows * cell, 200.0, 900.0) + 110;
  const std::string terminal =
      pdf ? fmt::format("pdfcairo enhanced size {:.3f},{:.3f} font 'Sans,9'", width / 96, height / 96)
          : fmt::format("svg enhanced size {:.0f},{:.0f} font 'sans-serif,13'", width, height);
  std::string scale;
  for (double power = -limit; power <= limit; power += limit / 4)
    scale += fmt::format("{}'{:.4g}' {:.6g}", scale.empty() ? "" : ", ", std::exp2(power), power);
  return fmt::format(
      "set encoding utf8\nset terminal {}\nset title {} noenhanced\nset xlabel {} noenhanced\n"
      "set ylabel {} noenhanced\nset cblabel {} noenhanced offset 1\nset rmargin 16\n"
      "set xtics ({}) nomirror\nset ytics ({}) nomirror\n"
      "set cbtics ({})\nset xrange [-0.5:{}]\nset yrange [{}:-0.5]\nset cbrange [{}:{}]\nunset key\n"
      "set palette defined ({} '#D55E00', 0 'white', {} '#0072B2')\n"
      "$cells << EOD\n{}EOD\nset output 'map'\nplot $cells using 1:2:3 with image\n",
      terminal, gnuplot_string(map.title), gnuplot_string(map.x), gnuplot_string(map.y),
      gnuplot_string(map.unit), map_ticks(map.columns), map_ticks(map.rows), scale, columns - 0.5, rows - 0.5,
      -limit, limit, -limit, limit, map_cells(map, limit));
}

}  // namespace

void draw(const HeatMap& map, const std::string& path) {
  const bool pdf = path.ends_with(".pdf");
  if (!pdf && !path.ends_with(".svg"))
    throw InputError(fmt::format("figure '{}': a name that ends in .svg or .pdf is expected", path));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const TemporaryFolder workplace(folder.empty() ? "." : folder, ".figure");
  run_gnuplot(path, map_script(map, pdf), workplace, {"map"});
  write_text(path, read_file(workplace.file("map")));
}

}  // namespace hardhead::report
