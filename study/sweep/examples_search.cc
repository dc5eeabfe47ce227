#include "study/sweep/examples_search.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/run/run_context.h"
#include "base/statistics/median.h"

namespace hardhead::study {
namespace {

std::vector<std::int64_t> budgets_of(const ExamplesSearch& search) {
  if (!(search.probability > 0 && search.probability < 1))
    throw InputError(fmt::format("probability {}: above 0 and below 1 is expected", search.probability));
  if (search.least < 1 || search.least > search.most)
    throw InputError(
        fmt::format("budgets {} .. {}: 1 <= least <= most is expected", search.least, search.most));
  if (!(search.ratio > 1)) throw InputError(fmt::format("ratio {}: above 1 is expected", search.ratio));
  std::vector<std::int64_t> out;
  for (auto budget = static_cast<double>(search.least); std::llround(budget) <= search.most;
       budget *= search.ratio)
    if (out.empty() || std::llround(budget) > out.back()) out.push_back(std::llround(budget));
  return out;
}

/// The runs at a budget. Only this rank does them: they decide what is run next.
Comparison compare_at(Plan plan, std::int64_t examples, RunContext context) {
  context.communicator = nullptr;
  plan.run.task.examples = examples;
  return compare(plan, context);
}

}  // namespace

void judge(SuccessCurve& curve, double probability, std::size_t tries) {
  std::vector<statistics::Successes> places;
  for (const BudgetResult& budget : curve.budgets) places.push_back({budget.successes, budget.runs});
  const std::vector<double> fitted = statistics::nondecreasing_shares(places);
  curve.examples = curve.low = curve.high = std::nullopt;
  for (std::size_t b = 0; b < curve.budgets.size(); ++b) {
    BudgetResult& budget = curve.budgets[b];
    const auto examples = static_cast<double>(budget.examples);
    budget.fitted = fitted[b];
    budget.interval = statistics::clopper_pearson(budget.successes, budget.runs);
    const statistics::Interval sure =
        statistics::clopper_pearson(budget.successes, budget.runs, 1 - 0.05 / static_cast<double>(tries));
    if (sure.high < probability) curve.low = examples;
    if (sure.low >= probability && !curve.high) curve.high = examples;
    if (fitted[b] < probability || curve.examples) continue;
    if (b == 0 || fitted[b] == fitted[b - 1]) {
      curve.examples = examples;
      continue;
    }
    const auto before = static_cast<double>(curve.budgets[b - 1].examples);
    const double share = (probability - fitted[b - 1]) / (fitted[b] - fitted[b - 1]);
    curve.examples = before * std::pow(examples / before, share);
  }
}

std::int64_t seeds_for_interval(const ExamplesSearch& search) {
  const auto tries = static_cast<double>(budgets_of(search).size());
  std::int64_t runs = 1;
  while (statistics::clopper_pearson(runs, runs, 1 - 0.05 / tries).low < search.probability) ++runs;
  return runs;
}

SuccessCurve curve_of_attempts(const ExamplesSearch& search, const TryBudget& attempt) {
  const std::vector<std::int64_t> budgets = budgets_of(search);
  SuccessCurve curve;
  for (const std::int64_t examples : budgets) {
    std::optional<BudgetResult> result = attempt(examples);
    curve.interrupted = !result;
    if (curve.interrupted) break;
    result->examples = examples;
    curve.budgets.push_back(*result);
    judge(curve, search.probability, budgets.size());
    if (curve.high || (result->runs > 0 && result->successes == result->runs)) break;
  }
  return curve;
}

SuccessCurve success_curve(const ExamplesSearch& search, const RunContext& context) {
  RunOptions least = search.plan.run;
  least.task.examples = search.least;
  check_access(search.plan.learners, least);
  const auto budgets = static_cast<double>(budgets_of(search).size());
  double tried = 0;
  SuccessCurve curve = curve_of_attempts(search, [&](std::int64_t examples) -> std::optional<BudgetResult> {
    RunContext part = context;
    part.progress = progress_part(
        context.progress, tried / budgets, (tried + 1) / budgets,
        fmt::format("budget {:.0f} of {:.0f} at most, {} examples: ", tried + 1, budgets, examples));
    ++tried;
    const Comparison result = compare_at(search.plan, examples, part);
    if (result.completion == Completion::interrupted) return std::nullopt;
    BudgetResult budget;
    std::vector<double> seconds;
    for (const RunResult& run : result.rows.front().runs) {
      ++budget.runs;
      if (!(run.score.degree >= search.goal)) continue;
      ++budget.successes;
      seconds.push_back(run.report.seconds);
    }
    if (!seconds.empty()) budget.seconds = statistics::median(seconds);
    return budget;
  });
  curve.source = search.plan.sources.front().name();
  curve.method = search.plan.learners.front();
  return curve;
}

std::optional<double> recovers(const RunResult& run) {
  return run.score.outcome == Outcome::recovered ? std::optional(run.report.seconds) : std::nullopt;
}

Goal reaches(const std::string& phase, const std::string& name, double most) {
  return [=](const RunResult& run) -> std::optional<double> {
    double seconds = 0;
    for (const learner::Phase& p : run.report.phases) {
      seconds += p.seconds;
      if (p.name != phase) continue;
      for (const auto& [label, value] : p.measures)
        if (label == name && value <= most) return seconds;
    }
    return std::nullopt;
  };
}

std::vector<Reached> fewest_examples(const ExamplesSearch& search, std::span<const Goal> goals,
                                     const RunContext& context) {
  std::vector<Reached> out(goals.size());
  for (const std::int64_t examples : budgets_of(search)) {
    const Comparison result = compare_at(search.plan, examples, context);
    context.stop.check();
    for (std::size_t g = 0; g < goals.size(); ++g) {
      std::vector<double> seconds;
      for (const RunResult& run : result.rows.front().runs)
        if (const auto at = goals[g](run)) seconds.push_back(*at);
      if (out[g].examples == 0 && std::ssize(seconds) == search.plan.seeds)
        out[g] = {examples, statistics::median(seconds)};
    }
    if (out.back().examples != 0) break;
  }
  return out;
}

report::Figure success_figure(const std::vector<SuccessCurve>& curves, double probability) {
  report::Figure out{.name = "success",
                     .title = "Success against examples, with exact 95% intervals and the nondecreasing fit",
                     .x = {"examples", true},
                     .y = {"share of runs that succeed", false, 0, 1},
                     .levels = {{fmt::format("p = {:g}", probability), probability}}};
  for (const SuccessCurve& curve : curves) {
    const std::string label = fmt::format("{}, {}", curve.source, curve.method.str());
    report::FigureCurve shares{label, {}, report::FigureCurve::Style::points},
        fit{"fit", {}, report::FigureCurve::Style::line, report::FigureCurve::Kind::slope};
    for (const BudgetResult& budget : curve.budgets) {
      const auto x = static_cast<double>(budget.examples);
      shares.points.push_back(
          {x, static_cast<double>(budget.successes) / static_cast<double>(budget.runs), budget.interval});
      fit.points.push_back({x, budget.fitted});
    }
    out.curves.push_back(std::move(shares));
    out.curves.push_back(std::move(fit));
  }
  return out;
}

}  // namespace hardhead::study
