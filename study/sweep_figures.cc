#include "study/sweep_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/spec.h"
#include "study/growth.h"

namespace hardhead::study {
namespace {

/// All that tells one row from another, by name; parameters of the family by theirs.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const ComparisonRow& row) {
  const RunResult& run = row.runs.front();
  Settings out{{"source", row.source.substr(0, row.source.find(':'))}, {"method", run.method.str()}};
  if (run.spec.empty())
    out["source"] = row.source;
  else
    for (const auto& [name, value] : Spec::parse(run.spec).values)
      if (name != "seed") out[name] = value;
  if (run.heads_told) out["heads"] = run.heads_told == run.m ? "told" : fmt::format("{}", *run.heads_told);
  if (run.examples_allowed) out["examples"] = fmt::format("{}", *run.examples_allowed);
  return out;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

struct Place {
  const ComparisonRow* row;
  Settings settings;
};

/// The values that a setting takes among rows of one source.
std::set<std::string> values_of(const std::vector<Place>& places, const std::string& name,
                                const std::string& source) {
  std::set<std::string> out;
  for (const Place& place : places)
    if (place.settings.at("source") == source) {
      const auto found = place.settings.find(name);
      out.insert(found == place.settings.end() ? "" : found->second);
    }
  return out;
}

/// Numbers of which one source has several values.
std::vector<std::string> axes(const std::vector<Place>& places) {
  std::vector<std::string> out;
  for (const Place& place : places)
    for (const auto& [name, value] : place.settings) {
      if (name == "source" || name == "method" || name == "heads" ||
          std::ranges::find(out, name) != out.end())
        continue;
      const std::set<std::string> values = values_of(places, name, place.settings.at("source"));
      if (std::ranges::count_if(values, [](const std::string& text) { return number(text).has_value(); }) > 1)
        out.push_back(name);
    }
  return out;
}

/// "parity, m=2, gauss-newton": what of `settings` is not the same in all of `places`.
std::string label(const Settings& settings, const std::vector<Place>& places) {
  const std::string& source = settings.at("source");
  const auto differ = [&](const std::string& name) {
    return std::ranges::any_of(places, [&](const Place& place) {
      const auto found = place.settings.find(name);
      return found != place.settings.end() && found->second != settings.at(name);
    });
  };
  std::vector<std::string> parts;
  if (differ("source")) parts.push_back(source);
  for (const auto& [name, value] : settings)
    if (name != "source" && name != "method" && values_of(places, name, source).size() > 1)
      parts.push_back(fmt::format("{}={}", name, value));
  if (settings.contains("method") && (differ("method") || parts.empty()))
    parts.push_back(settings.at("method"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The places by all their settings but some, in the order in which they first come.
using Groups = std::vector<std::pair<Settings, std::vector<Place>>>;

Groups groups_of(const std::vector<Place>& places, const std::vector<std::string>& without) {
  Groups out;
  for (const Place& place : places) {
    Settings key = place.settings;
    for (const std::string& name : without) key.erase(name);
    const auto known = std::ranges::find(out, key, [](const auto& group) { return group.first; });
    auto& members = known == out.end() ? out.emplace_back(key, std::vector<Place>{}).second : known->second;
    members.push_back({place.row, place.settings});
  }
  return out;
}

struct Quantity {
  std::string name, title, label;
  bool log;
  FigurePoint (*point)(double x, const ComparisonRow& row);
};

FigurePoint with_extremes(double x, double y, const ComparisonRow& row, double (*field)(const RunResult&)) {
  Interval extremes{field(row.runs.front()), field(row.runs.front())};
  for (const RunResult& run : row.runs) {
    extremes.low = std::min(extremes.low, field(run));
    extremes.high = std::max(extremes.high, field(run));
  }
  if (row.runs.size() < 2) return {x, y};
  return {x, y, extremes};
}

const std::vector<Quantity> quantities = {
    {"recovered", "Share recovered", "share recovered (exact 95% interval)", false, recovered_point},
    {"error", "Test error and null error", "relative test error (median, extremes)", true,
     [](double x, const ComparisonRow& row) {
       return with_extremes(x, row.test_error_median, row,
                            [](const RunResult& run) { return run.test_error; });
     }},
    {"seconds", "Time of a run", "seconds (median, extremes)", true, [](double x, const ComparisonRow& row) {
       return with_extremes(x, row.seconds_median, row, [](const RunResult& run) { return run.seconds; });
     }}};

FigureAxis axis_of(const std::string& name, const std::vector<Place>& places) {
  std::vector<double> values;
  for (const Place& place : places) values.push_back(*number(place.settings.at(name)));
  const auto [low, high] = std::ranges::minmax(values);
  return {name == "examples" ? "examples allowed" : name, low > 0 && high / low >= 8};
}

/// Null errors of the sources that `curves` are on: a line along the axis, or a level where there is one value of it.
void add_null_errors(Figure& figure, const std::string& axis, const Groups& nulls,
                     const std::vector<Place>& all) {
  for (const auto& [settings, members] : nulls) {
    const std::string what = label(settings, all);
    const std::string name = what.empty() ? "null error" : "null error: " + what;
    std::map<double, double> line;
    for (const Place& place : members)
      line.try_emplace(*number(place.settings.at(axis)), place.row->null_error_median);
    FigureCurve curve{name, {}, FigureCurve::Style::line};
    for (const auto& [x, y] : line) curve.points.push_back({x, y});
    if (line.size() == 1)
      figure.levels.push_back({name, line.begin()->second});
    else
      figure.curves.push_back(std::move(curve));
  }
}

void add_figures(std::vector<Figure>& figures, const Quantity& quantity, const std::string& axis,
                 const std::vector<Place>& places) {
  const std::vector<std::string> not_of_null =
      axis == "examples" ? std::vector<std::string>{axis, "method", "heads"}
                         : std::vector<std::string>{axis, "method", "heads", "examples"};
  const auto is_error = quantity.name == "error";
  const Groups curves = groups_of(places, {axis});
  int part = 0;
  for (std::size_t next = 0; next < curves.size();) {
    Figure figure{.name = quantity.name + "-" + axis,
                  .title = fmt::format("{} against {}", quantity.title,
                                       axis == "examples" ? "the examples allowed" : axis),
                  .x = axis_of(axis, places),
                  .y = {quantity.label, quantity.log},
                  .curves = {}};
    if (!quantity.log) figure.y.low = 0, figure.y.high = 1;
    if (++part > 1) {
      figure.name += fmt::format("-{}", part);
      figure.title += fmt::format(" ({})", part);
    }
    std::vector<Place> shown;
    for (; next < curves.size(); ++next) {
      const auto& [settings, members] = curves[next];
      std::vector<Place> more = shown;
      more.insert(more.end(), members.begin(), members.end());
      const std::size_t nulls = is_error ? groups_of(more, not_of_null).size() : 0;
      if (!figure.curves.empty() && figure.curves.size() + 1 + nulls > most_curves) break;
      shown = std::move(more);
      FigureCurve& curve = figure.curves.emplace_back(FigureCurve{label(settings, places), {}});
      for (const Place& place : members)
        curve.points.push_back(quantity.point(*number(place.settings.at(axis)), *place.row));
      std::ranges::sort(curve.points, {}, &FigurePoint::x);
    }
    if (is_error) add_null_errors(figure, axis, groups_of(shown, not_of_null), places);
    figures.push_back(std::move(figure));
  }
}

/// Those that have a number for `axis`.
std::vector<Place> on(const std::string& axis, const std::vector<Place>& places) {
  std::vector<Place> out;
  for (const Place& place : places)
    if (const auto found = place.settings.find(axis); found != place.settings.end() && number(found->second))
      out.push_back(place);
  return out;
}

/// Can both laws be told apart from these: three places or more, all numbers positive?
bool fits(const std::vector<GrowthPoint>& points) {
  std::set<double> x;
  for (const GrowthPoint& point : points) {
    x.insert(point.x);
    if (point.x <= 0 || std::ranges::any_of(point.y, [](double y) { return !(y > 0); })) return false;
  }
  return x.size() >= 3;
}

}  // namespace

FigurePoint recovered_point(double x, const ComparisonRow& row) {
  return {x, static_cast<double>(row.recovered) / static_cast<double>(row.runs.size()), row.recovery_rate};
}

std::vector<Figure> sweep_figures(const std::vector<ComparisonRow>& rows) {
  std::vector<Place> places;
  for (const ComparisonRow& row : rows) places.push_back({&row, settings_of(row)});
  std::vector<Figure> figures;
  for (const std::string& axis : axes(places))
    for (const Quantity& quantity : quantities) add_figures(figures, quantity, axis, on(axis, places));
  return figures;
}

Table growth_table(const std::vector<ComparisonRow>& rows) {
  Table table{{"what", "against", "of", "power law x^b: b", "95% interval", "exponential e^(b x): b",
               "95% interval of it", "the data prefer"},
              {}};
  const auto estimate = [](const Estimate& e) {
    return std::pair(fmt::format("{:.3g}", e.value),
                     fmt::format("{:.3g} .. {:.3g}", e.interval.low, e.interval.high));
  };
  std::vector<Place> places;
  for (const ComparisonRow& row : rows) places.push_back({&row, settings_of(row)});
  for (const std::string& axis : axes(places))
    for (const auto& [settings, members] : groups_of(on(axis, places), {axis}))
      for (const bool is_time : {true, false}) {
        if (!is_time && axis == "examples") continue;
        std::vector<GrowthPoint> points;
        for (const Place& place : members) {
          GrowthPoint point{*number(place.settings.at(axis)), {}};
          for (const RunResult& run : place.row->runs)
            point.y.push_back(is_time ? run.seconds : static_cast<double>(run.examples_used));
          points.push_back(std::move(point));
        }
        if (!fits(points)) continue;
        const Growth growth = fit_growth(points);
        const auto [power, power_interval] = estimate(growth.power.rate);
        const auto [exponential, exponential_interval] = estimate(growth.exponential.rate);
        table.add({is_time ? "seconds" : "examples used", axis, label(settings, places), power,
                   power_interval, exponential, exponential_interval,
                   growth.prefers == Growth::Prefers::power         ? "the power law"
                   : growth.prefers == Growth::Prefers::exponential ? "the exponential"
                                                                    : "neither"});
      }
  return table;
}

}  // namespace hardhead::study
