#include "study/atlas/atlas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "statistics/median.h"
#include "study/query/ask.h"
#include "study/sweep/forecast.h"

namespace hardhead::study {
namespace {

std::vector<std::string> members(const std::string& pattern, int first, int last) {
  std::vector<std::string> out;
  for (int i = first; i <= last; ++i) out.push_back(fmt::format(fmt::runtime(pattern), i));
  return out;
}

std::vector<AtlasLearner> learners(double ladder_time) {
  std::vector<AtlasLearner> out;
  for (const char* name : {"sculpt", "gauss-newton", "lbfgs", "sgd", "adam", "adam:theta=diagonal"})
    out.push_back({Spec::parse(name), ladder_time});
  for (const char* name : {"mobius", "flip", "chain"}) out.push_back({Spec::parse(name)});
  return out;
}

std::optional<ComparisonRow> query_runs(const AtlasPlan& plan, const AtlasCell& cell,
                                        const RunContext& context) {
  ComparisonPlan runs{.sources = {cell.source}, .methods = {cell.learner.method}, .seeds = plan.seeds};
  runs.problem.seed = runs.run.task.seed = plan.seed;
  runs.execution = plan.execution;
  Comparison done = compare(runs, context);
  if (done.completion != Completion::complete) return std::nullopt;
  return std::move(done.rows.front());
}

/// Runs the cell. Empty if it was interrupted.
std::optional<AtlasCell> drawn(AtlasCell cell, const AtlasPlan& plan, const RunContext& context) {
  if (!asks_values(cell.learner.method.name)) {
    cell.shot = best_shot(cell.source, cell.learner.method, shot_options(plan, cell.learner), context);
    return cell.shot->ending == LadderEnding::interrupted ? std::nullopt : std::optional(std::move(cell));
  }
  try {
    cell.runs = query_runs(plan, cell, context);
    return cell.runs ? std::optional(std::move(cell)) : std::nullopt;
  } catch (const InputError& refused) {
    cell.refusal = refused.what();
    return cell;
  }
}

std::vector<const RunResult*> fresh_runs(const AtlasCell& cell) {
  std::vector<const RunResult*> out;
  if (cell.runs)
    for (const RunResult& run : cell.runs->runs) out.push_back(&run);
  if (cell.shot && !cell.shot->ladder.empty())
    for (const RunResult& run : cell.shot->ladder.back().fresh) out.push_back(&run);
  return out;
}

double cost_of(const RunResult& run) {
  return static_cast<double>(run.values ? run.values->queries : run.report.examples_used);
}

/// The median over the fresh runs of a ladder that was climbed, or of runs by queries; else `of_a_failure` of
/// all runs of the ladder.
template <class Number, class Failure>
double typical(const AtlasCell& cell, const Number& number, const Failure& of_a_failure) {
  if (cell.shot && cell.shot->ending != LadderEnding::reached) {
    double out = 0;
    for (const RungResult& rung : cell.shot->ladder)
      for (const std::vector<RunResult>* runs : {&rung.tuning, &rung.fresh})
        for (const RunResult& run : *runs) out = of_a_failure(out, number(run));
    return out;
  }
  std::vector<double> values;
  for (const RunResult* run : fresh_runs(cell)) values.push_back(number(*run));
  return values.empty() ? 0 : statistics::median(values);
}

/// Seconds of all runs of a cell.
double seconds_of_runs(const AtlasCell& cell) {
  double out = 0;
  if (cell.shot)
    for (const RungResult& rung : cell.shot->ladder) out += rung.seconds;
  if (cell.runs)
    for (const RunResult& run : cell.runs->runs) out += run.report.seconds;
  return out;
}

/// How far the map is. The cells of a learner take alike, its ladder's time at first.
class AtlasPace {
 public:
  explicit AtlasPace(const AtlasPlan& plan) {
    for (const AtlasLearner& learner : plan.learners)
      predicted_.push_back(std::max(1.0, learner.ladder_time));
    for (const auto& series : plan.series)
      for (std::size_t cell = 0; cell < series.size() * predicted_.size(); ++cell)
        pace_.plan(cell % predicted_.size(), predicted_[cell % predicted_.size()]);
  }

  void skip(std::size_t learner) { pace_.drop(learner, predicted_[learner]); }
  /// `seconds` have passed meanwhile.
  void finish(std::size_t learner, const AtlasCell& cell, double seconds) {
    const double measured = seconds_of_runs(cell);
    const bool from_journal = seconds < 0.1 * measured;
    if (from_journal)
      pace_.recall(learner, predicted_[learner], measured);
    else
      pace_.finish(learner, predicted_[learner], measured);
  }
  double fraction() const { return pace_.fraction(); }

