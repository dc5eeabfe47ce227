#include <algorithm>
#include <limits>

#include "base/text/record_json.h"
#include "study/figure/figure.h"
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

template <class Visit>
void describe(Visit& visit, const FigureAxis*) {
  visit("label", &FigureAxis::label);
  visit("log", &FigureAxis::log);
  visit("low", &FigureAxis::low);
  visit("high", &FigureAxis::high);
  visit("names", &FigureAxis::names);
}

template <class Visit>
void describe(Visit& visit, const FigureCurve*) {
  visit("label", &FigureCurve::label);
  visit("style", &FigureCurve::style);
  visit("kind", &FigureCurve::kind);
  visit("heads", &FigureCurve::heads);
  visit("points", [](const FigureCurve& curve) {
    std::vector<std::vector<double>> out;
    for (const FigurePoint& point : curve.points) {
      out.push_back({point.x, point.y});
      if (point.interval) out.back().insert(out.back().end(), {point.interval->low, point.interval->high});
    }
    return out;
  });
}

template <class Visit>
void describe(Visit& visit, const FigureLevel*) {
  visit("label", &FigureLevel::label);
  visit("y", &FigureLevel::y);
}

template <class Visit>
void describe(Visit& visit, const Figure*) {
  visit("schema", [](const Figure&) { return schema("figure"); });
  visit("name", &Figure::name);
  visit("title", &Figure::title);
  visit("x", &Figure::x);
  visit("y", &Figure::y);
  visit("curves", &Figure::curves);
  visit("levels", &Figure::levels);
}

namespace {

FigurePoint point_in(const Json& numbers, const JsonObject& figure) {
  const auto is_number = [](const Json& value) { return value.is_number() || value.is_null(); };
  if (!numbers.is_array() || (numbers.size() != 2 && numbers.size() != 4) ||
      !std::all_of(numbers.begin(), numbers.end(), is_number))
    figure.fail("a point of 2 or 4 numbers is expected");
  const auto number = [&](std::size_t i) {
    return numbers[i].is_null() ? std::numeric_limits<double>::quiet_NaN() : numbers[i].get<double>();
  };
  FigurePoint point{number(0), number(1)};
  if (numbers.size() == 4) point.interval = {number(2), number(3)};
  return point;
}

}  // namespace

Json to_json(const Figure& figure) {
  return record_to_json(figure);
}

Figure figure_from_json(const Json& document, const std::string& place) {
  const JsonObject json(document, place);
  Figure figure;
  read_record(json, figure);
  for (std::size_t c = 0; c < figure.curves.size(); ++c)
    for (const Json& numbers : JsonObject(document["curves"][c], place).list("points"))
      figure.curves[c].points.push_back(point_in(numbers, json));
  return figure;
}

}  // namespace hardhead::report
