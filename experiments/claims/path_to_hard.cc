#include <fmt/format.h>

#include "experiments/claims/registered_claims.h"
#include "study/results/run_tables.h"
#include "study/results/sweep_figures.h"

namespace hardhead::experiments {
namespace {

const std::vector<std::string> points = {"0", "0.25", "0.5", "0.75", "1"};

// The criterion is on two learners at the ends of the path of six heads: there, as many seeds as can meet it.
struct Learner {
  Spec method;
  bool decides;
};

// Adam on wide students ends where the layer is learnt, so that its examples are the cost of that.
const std::vector<Learner>& learners() {
  static const std::vector<Learner> all = {{Spec::parse("sculpt:budget=1200000"), true},
                                           {Spec::parse("adam:until=0.001"), true},
                                           {Spec::parse("gauss-newton"), false}};
  return all;
}

// The path of so many heads: the rows of each learner, point by point.
struct PathRows {
  int heads;
  std::vector<std::vector<study::ComparisonRow>> rows;

  const study::ComparisonRow& start(std::size_t learner) const { return rows[learner].front(); }
  const study::ComparisonRow& end(std::size_t learner) const { return rows[learner].back(); }
};

study::Plan plan_of(int heads, const Spec& method, std::int64_t seeds) {
  study::Plan out{.sources = {}, .learners = {method}, .seeds = seeds};
  out.run.task.heads = heads;
  return out;
}

std::vector<PathRows> run_paths(const Setting& setting, const RunContext& context) {
  constexpr std::int64_t few = 3;
  std::vector<PathRows> out = {{2, {}}, {6, {}}};
  std::vector<study::Plan> plans;  // of each path and learner, the ends and what lies between
  for (const PathRows& path : out)
    for (const Learner& learner : learners()) {
      const bool decides = learner.decides && path.heads == 6 && !setting.quick;
      study::Plan ends = plan_of(path.heads, learner.method, decides ? seeds_for_ninety_percent : few);
      study::Plan between = plan_of(path.heads, learner.method, few);
      for (const std::string& t : points)
        (t == points.front() || t == points.back() ? ends : between)
            .sources.push_back(fmt::format("path:d=12,m={},variant=minimal,t={}", path.heads, t));
      plans.push_back(std::move(ends));
      plans.push_back(std::move(between));
    }
  auto rows = compared(std::move(plans), setting, whole_experiment("R9", context));
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    rows[i].insert(rows[i].begin() + 1, rows[i + 1].begin(), rows[i + 1].end());
    out[i / (2 * learners().size())].rows.push_back(std::move(rows[i]));
  }
  return out;
}

void draw(const PathRows& found, Evidence& out) {
  const int m = found.heads;
  report::Figure rates{fmt::format("success_m{}", m),
                       fmt::format("From a nice layer to parity, {} heads (d = 12)", m),
                       {"t (0: nice, 1: parity)", false, 0, 1},
                       {"share learnt (advantage of 0.99 and more)", false, 0, 1}};
  report::Figure errors{fmt::format("error_m{}", m),
                        fmt::format("Test error along the path, {} heads", m),
                        {"t (0: nice, 1: parity)", false, 0, 1},
                        {"test error (relative, median)", true}};
  report::FigureCurve null{
      "null predictor", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::bound};
  for (std::size_t learner = 0; learner < learners().size(); ++learner) {
    const std::string label = learners()[learner].method.str();
    report::FigureCurve rate{label, {}}, error{label, {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const study::ComparisonRow& row = found.rows[learner][i];
      const double t = std::stod(points[i]);
      rate.points.push_back(study::learnt_point(t, row));
      error.points.push_back({t, row.test_error_median});
      if (learner == 0) null.points.push_back({t, row.null_error_median});
    }
    out.reason += fmt::format("{}{}, {} heads: {} at t = 0, {} at t = 1", out.reason.empty() ? "" : "; ",
                              label, m, found.start(learner).degrees.str(), found.end(learner).degrees.str());
    rates.curves.push_back(std::move(rate));
    errors.curves.push_back(std::move(error));
  }
  errors.curves.push_back(std::move(null));
  out.figures.push_back(std::move(rates));
  out.figures.push_back(std::move(errors));
}

// How many times as many examples each seed takes at t = 1. A run that does not learn its layer has read its
// whole budget, and would have needed more: its ratio is too small, if anything.
std::vector<double> dearer(const PathRows& found, std::size_t learner) {
  std::vector<double> out;
  const auto &nice = found.start(learner).runs, &hard = found.end(learner).runs;
  for (std::size_t i = 0; i < std::min(nice.size(), hard.size()); ++i)
    out.push_back(static_cast<double>(hard[i].report.examples_used) /
                  static_cast<double>(nice[i].report.examples_used));
  return out;
}

Evidence perform_path_to_hard(const Setting& setting, const RunContext& context) {
  constexpr std::size_t sculpt = 0, adam = 1;
  Evidence out;
  std::vector<study::ComparisonRow> all;
  for (const PathRows& found : run_paths(setting, context)) {
    draw(found, out);
    for (const std::vector<study::ComparisonRow>& rows : found.rows)
      all.insert(all.end(), rows.begin(), rows.end());
    if (found.heads == 2) continue;
    const std::vector<double> ratios = dearer(found, adam);
    out.reason +=
        fmt::format("; at six heads adam reads {} times as many examples at t = 1", median_text(ratios));
    out.verdict = report::all_of({report::at_least(found.start(sculpt).learnt_rate, 0.9),
                                  report::at_least(found.start(adam).learnt_rate, 0.9),
                                  report::at_most(found.end(sculpt).learnt_rate, 0.1),
                                  report::at_least(median_known(ratios), 2)});
  }
  out.table = study::rows_table(all);
  return out;
}

}  // namespace

Experiment claims::path_to_hard() {
  return {
      .id = "R9",
      .title = "On the way from nice to hard layers the six phases fail, and adam only pays more",
      .claim =
          "Learning is possible under niceness, and hard in the worst case without it: along a line in "
          "(Theta, W) from a nice layer to a parity layer of as many heads the six phases go from success to "
          "failure, and gradient descent pays more.",
      .source = "Both bounds of Chen and Li, arXiv 2402.04084, taken together; the path is this project's",
      .method =
          "path:d=12,variant=minimal at five t from 0 (nice) to 1 (parity), heads told. adam ends at a "
          "held-back error of 0.001, so that its examples are the cost of learning. Layers, examples and "
          "learners of a seed are the same at all t. 3 seeds, and 36 at the ends of the path of six heads "
          "for sculpt and adam; quick: 3 everywhere. sculpt reads 1,200,000 examples at most; at t = 1 no "
          "number would do, since W_sum = 0. gauss-newton has its defaults, and no part in "
          "the verdict.",
      .criterion =
          "At six heads, by exact 95% intervals over seeds: sculpt and adam learn at least 90% of the layers "
          "at t = 0; sculpt learns at most 10% at t = 1, where W_sum = 0; and the median over seeds of the "
          "examples that adam reads at t = 1, over those at t = 0, is at least 2.",
      .quick_seconds = 110,
      .full_seconds = 1800,
      .perform = perform_path_to_hard};
}

}  // namespace hardhead::experiments
