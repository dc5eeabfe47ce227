#include "study/figure/gnuplot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/process/guarded_process.h"
#include "base/text/quoted.h"

namespace hardhead::report {
namespace {

std::string tick(const std::string& label, double at) {
  return fmt::format("{} {:.17g}", gnuplot_string(label), at);
}

std::string ticks_list(const std::vector<std::string>& ticks) {
  return fmt::format("({})", fmt::join(ticks, ", "));
}

/// Powers of ten, with 2 and 5 times them where there are few; a label and its gap take six letters.
std::string log_ticks(const AxisRange& range, double letters) {
  const int first = static_cast<int>(std::floor(std::log10(range.low))),
            last = static_cast<int>(std::ceil(std::log10(range.high)));
  const bool few = std::log10(range.high / range.low) < 2.5;
  const int most = std::max(2, static_cast<int>(letters / 6));
  const int step = std::max(1, (last - first) / std::min(most, 6));
  std::vector<std::string> ticks;
  for (int power = first; power <= last; ++power) {
    const double decade = std::pow(10, power);
    if (few && most > 2)
      for (const int times : {1, 2, 5})
        ticks.push_back(tick(fmt::format("{:g}", times * decade), times * decade));
    else if (power % step == 0)
      ticks.push_back(tick(fmt::format("10^{{{}}}", power), decade));
  }
  return ticks_list(ticks);
}

}  // namespace

std::string gnuplot_string(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out +=
        c == '\'' ? std::string(R"('."'".')") : std::string(1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "'";
}

void check_axis(const FigureAxis& axis) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("axis {}: {}", in_quotes(axis.label), what));
  };
  for (const auto& [name, end] : {std::pair{"low", axis.low}, {"high", axis.high}}) {
    if (!end) continue;
    if (!std::isfinite(*end)) refuse(fmt::format("{} = {}: it must be finite", name, *end));
    if (axis.log && *end < std::numeric_limits<double>::min())
      refuse(fmt::format("{} = {}: an end of a log axis must be above 0", name, *end));
  }
  if (axis.low && axis.high && !(*axis.low < *axis.high))
    refuse(fmt::format("low = {} must be below high = {}", *axis.low, *axis.high));
}

bool drawable(const FigureAxis& axis, double value) {
  return std::isfinite(value) && (!axis.log || value > 0);
}

DrawnValues drawn_values(const Figure& figure) {
  DrawnValues out;
  for (const FigureCurve& curve : figure.curves)
    for (const FigurePoint& point : curve.points)
      if (drawable(figure.x, point.x) && drawable(figure.y, point.y)) {
        out.x.push_back(point.x);
        out.y.push_back(point.y);
        if (point.interval) out.y.insert(out.y.end(), {point.interval->low, point.interval->high});
      }
  for (const FigureLevel& level : figure.levels) out.y.push_back(level.y);
  return out;
}

AxisRange range_of(const FigureAxis& axis, const std::vector<double>& values) {
  if (!axis.names.empty()) return {-0.5, static_cast<double>(axis.names.size()) - 0.5};
  std::vector<double> shown;
  for (const double value : values)
    if (drawable(axis, value)) shown.push_back(axis.log ? std::log10(value) : value);
  AxisRange range;
  if (!shown.empty()) {
    const auto [least, most] = std::ranges::minmax(shown);
    const double span = axis.log             ? std::max(most - least, 0.75)
                        : most > least       ? most - least
                        : std::abs(most) > 0 ? std::abs(most)
                                             : 1.0;
    const double middle = least / 2 + most / 2;
    range = {middle - 0.55 * span, middle + 0.55 * span};
  }
  if (axis.log)
    range = {std::pow(10, std::max(range.low, -307.0)), std::pow(10, std::min(range.high, 307.0))};
  return {axis.low.value_or(range.low), axis.high.value_or(range.high)};
}

double place_on(const FigureAxis& axis, const AxisRange& range, double value) {
  return axis.log ? std::log(value / range.low) / std::log(range.high / range.low)
                  : (value - range.low) / (range.high - range.low);
}

double value_at(const FigureAxis& axis, const AxisRange& range, double place) {
  return axis.log ? range.low * std::pow(range.high / range.low, place)
                  : range.low + place * (range.high - range.low);
}

std::string scale_ticks(const FigureAxis& axis, const AxisRange& range, double letters) {
  return axis.log ? log_ticks(range, letters) : "autofreq";
}

std::string ticks_of(const FigureAxis& axis, const AxisRange& range, const std::set<double>& values,
                     double letters) {
  std::vector<std::string> ticks;
  for (std::size_t i = 0; i < axis.names.size(); ++i)
    ticks.push_back(tick(axis.names[i], static_cast<double>(i)));
  if (!ticks.empty()) return ticks_list(ticks);
  double end = -1;  // of the label before
  for (const double value : values) {
    const std::string label = fmt::format("{:g}", value);
    const double half = (static_cast<double>(label.size()) + 1) / letters / 2;
    const double place = place_on(axis, range, value);
    if (label.size() > 6 || place - half < end) return scale_ticks(axis, range, letters);
    ticks.push_back(tick(label, value));
    end = place + half;
  }
  return ticks.empty() ? scale_ticks(axis, range, letters) : ticks_list(ticks);
}

void run_gnuplot(const std::string& figure, const std::string& script, const TemporaryFolder& workplace,
                 std::initializer_list<std::string> files) {
  const std::string folder = std::filesystem::path(workplace.file("script")).parent_path().string();
  const auto fail = [&](const std::string& why) {
    throw InputError(fmt::format("figure '{}': {}", figure, why));
  };
  const auto disk_is_full = [&] {
    const std::string parent = std::filesystem::path(folder).parent_path().string();
    fail(fmt::format("it could not be written whole: is there no space left where '{}' is?", parent));
  };
  std::ofstream out(workplace.file("script"));
  out << script;
  out.close();
  if (!out) disk_is_full();
  const CommandEnding ending =
      run_command(fmt::format("cd {} && exec gnuplot -d script", shell_quoted(folder)), workplace.file("log"),
                  std::nullopt, {});
  if (!ending.well())
    fail(fmt::format("gnuplot ended with {}: {}{}", ending.str(), ending.last_words,
                     ending.exit_code == 127 ? " (Debian's package: gnuplot-nox)" : ""));
  for (const std::string& file : files) {
    std::error_code missing;
    if (std::filesystem::file_size(workplace.file(file), missing) == 0 || missing) disk_is_full();
  }
}

}  // namespace hardhead::report
