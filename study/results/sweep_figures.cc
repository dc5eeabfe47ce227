#include "study/results/sweep_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "base/statistics/growth.h"
#include "base/statistics/median.h"
#include "base/text/number.h"
#include "base/text/spec.h"

namespace hardhead::study {
namespace {

/// All that tells one row from another, by name. Parameters of the family have their own names, which have no
/// space; a family may have a parameter `heads` besides the heads that the learner is told.
using Settings = std::map<std::string, std::string>;
const std::string heads_told = "heads told", examples_allowed = "examples allowed";

Settings settings_of(const ComparisonRow& row) {
  const RunResult& run = row.runs.front();
  const learner::Task& task = run.request.task;
  Settings out{{"source", row.source.substr(0, row.source.find(':'))}, {"method", run.request.method.str()}};
  if (run.problem.spec.empty())
    out["source"] = row.source;
  else
    for (const auto& [name, value] : Spec::parse(run.problem.spec).values)
      if (name != "seed") out[name] = value;
  if (task.heads) out[heads_told] = task.heads == run.problem.m ? "m" : fmt::format("{}", *task.heads);
  if (task.examples) out[examples_allowed] = fmt::format("{}", *task.examples);
  return out;
}

std::optional<double> number(const std::string& text) {
  const std::optional<double> value = whole_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

struct AxisPlace {
  const ComparisonRow* row;
  Settings settings;
};

/// The values that a setting takes among rows of one source.
std::set<std::string> values_of(const std::vector<AxisPlace>& places, const std::string& name,
                                const std::string& source) {
  std::set<std::string> out;
  for (const AxisPlace& place : places)
    if (place.settings.at("source") == source) {
      const auto found = place.settings.find(name);
      out.insert(found == place.settings.end() ? "" : found->second);
    }
  return out;
}

/// Numbers of which one source has several values.
std::vector<std::string> axes(const std::vector<AxisPlace>& places) {
  std::vector<std::string> out;
  for (const AxisPlace& place : places)
    for (const auto& [name, value] : place.settings) {
      if (name == "source" || name == "method" || name == heads_told ||
          std::ranges::find(out, name) != out.end())
        continue;
      const std::set<std::string> values = values_of(places, name, place.settings.at("source"));
      if (std::ranges::count_if(values, [](const std::string& text) { return number(text).has_value(); }) > 1)
        out.push_back(name);
    }
  return out;
}

/// "parity, m=2, gauss-newton": what of `settings` is not the same in all of `places`.
std::string label(const Settings& settings, const std::vector<AxisPlace>& places) {
  const std::string& source = settings.at("source");
  const auto differ = [&](const std::string& name) {
    return std::ranges::any_of(places, [&](const AxisPlace& place) {
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
using Groups = std::vector<std::pair<Settings, std::vector<AxisPlace>>>;

Groups groups_of(const std::vector<AxisPlace>& places, const std::vector<std::string>& without) {
  Groups out;
  for (const AxisPlace& place : places) {
    Settings key = place.settings;
    for (const std::string& name : without) key.erase(name);
    const auto known = std::ranges::find(out, key, [](const auto& group) { return group.first; });
    auto& members =
        known == out.end() ? out.emplace_back(key, std::vector<AxisPlace>{}).second : known->second;
    members.push_back({place.row, place.settings});
  }
  return out;
}

struct Quantity {
  std::string name, title, label;
  bool log;
  report::FigurePoint (*point)(double x, const ComparisonRow& row);
};

report::FigurePoint with_extremes(double x, double y, const ComparisonRow& row,
                                  double (*field)(const RunResult&)) {
  statistics::Interval extremes{field(row.runs.front()), field(row.runs.front())};
  for (const RunResult& run : row.runs) {
    extremes.low = std::min(extremes.low, field(run));
    extremes.high = std::max(extremes.high, field(run));
  }
  if (row.runs.size() < 2) return {x, y};
  return {x, y, extremes};
}

report::FigurePoint error_point(double x, const ComparisonRow& row) {
  return with_extremes(x, row.test_error_median, row,
                       [](const RunResult& run) { return run.score.test_error; });
}

report::FigurePoint seconds_point(double x, const ComparisonRow& row) {
  return with_extremes(x, row.seconds_median, row, [](const RunResult& run) { return run.report.seconds; });
}

report::FigurePoint asked_point(double x, const ComparisonRow& row) {
  const auto asked = [](const RunResult& run) { return static_cast<double>(run.asked()); };
  std::vector<double> all;
  for (const RunResult& run : row.runs) all.push_back(asked(run));
  return with_extremes(x, statistics::median(all), row, asked);
}

const Quantity asked_quantity{"examples", "Examples or queries used",
                              "examples or queries (median, extremes)", true, asked_point};
const std::vector<Quantity> quantities = {
    {"recovered", "Share recovered", "share recovered (exact 95% interval)", false, recovered_point},
    {"learnt", "Share learnt or recovered", "share learnt or recovered (exact 95% interval)", false,
     learnt_point},
    {"error", "Test error and null error", "relative test error (median, extremes)", true, error_point},
    {"seconds", "Time of a run", "seconds (median, extremes)", true, seconds_point}};

/// The number of heads, or of hidden bits, that the family is told.
std::optional<double> heads_in(const Settings& settings) {
  const auto m = settings.find("m");
  return m == settings.end() ? std::nullopt : number(m->second);
}

report::FigureAxis axis_of(const std::string& name, const std::vector<AxisPlace>& places) {
  std::vector<double> values;
  for (const AxisPlace& place : places) values.push_back(*number(place.settings.at(name)));
  const auto [low, high] = std::ranges::minmax(values);
  return {name, low > 0 && high / low >= 8};
}

/// Null errors of the sources that `curves` are on: a line along the axis, or a level where there is one
/// value of it.
void add_null_errors(report::Figure& figure, const std::string& axis, const Groups& nulls,
                     const std::vector<AxisPlace>& all) {
  for (const auto& [settings, members] : nulls) {
    const std::string what = label(settings, all);
    const std::string name = what.empty() ? "null error" : "null error: " + what;
    std::map<double, double> line;
    for (const AxisPlace& place : members)
      line.try_emplace(*number(place.settings.at(axis)), place.row->null_error_median);
    report::FigureCurve curve{
        name, {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound, heads_in(settings)};
    for (const auto& [x, y] : line) curve.points.push_back({x, y});
    if (line.size() == 1)
      figure.levels.push_back({name, line.begin()->second});
    else
      figure.curves.push_back(std::move(curve));
  }
}

/// "recovered-d", "Share recovered against d": the part-th figure of a quantity along an axis, still without
/// curves.
report::Figure empty_figure(const Quantity& quantity, const std::string& axis, int part) {
  const bool of_examples = axis == examples_allowed;
  report::Figure figure{
      .name = fmt::format("{}-{}", quantity.name, of_examples ? "examples" : axis),
      .title = fmt::format("{} against {}{}", quantity.title, of_examples ? "the " : "", axis),
      .y = {quantity.label, quantity.log}};
  if (!quantity.log) {
    figure.y.low = 0;
    figure.y.high = 1;
  }
  if (part > 1) {
    figure.name += fmt::format("-{}", part);
    figure.title += fmt::format(" ({})", part);
  }
  return figure;
}

report::FigureCurve curve_of(const Quantity& quantity, const std::string& axis, std::string label,
                             const std::vector<AxisPlace>& members) {
  report::FigureCurve curve{std::move(label), {}};
  if (axis != "m") curve.heads = heads_in(members.front().settings);
  for (const AxisPlace& place : members)
    curve.points.push_back(quantity.point(*number(place.settings.at(axis)), *place.row));
  std::ranges::sort(curve.points, {}, &report::FigurePoint::x);
  return curve;
}

void add_figures(std::vector<report::Figure>& figures, const Quantity& quantity, const std::string& axis,
                 const std::vector<AxisPlace>& places) {
  const std::vector<std::string> not_of_null =
      axis == examples_allowed ? std::vector<std::string>{axis, "method", heads_told}
                               : std::vector<std::string>{axis, "method", heads_told, examples_allowed};
  const bool is_error = quantity.name == "error";
  const Groups curves = groups_of(places, {axis});
  int part = 0;
  for (std::size_t next = 0; next < curves.size();) {
    report::Figure figure = empty_figure(quantity, axis, ++part);
    figure.x = axis_of(axis, places);
    std::vector<AxisPlace> shown;
    for (; next < curves.size(); ++next) {
      const auto& [settings, members] = curves[next];
      std::vector<AxisPlace> more = shown;
      more.insert(more.end(), members.begin(), members.end());
      const std::size_t nulls = is_error ? groups_of(more, not_of_null).size() : 0;
      if (!figure.curves.empty() && figure.curves.size() + 1 + nulls > most_curves) break;
      shown = std::move(more);
      figure.curves.push_back(curve_of(quantity, axis, label(settings, places), members));
    }
    if (is_error) add_null_errors(figure, axis, groups_of(shown, not_of_null), places);
    figures.push_back(std::move(figure));
  }
}

/// Those that have a number for `axis`.
std::vector<AxisPlace> on(const std::string& axis, const std::vector<AxisPlace>& places) {
  std::vector<AxisPlace> out;
  for (const AxisPlace& place : places)
    if (const auto found = place.settings.find(axis); found != place.settings.end() && number(found->second))
      out.push_back(place);
  return out;
}

/// The figures of these quantities, against each number that varies.
std::vector<report::Figure> figures_of(const std::vector<ComparisonRow>& rows,
                                       std::span<const Quantity> shown) {
  std::vector<AxisPlace> places;
  for (const ComparisonRow& row : rows) places.push_back({&row, settings_of(row)});
  std::vector<report::Figure> figures;
  for (const std::string& axis : axes(places))
    for (const Quantity& quantity : shown) add_figures(figures, quantity, axis, on(axis, places));
  return figures;
}

/// Can both laws be told apart from these: three places or more, all numbers positive?
bool fits(const std::vector<statistics::GrowthPoint>& points) {
  std::set<double> x;
  for (const statistics::GrowthPoint& point : points) {
    x.insert(point.x);
    if (point.x <= 0 || std::ranges::any_of(point.y, [](double y) { return !(y > 0); })) return false;
  }
  return x.size() >= 3;
}

/// A line of growth_table(): how one quantity of the runs of a curve grows along the axis. Nothing where the
/// places do not tell the two laws apart.
void add_growth(report::Table& table, const std::string& axis, const std::string& curve,
                const std::vector<AxisPlace>& members, bool is_time) {
  std::vector<statistics::GrowthPoint> points;
  for (const AxisPlace& place : members) {
    statistics::GrowthPoint point{*number(place.settings.at(axis)), {}};
    for (const RunResult& run : place.row->runs)
      point.y.push_back(is_time ? run.report.seconds : static_cast<double>(run.report.examples_used));
    points.push_back(std::move(point));
  }
  if (!fits(points)) return;
  const statistics::Growth growth = statistics::fit_growth(points);
  const auto interval = [](const statistics::Estimate& e) {
    return fmt::format("{:.3g} .. {:.3g}", e.interval.low, e.interval.high);
  };
  const statistics::Estimate &power = growth.power.rate, &exponential = growth.exponential.rate;
  std::string preferred = "neither";
  if (growth.prefers == statistics::Growth::Prefers::power) preferred = "the power law";
  if (growth.prefers == statistics::Growth::Prefers::exponential) preferred = "the exponential";
  table.add({is_time ? "seconds" : "examples used", axis, curve, fmt::format("{:.3g}", power.value),
             interval(power), fmt::format("{:.3g}", exponential.value), interval(exponential), preferred});
}

}  // namespace

report::FigurePoint recovered_point(double x, const ComparisonRow& row) {
  return {x, static_cast<double>(row.degrees.recovered) / static_cast<double>(row.degrees.total()),
          row.recovery_rate};
}

report::FigurePoint learnt_point(double x, const ComparisonRow& row) {
  return {x, static_cast<double>(row.degrees.at_least_learnt()) / static_cast<double>(row.degrees.total()),
          row.learnt_rate};
}

std::vector<report::Figure> sweep_figures(const std::vector<ComparisonRow>& rows) {
  return figures_of(rows, quantities);
}

std::vector<report::Figure> asked_figures(const std::vector<ComparisonRow>& rows) {
  return figures_of(rows, {&asked_quantity, 1});
}

std::vector<report::Figure> instance_figures(const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> instances, learners;
  const auto position = [](std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    const auto out = static_cast<std::size_t>(at - names.begin());
    if (at == names.end()) names.push_back(name);
    return out;
  };
  std::vector<report::Figure> out;
  for (const Quantity& quantity : quantities) {
    if (quantity.name == "recovered") continue;
    report::Figure figure = empty_figure(quantity, "instance", 1);
    for (const ComparisonRow& row : rows) {
      const auto x = static_cast<double>(position(instances, row.source));
      const std::size_t curve = position(learners, row.method);
      if (curve >= most_curves) continue;
      if (curve >= figure.curves.size())
        figure.curves.push_back({row.method, {}, report::FigureCurve::Style::points});
      figure.curves[curve].points.push_back(quantity.point(x, row));
    }
    figure.x = {"instance", false, std::nullopt, std::nullopt, instances};
    out.push_back(std::move(figure));
  }
  return out;
}

report::Table growth_table(const std::vector<ComparisonRow>& rows) {
  report::Table table{{"what", "against", "of", "power law x^b: b", "95% interval", "exponential e^(b x): b",
                       "95% interval of it", "the data prefer"},
                      {}};
  std::vector<AxisPlace> places;
  for (const ComparisonRow& row : rows) places.push_back({&row, settings_of(row)});
  for (const std::string& axis : axes(places))
    for (const auto& [settings, members] : groups_of(on(axis, places), {axis})) {
      const std::string curve = label(settings, places);
      add_growth(table, axis, curve, members, true);
      if (axis != examples_allowed) add_growth(table, axis, curve, members, false);
    }
  return table;
}

}  // namespace hardhead::study