 private:
  std::vector<double> predicted_;
  Pace pace_;
};

}  // namespace

AtlasPlan atlas_plan(bool quick) {
  AtlasPlan out;
  if (quick) {
    out.series = {{"nice:d=8,k=2,m=1", "nice:d=8,k=2,m=2"},
                  {"transformer:d=8,k=2,m=2"},
                  {"parity:d=8,m=2", "parity:d=8,m=4"},
                  {"lwr:n=2,q=4"}};
    out.learners = learners(8);
    out.seeds = 3;
    out.most_examples = 2'000'000;
    return out;
  }
  out.series = {{"nice:d=16,k=2,m=2", "nice:d=16,k=2,m=4", "nice:d=16,k=2,m=8"},
                {"transformer:d=16,k=2,m=4"},
                {"path:d=12,m=2,variant=minimal", "path:d=12,m=6,variant=minimal"},
                members("junta:d=20,m={}", 2, 4),
                members("parity:d=12,m={}", 2, 8),
                members("parity:d=20,m={}", 2, 8),
                members("parity:d=32,m={}", 2, 8),
                members("lwr:n={},q=16", 2, 8)};
  out.learners = learners(240);
  return out;
}

BestShotOptions shot_options(const AtlasPlan& plan, const AtlasLearner& learner) {
  BestShotOptions out{.seeds = plan.seeds,
                      .wanted = plan.seeds,
                      .most_examples = plan.most_examples,
                      .time_limit_seconds = learner.ladder_time};
  out.problem.seed = out.run.task.seed = plan.seed;
  out.run.task.time_limit_seconds = run_share * learner.ladder_time;
  out.execution = plan.execution;
  return out;
}

std::int64_t AtlasCell::successes() const {
  const auto runs = fresh_runs(*this);
  return std::ranges::count_if(
      runs, [](const RunResult* run) { return run->score.degree && *run->score.degree >= Degree::learnt; });
}

std::int64_t AtlasCell::trials() const {
  return std::ssize(fresh_runs(*this));
}

std::optional<Degree> AtlasCell::degree() const {
  if (shot) return shot->degree;
  std::optional<Degree> out;
  for (const RunResult* run : fresh_runs(*this)) {
    if (!run->score.degree) return std::nullopt;
    out = std::min(out.value_or(Degree::recovered), *run->score.degree);
  }
  return out;
}

double AtlasCell::cost() const {
  return typical(*this, cost_of, [](double a, double b) { return std::max(a, b); });
}

double AtlasCell::seconds() const {
  return typical(*this, [](const RunResult& run) { return run.report.seconds; }, std::plus<>());
}

Atlas draw_atlas(const AtlasPlan& plan, const RunContext& context) {
  Atlas out{.plan = plan, .cells = {}};
  AtlasPace pace(plan);
  for (const auto& series : plan.series) {
    std::map<std::string, int> failed;
    for (const std::string& source : series)
      for (std::size_t i = 0; i < plan.learners.size(); ++i) {
        const AtlasLearner& learner = plan.learners[i];
        AtlasCell cell{.source = source, .learner = learner};
        const std::string name = learner.method.str();
        if (failed[name] >= plan.failures) {
          pace.skip(i);
          out.cells.push_back(std::move(cell));
          continue;
        }
        RunContext inner = context;
        inner.progress.on_announcement = {};
        inner.progress.on_progress = [&](std::string_view, double) {
          context.progress.report(fmt::format("{}, {}", source, name), pace.fraction());
        };
        const Stopwatch watch;
        std::optional<AtlasCell> done = drawn(std::move(cell), plan, inner);
        if (!done) {
          out.interrupted = true;
          return out;
        }
        pace.finish(i, *done, watch.seconds());
        if (!done->reached(plan)) ++failed[name];
        out.cells.push_back(std::move(*done));
      }
  }
  return out;
}

std::string command_of(const AtlasCell& cell, const AtlasPlan& plan) {
  const std::string method = cell.learner.method.str();
  if (asks_values(cell.learner.method.name))
    return fmt::format("hardhead compare {} --method {} --seeds {} --seed {}", cell.source, method,
                       plan.seeds, plan.seed);
  return fmt::format(
      "hardhead best {} --method {} --seeds {} --wanted {} --ladder-time {} --most-examples {} --seed {}",
      cell.source, method, plan.seeds, plan.seeds, cell.learner.ladder_time, plan.most_examples, plan.seed);
}

}  // namespace hardhead::study
