#include "study/figure/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace hardhead::report {
namespace {

/// Okabe and Ito, "Color Universal Design" (2008), without the yellow, which is faint on white; black becomes
/// the page's text colour.
constexpr std::array<const char*, 8> categories = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "black",   "#808080"};
/// Viridis from a quarter to three quarters of its length: dark to light at an even pace, without the yellow.
constexpr std::array<std::array<double, 3>, 5> ordered = {
    {{0x3b, 0x52, 0x8b}, {0x2c, 0x72, 0x8e}, {0x21, 0x91, 0x8c}, {0x28, 0xae, 0x80}, {0x5e, 0xc9, 0x62}}};

/// The i-th of `count` colours in an order.
std::string ordered_colour(std::size_t i, std::size_t count) {
  const double at = count < 2 ? 0 : 4.0 * static_cast<double>(i) / static_cast<double>(count - 1);
  const auto stop = std::min<std::size_t>(static_cast<std::size_t>(at), 3);
  std::array<int, 3> mixed{};
  for (std::size_t c = 0; c < 3; ++c)
    mixed[c] = static_cast<int>(
        std::lround(std::lerp(ordered[stop][c], ordered[stop + 1][c], at - static_cast<double>(stop))));
  return fmt::format("#{:02X}{:02X}{:02X}", mixed[0], mixed[1], mixed[2]);
}

/// The m of the curves, where all have one and colour is not all that tells two lines of one m apart.
std::set<double> heads_of(const Figure& figure) {
  std::set<double> out;
  std::set<std::pair<double, FigureCurve::Kind>> lines;
  for (const FigureCurve& curve : figure.curves) {
    if (!curve.heads) return {};
    out.insert(*curve.heads);
    if (curve.style == FigureCurve::Style::line && curve.kind != FigureCurve::Kind::slope &&
        !lines.insert({*curve.heads, curve.kind}).second)
      return {};
  }
  return out.size() > 1 ? out : std::set<double>();
}

}  // namespace

Palette::Palette(const Figure& figure) : heads_(heads_of(figure)) {}

std::vector<std::string> Palette::colours(const std::vector<FigureCurve>& curves) const {
  std::vector<std::string> out;
  std::size_t number = 0;  // of curves that are no slopes of the one before them
  for (const FigureCurve& curve : curves) {
    number += curve.kind == FigureCurve::Kind::slope && number > 0 ? 0 : 1;
    out.push_back(heads_.empty() ? categories[(number - 1) % categories.size()]
                                 : ordered_colour(static_cast<std::size_t>(std::distance(
                                                      heads_.begin(), heads_.find(*curve.heads))),
                                                  heads_.size()));
  }
  return out;
}

}  // namespace hardhead::report
