#include "study/figure/figure_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/enum_names.h"
#include "base/text/record_json.h"
#include "study/report/json.h"

namespace hardhead::report {

constexpr auto enum_names(FigureCurve::Style) {
  return std::to_array<EnumName<FigureCurve::Style>>(
      {{FigureCurve::Style::points, "points"},
       {FigureCurve::Style::line, "line"},
       {FigureCurve::Style::line_and_points, "line_and_points"}});
}

constexpr auto enum_names(FigureCurve::Kind) {
  return std::to_array<EnumName<FigureCurve::Kind>>({{FigureCurve::Kind::measured, "measured"},
                                                     {FigureCurve::Kind::bound, "bound"},
                                                     {FigureCurve::Kind::slope, "slope"}});
}

namespace {

using Json = nlohmann::ordered_json;

Json axis_json(const FigureAxis& axis) {
  return {{"label", axis.label},
          {"log", axis.log},
          {"low", json_value(axis.low)},
          {"high", json_value(axis.high)},
          {"names", axis.names}};
}

Json curve_json(const FigureCurve& curve) {
  Json points = Json::array();
  for (const FigurePoint& point : curve.points) {
    points.push_back({json_value(point.x), json_value(point.y)});
    if (!point.interval) continue;
    points.back().push_back(json_value(point.interval->low));
    points.back().push_back(json_value(point.interval->high));
  }
  return {{"label", curve.label},
          {"style", name_of(curve.style)},
          {"kind", name_of(curve.kind)},
          {"heads", json_value(curve.heads)},
          {"points", std::move(points)}};
}

double number_from(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::optional<double> optional_from(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

FigureAxis axis_from(const Json& document) {
  return {document.at("label").get<std::string>(), document.at("log").get<bool>(),
          optional_from(document.at("low")), optional_from(document.at("high")),
          document.at("names").get<std::vector<std::string>>()};
}

FigureCurve curve_from(const Json& document, const std::string& place) {
  FigureCurve curve{.label = document.at("label").get<std::string>(), .points = {}};
  curve.style = value_named<FigureCurve::Style>("style of a curve", document.at("style").get<std::string>());
  curve.kind = value_named<FigureCurve::Kind>("kind of a curve", document.at("kind").get<std::string>());
  curve.heads = optional_from(document.at("heads"));
  for (const Json& numbers : document.at("points")) {
    if (!numbers.is_array() || (numbers.size() != 2 && numbers.size() != 4))
      throw InputError(fmt::format("{}: a point of 2 or 4 numbers is expected", place));
    FigurePoint point{number_from(numbers[0]), number_from(numbers[1])};
    if (numbers.size() == 4) point.interval = {number_from(numbers[2]), number_from(numbers[3])};
    curve.points.push_back(point);
  }
  return curve;
}

}  // namespace

Json to_json(const Figure& figure) {
  Json out = report_json(Document::figure, {{"name", figure.name},
                                            {"title", figure.title},
                                            {"x", axis_json(figure.x)},
                                            {"y", axis_json(figure.y)},
                                            {"curves", Json::array()},
                                            {"levels", Json::array()}});
  for (const FigureCurve& curve : figure.curves) out["curves"].push_back(curve_json(curve));
  for (const FigureLevel& level : figure.levels)
    out["levels"].push_back({{"label", level.label}, {"y", json_value(level.y)}});
  return out;
}

Figure figure_from_json(const Json& document, const std::string& place) {
  try {
    Figure figure{.name = document.at("name").get<std::string>(),
                  .title = document.at("title").get<std::string>(),
                  .x = axis_from(document.at("x")),
                  .y = axis_from(document.at("y")),
                  .curves = {}};
    for (const Json& curve : document.at("curves")) figure.curves.push_back(curve_from(curve, place));
    for (const Json& level : document.at("levels"))
      figure.levels.push_back({level.at("label").get<std::string>(), number_from(level.at("y"))});
    return figure;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: no figure: {}", place, error.what()));
  }
}

}  // namespace hardhead::report
