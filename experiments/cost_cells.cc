#include "experiments/cost_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "base/statistics/median.h"
#include "experiments/hull_cost.h"
#include "study/sweep/examples_search.h"

namespace hardhead::experiments {
namespace {

CostCell empty_cell(std::string learner, const CellPlan& plan) {
  return {.learner = std::move(learner),
          .source = fmt::format("nice:d={},k={},m={}", plan.d, plan.k, plan.m),
          .d = plan.d,
          .k = plan.k,
          .m = plan.m};
}

void add_cost(CostCell& cell, double examples, std::optional<double> seconds, std::uint64_t seed) {
  cell.costs.push_back({.at = {static_cast<double>(cell.m), static_cast<double>(cell.d)},
                        .value = examples,
                        .censored = !seconds,
                        .seed = seed});
  if (seconds) cell.seconds.push_back(*seconds);
}

struct Spent {
  double examples, seconds;
};

/// At the end of the first phase that has such a held-back error.
std::optional<Spent> until(const study::RunResult& run, double error) {
  double seconds = 0;
  for (const learner::Phase& phase : run.report.phases) {
    seconds += phase.seconds;
    for (const auto& [name, value] : phase.measures)
      if (name == "holdout_error" && value <= error && phase.name.starts_with("descent"))
        return Spent{static_cast<double>(phase.examples), seconds};
  }
  return std::nullopt;
}

constexpr double learnt_error = 0.01;
// The layers for choosing are this far from those that are measured.
constexpr std::int64_t choosing_run = 1'000'000;

/// Numbers of layers: `count` from `first` on.
struct Layers {
  std::int64_t first = 0, count = 1;
};

/// What success costs on each layer, by a learner that is given at most so many steps; empty where it does
/// not succeed.
using Spending = std::function<std::vector<std::optional<Spent>>(const Spec& method, std::int64_t steps,
                                                                 const Layers& layers)>;

// What the dearer of two layers for choosing costs; empty if one of them is not learnt.
std::optional<double> dearest(const Spending& spending, const Spec& method, std::int64_t steps) {
  double out = 0;
  for (const std::int64_t layer : {choosing_run, choosing_run + 1}) {
    const std::optional<Spent> spent = spending(method, steps, {layer}).front();
    if (!spent) return std::nullopt;
    out = std::max(out, spent->examples);
  }
  return out;
}

/// The cell at the rate that does best on layers for choosing.
CostCell cell_at_best_rate(CostCell cell, const std::string& method, const CellPlan& plan,
                           const Setting& setting, const Spending& spending) {
  const double most = static_cast<double>(plan.most) * learning_batch;
  double fewest = most;
  std::optional<Spec> best;
  for (const std::string rate : {"0.003", "0.001", "0.01"}) {
    // A rate is worth no more steps than the best one before it took.
    const auto steps = static_cast<std::int64_t>(std::ceil(fewest / learning_batch));
    const Spec with_rate = Spec::parse(fmt::format("{},rate={}", method, rate));
    const std::optional<double> cost = dearest(spending, with_rate, steps);
    if (!cost || *cost >= fewest) continue;
    fewest = *cost;
    best = with_rate;
    cell.setting = "rate=" + rate;
  }
  if (!best) {
    add_cost(cell, most, std::nullopt, setting.seed + choosing_run);
    return cell;
  }
  std::uint64_t seed = setting.seed;
  for (const std::optional<Spent>& spent : spending(*best, plan.most, {0, plan.seeds}))
    add_cost(cell, spent ? spent->examples : most, spent ? std::optional(spent->seconds) : std::nullopt,
             seed++);
  return cell;
}

std::vector<study::RunResult> runs_of(const CostCell& cell, const Spec& method, const Layers& layers,
                                      const Setting& setting, const RunContext& context) {
  const study::Plan plan{
      .sources = {cell.source}, .learners = {method}, .seeds = layers.count, .first = layers.first};
  return std::move(compared(plan, setting, context).front().runs);
}

Spec with_steps(const Spec& method, std::int64_t steps) {
  return Spec::parse(fmt::format("{},steps={}", method.str(), steps));
}

}  // namespace

std::optional<double> CostCell::median() const {
  std::vector<double> values;
  for (const statistics::Cost& cost : costs)
    values.push_back(cost.censored ? std::numeric_limits<double>::infinity() : cost.value);
  const double middle = statistics::median(values);
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

std::optional<statistics::Interval> CostCell::range() const {
  std::optional<statistics::Interval> out;
  for (const statistics::Cost& cost : costs) {
    if (cost.censored) continue;
    if (!out) out = {cost.value, cost.value};
    out = {std::min(out->low, cost.value), std::max(out->high, cost.value)};
  }
  return out;
}

int CostCell::censored() const {
  return static_cast<int>(std::ranges::count_if(costs, &statistics::Cost::censored));
}

std::vector<study::MeasuredCost> CostCell::runs() const {
  std::vector<study::MeasuredCost> out;
  auto next = seconds.begin();
  for (const statistics::Cost& cost : costs) {
    out.push_back({.learner = learner,
                   .family = Spec::parse(source).name,
                   .d = d,
                   .k = k,
                   .m = m,
                   .seed = cost.seed,
                   .examples = cost.value,
                   .censored = cost.censored});
    if (!cost.censored) out.back().seconds = *next++;
  }
  return out;
}

CostCell hull_cell(const CellPlan& plan, const Setting& setting, const RunContext& context) {
  constexpr double near = 0.1;
  CostCell cell = empty_cell("sculpt, hull", plan);
  // The first reading is at fewer examples than were ever enough, the last at so many more that it is
  // hopeless.
  const std::int64_t first = std::llround(32 * plan.d * std::pow(4, plan.m - 2));
  const std::int64_t most = plan.k == 2 ? std::min(plan.most, 1024 * first) : plan.most;
  for (const std::uint64_t seed : seeds_of(setting, plan.seeds)) {
    const study::RunResult run = read_hull(
        {.source = with_seed(cell.source, seed), .seed = seed, .first = first, .most = most, .near = near},
        setting.journal, context);
    const HullCost cost = hull_cost(run, near);
    if (cost.at_first)
      ++cell.left_out;
    else
      add_cost(cell, cost.examples, cost.censored ? std::nullopt : std::optional(cost.seconds), seed);
  }
  return cell;
}

CostCell newton_cell(const CellPlan& plan, const Setting& setting, const RunContext& context) {
  CostCell cell = empty_cell("gauss-newton", plan);
  const study::Goal goals[] = {study::Goal(study::recovers)};
  const std::int64_t least =
      std::max(learner::counting_bound(plan.d, plan.k, plan.m), learner::pattern_bound(plan.d, plan.k));
  for (const std::uint64_t seed : seeds_of(setting, plan.seeds)) {
    study::ExamplesSearch search{.plan = {.sources = {cell.source},
                                          .learners = {Spec::parse("gauss-newton")},
                                          .seed = seed,
                                          .run = {.task = {.heads = plan.m}},
                                          .execution = {setting.journal, setting.jobs}},
                                 .least = least,
                                 .most = plan.most,
                                 .ratio = std::sqrt(2)};
    const study::Reached reached = study::fewest_examples(search, goals, context).front();
    if (reached.examples == least)
      ++cell.left_out;
    else if (reached.examples > 0)
      add_cost(cell, static_cast<double>(reached.examples), reached.seconds, seed);
    else
      add_cost(cell, static_cast<double>(plan.most), std::nullopt, seed);
  }
  return cell;
}

CostCell recovery_cell(const CellPlan& plan, const Setting& setting, const RunContext& context) {
  constexpr std::int64_t first = 400;
  CostCell cell = empty_cell("sculpt, recovered", plan);
  study::Plan runs{.sources = {cell.source},
                   .learners = {Spec::parse(fmt::format("sculpt:first={}", first))},
                   .seeds = plan.seeds};
  runs.run.task.heads = plan.m;
  runs.run.task.examples = plan.most;
  const study::ComparisonRow row = std::move(compared(runs, setting, context).front());
  for (const study::RunResult& run : row.runs) {
    const bool recovered = run.score.outcome == study::Outcome::recovered;
    if (recovered && run.report.examples_used <= first)
      ++cell.left_out;
    else
      add_cost(cell, static_cast<double>(run.report.examples_used),
               recovered ? std::optional(run.report.seconds) : std::nullopt, run.request.task.seed);
  }
  return cell;
}

CostCell learning_cell(const CostCell& cell, const std::string& method, const CellPlan& plan,
                       const Setting& setting, const RunContext& context) {
  const Spending spending = [&](const Spec& with_rate, std::int64_t steps, const Layers& layers) {
    std::vector<std::optional<Spent>> out;
    for (const study::RunResult& run : runs_of(cell, with_steps(with_rate, steps), layers, setting, context))
      out.push_back(until(run, learnt_error));
    return out;
  };
  return cell_at_best_rate(cell, method, plan, setting, spending);
}

CostCell budget_cell(const CostCell& cell, const std::string& method, const CellPlan& plan,
                     const Setting& setting, const RunContext& context) {
  constexpr double least_steps = 80, ratio = std::numbers::sqrt2;
  const Spending spending = [&](const Spec& with_rate, std::int64_t steps, const Layers& layers) {
    std::vector<std::optional<Spent>> out(static_cast<std::size_t>(layers.count));
    for (double rung = least_steps; std::llround(rung) <= steps; rung *= ratio) {
      const std::vector<study::RunResult> runs =
          runs_of(cell, with_steps(with_rate, std::llround(rung)), layers, setting, context);
      for (std::size_t i = 0; i < runs.size(); ++i)
        if (!out[i] && runs[i].score.degree && *runs[i].score.degree >= study::Degree::learnt)
          out[i] = Spent{static_cast<double>(runs[i].report.examples_used), runs[i].report.seconds};
      if (std::ranges::all_of(out, [](const auto& spent) { return spent.has_value(); })) break;
    }
    return out;
  };
  return cell_at_best_rate(cell, method, plan, setting, spending);
}

}  // namespace hardhead::experiments
