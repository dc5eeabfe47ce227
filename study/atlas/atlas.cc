#include "study/atlas/atlas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/error.h"
#include "base/statistics/median.h"
#include "study/sweep/forecast.h"

namespace hardhead::study {
namespace {

std::vector<SourceSeries> members(const std::string& pattern, int first, int last) {
  std::vector<SourceSeries> out;
  for (int i = first; i <= last; ++i) out.emplace_back(fmt::format(fmt::runtime(pattern), i));
  return out;
}

std::vector<learner::Learner> learners() {
  std::vector<learner::Learner> out;
  for (const char* name :
       {"sculpt", "gauss-newton", "lbfgs", "sgd", "adam", "sign-sgd", "adam:theta=diagonal",
        "sign-sgd:theta=diagonal", "walsh", "table", "mobius", "flip", "chain"})
    out.emplace_back(Spec::parse(name));
  return out;
}

AtlasPlan plan_of_program(bool quick) {
  AtlasPlan out;
  if (quick) {
    out.series = {{"nice:d=8,k=2,m=1", "nice:d=8,k=2,m=2"},
                  {"transformer:d=8,k=2,m=2"},
                  {"parity:d=8,m=2", "parity:d=8,m=4"},
                  {"lwr:n=2,q=4"}};
    out.shot = BestShotOptions::of_all({.learners = learners(), .seeds = 3}, 8);
    out.shot.most_examples = 2'000'000;
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
  out.shot = BestShotOptions::of_all({.learners = learners(), .seeds = 5}, 240);
  return out;
}

/// Runs the cell. Empty if it was interrupted.
std::optional<AtlasCell> drawn(AtlasCell cell, const BestShotOptions& options, const RunContext& context) {
  try {
    cell.shot = best_shot(cell.source, cell.learner, options, context);
  } catch (const InputError& refused) {
    if (!cell.learner.asks_values()) throw;
    cell.refusal = refused.what();
    return cell;
  }
  return cell.shot->ending == LadderEnding::interrupted ? std::nullopt : std::optional(std::move(cell));
}

std::span<const RunResult> fresh_runs(const AtlasCell& cell) {
  if (!cell.shot || cell.shot->ladder.empty()) return {};
  return cell.shot->ladder.back().fresh;
}

/// The median over the fresh runs of a ladder that was climbed; else `of_a_failure` of all runs of the
/// ladder.
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
  for (const RunResult& run : fresh_runs(cell)) values.push_back(number(run));
  return values.empty() ? 0 : statistics::median(values);
}

/// How far the map is. The cells of a learner take alike: at first its ladder's time, or a second of a
/// learner by values.
class AtlasPace {
 public:
  explicit AtlasPace(const AtlasPlan& plan) {
    for (const learner::Learner& learner : plan.shot.plan.learners)
      predicted_.push_back(learner.asks_values() ? 1.0 : plan.shot.time_limit_seconds);
    for (const auto& series : plan.series)
      for (std::size_t cell = 0; cell < series.size() * predicted_.size(); ++cell)
        pace_.plan(cell % predicted_.size(), predicted_[cell % predicted_.size()]);
  }

  void skip(std::size_t learner) { pace_.drop(learner, predicted_[learner]); }
  /// `seconds` have passed meanwhile.
  void finish(std::size_t learner, const AtlasCell& cell, double seconds) {
    double measured = 0;  // of all runs
    if (cell.shot)
      for (const RungResult& rung : cell.shot->ladder) measured += rung.seconds;
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

AtlasPlan atlas_plan(const AtlasRequest& request) {
  AtlasPlan out = plan_of_program(request.quick);
  out.shot.plan.seed = request.seed;
  out.shot.plan.execution.jobs = request.jobs;
  if (!request.sources.empty()) out.series.clear();
  for (SourceSeries& source : series_of(request.sources)) out.series.push_back({std::move(source)});
  if (!request.learners.empty()) out.shot.plan.learners = request.learners;
  std::ranges::stable_partition(out.shot.plan.learners, std::not_fn(&learner::Learner::asks_values));
  return out;
}

std::int64_t AtlasCell::successes() const {
  return std::ranges::count_if(fresh_runs(*this),
                               [](const RunResult& run) { return run.score.degree >= Degree::learnt; });
}

std::int64_t AtlasCell::trials() const {
  return std::ssize(fresh_runs(*this));
}

double AtlasCell::cost() const {
  return typical(
      *this, [](const RunResult& run) { return static_cast<double>(run.asked()); },
      [](double a, double b) { return std::max(a, b); });
}

double AtlasCell::seconds() const {
  return typical(*this, [](const RunResult& run) { return run.report.seconds; }, std::plus<>());
}

Atlas draw_atlas(const AtlasPlan& plan, const RunContext& context) {
  Atlas out{.plan = plan};
  const std::vector<learner::Learner>& learners = plan.shot.plan.learners;
  AtlasPace pace(plan);
  for (const auto& series : plan.series) {
    std::map<std::string, int> failed;
    for (const SourceSeries& member : series)
      for (std::size_t i = 0; i < learners.size(); ++i) {
        const learner::Learner& learner = learners[i];
        const std::string& source = member.name();
        AtlasCell cell{.source = source, .learner = learner};
        const std::string name = learner.str();
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
        std::optional<AtlasCell> done = drawn(std::move(cell), plan.shot, inner);
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
  return fmt::format(
      "hardhead best {} --method {} --seeds {} --wanted {} --ladder-time {} --most-examples {} --seed {}",
      cell.source, cell.learner.str(), plan.seeds(), plan.seeds(), plan.shot.time_limit_seconds,
      plan.shot.most_examples, plan.shot.plan.seed);
}

}  // namespace hardhead::study
