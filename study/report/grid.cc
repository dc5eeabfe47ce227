#include "study/report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "study/report/escape.h"

namespace hardhead::report {
namespace {

struct Paint {
  std::string_view degree, fill, text;
};
constexpr std::array<Paint, 5> paints = {{{"recovered", "#0B5FA5", "#FFFFFF"},
                                          {"learnt", "#9CCBEE", "#14212B"},
                                          {"partly", "#F7D9A8", "#2B2314"},
                                          {"nothing", "#E7A18C", "#2B1814"},
                                          {"", "#FFFFFF", "#59636E"}}};

const Paint& paint_of(std::string_view degree) {
  const auto* found = std::ranges::find(paints, degree, &Paint::degree);
  return found == paints.end() ? paints.back() : *found;
}

// In units of the SVG.
constexpr int character = 7, margin = 8, head = 46, height = 36, gap = 2, least_width = 104;

int width_of(const std::vector<std::string>& texts, int least) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return std::max(least, static_cast<int>(longest) * character + margin);
}

std::string text_at(int x, int y, std::string_view anchor, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, style,
                     escaped(text));
}

std::string cell_at(const GridCell& cell, int x, int y, int width) {
  const Paint& paint = paint_of(cell.degree);
  std::string out = fmt::format(
      "<g><title>{}</title>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}/>\n",
      escaped(cell.detail.empty() ? cell.text : cell.text + ", " + cell.detail), x, y, width - gap,
      height - gap, paint.fill, cell.degree.empty() ? " stroke=\"#D1D9E0\"" : "");
  const std::string fill = fmt::format("fill=\"{}\"", paint.text);
  out += text_at(x + width / 2, y + (cell.detail.empty() ? 21 : 15), "middle", fill, cell.text);
  if (!cell.detail.empty())
    out += text_at(x + width / 2, y + 28, "middle", fill + " font-size=\"11\"", cell.detail);
  return out + "</g>\n";
}

std::string heads_of(const Grid& grid, const std::vector<int>& left) {
  std::string out;
  std::size_t column = 0;
  for (const auto& [title, count] : grid.groups) {
    const std::size_t end = column + static_cast<std::size_t>(count);
    out += text_at((left[column] + left[end]) / 2, 18, "middle", "fill=\"#59636E\"", title);
    column = end;
  }
  for (std::size_t c = 0; c < grid.columns.size(); ++c)
    out += text_at((left[c] + left[c + 1]) / 2, 38, "middle", "fill=\"#1B1F24\" font-weight=\"bold\"",
                   grid.columns[c]);
  return out;
}

/// Where each column begins, and where the last one ends.
std::vector<int> edges_of(const Grid& grid) {
  std::vector<int> left{width_of(grid.rows, 0) + margin};
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    std::vector<std::string> texts{grid.columns[c] + "  "};  // it is bold
    for (const auto& row : grid.cells) texts.insert(texts.end(), {row[c].text, row[c].detail});
    left.push_back(left.back() + width_of(texts, least_width));
  }
  // The last column of a group takes what the group's title needs.
  std::size_t begin = 0;
  for (const auto& [title, count] : grid.groups) {
    const std::size_t end = begin + static_cast<std::size_t>(count);
    const int lacking = width_of({title}, 0) - (left[end] - left[begin]);
    for (std::size_t c = end; c < left.size(); ++c) left[c] += std::max(0, lacking);
    begin = end;
  }
  return left;
}

}  // namespace

std::string grid_svg(const Grid& grid, const std::string& title) {
  const std::vector<int> left = edges_of(grid);
  const int bottom = head + height * static_cast<int>(grid.rows.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
      "<rect x=\"0\" y=\"0\" width=\"{0}\" height=\"{1}\" fill=\"#FFFFFF\"/>\n",
      left.back() + margin, bottom + margin, escaped(title));
  out += heads_of(grid, left);
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const int top = head + height * static_cast<int>(r);
    out += text_at(left.front() - margin, top + 21, "end", "fill=\"#1B1F24\"", grid.rows[r]);
    for (std::size_t c = 0; c < grid.columns.size(); ++c)
      out += cell_at(grid.cells[r][c], left[c], top, left[c + 1] - left[c]);
  }
  return out + "</svg>\n";
}

}  // namespace hardhead::report
