#include "study/best/best_shot.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/run/run_context.h"
#include "base/statistics/median.h"
#include "base/text/record_json.h"
#include "learner/method.h"
#include "study/report/json.h"

namespace hardhead::study {
namespace {

// Layers that choose settings are this far from the fresh ones.
constexpr std::int64_t first_tuning_run = 1'000'000;

bool better(const RunResult& a, const RunResult& b) {
  const Degree left = a.score.degree.value_or(Degree::nothing),
               right = b.score.degree.value_or(Degree::nothing);
  if (left != right) return left > right;
  return a.score.test_error < b.score.test_error;
}

/// One climb: the runs of a ladder, rung by rung.
class Climb {
 public:
  Climb(SourceSeries source, learner::Learner method, const BestShotOptions& options,
        const RunContext& context)
      : source_(std::move(source)), method_(std::move(method)), options_(options), context_(context) {
    context_.communicator = nullptr;  // each run decides what is run next
  }

  BestShot climb() {
    BestShot out;
    out.source = source_.name();
    out.method = method_;
    double seconds = 0;
    const SourceShape shape = source_.member(0, options_.plan.seed).shape();
    const double wanted = wanted_error();
    std::vector<learner::Rung> rungs = method_.ladder(wanted);
    const auto all = static_cast<double>(rungs.size());
    for (learner::Rung& rung : rungs) {
      if (most_examples(rung, shape) > options_.most_examples) return ended(out, LadderEnding::most_examples);
      if (seconds > options_.time_limit_seconds) return ended(out, LadderEnding::time_limit);
      const auto number = static_cast<double>(out.ladder.size());
      begin_ = number / all;
      end_ = (number + 1) / all;
      prefix_ = fmt::format("rung {:.0f} of {:.0f} at most, ", number + 1, all);
      out.ladder.push_back(try_rung(std::move(rung)));
      seconds += out.ladder.back().seconds;
      if (interrupted_) return ended(out, LadderEnding::interrupted);
      if (out.ladder.back().successes >= options_.wanted) return ended(out, LadderEnding::reached);
    }
    return ended(out, LadderEnding::top);
  }

 private:
  double wanted_error() const {
    const Plan& plan = options_.plan;
    if (options_.goal == Degree::recovered) return plan.run.recovery;
    const Problem problem = open_problem(source_.member(first_tuning_run, plan.seed), {.seed = plan.seed});
    return problem.error_at(learnt_advantage);
  }

  RungResult try_rung(learner::Rung rung) {
    RungResult out;
    out.examples = rung.examples;
    drop_repetitions(rung.settings);
    std::optional<RunResult> best;
    const double before_fresh = (begin_ + end_) / 2;
    for (std::int64_t layer = first_tuning_run; !interrupted_; ++layer) {
      std::vector<RunResult> runs = run(rung.settings, out.examples, {layer, 1}, (begin_ + before_fresh) / 2);
      if (runs.empty()) break;
      out.tuning.insert(out.tuning.end(), runs.begin(), runs.end());
      std::ranges::stable_sort(runs, better);
      best = runs.front();
      if (runs.size() == 1) break;
      runs.resize((runs.size() + 1) / 2);
      rung.settings.clear();
      for (const RunResult& one : runs) rung.settings.push_back(one.request.method);
    }
    const learner::Learner chosen = best ? best->request.method : method_;
    out.method = chosen.spec();
    begin_ = std::max(begin_, before_fresh);
    if (best && best->score.degree >= options_.goal) run_fresh(chosen, out);
    for (const std::vector<RunResult>* runs : {&out.tuning, &out.fresh})
      for (const RunResult& one : *runs) out.seconds += one.report.seconds;
    return out;
  }

  static void drop_repetitions(std::vector<learner::Learner>& settings) {
    std::vector<learner::Learner> different;
    for (learner::Learner& one : settings)
      if (std::ranges::find(different, one) == different.end()) different.push_back(std::move(one));
    settings = std::move(different);
  }

  // In groups: as many runs as may fail, so that a hopeless rung costs little more than that.
  void run_fresh(const learner::Learner& method, RungResult& rung) {
    const std::int64_t seeds = options_.plan.seeds, may_fail = seeds - options_.wanted;
    for (std::int64_t done = 0; done < seeds && !interrupted_;) {
      const std::int64_t count = std::min(may_fail + 1, seeds - done);
      const double share = static_cast<double>(count) / static_cast<double>(seeds - done);
      for (RunResult& one : run({method}, rung.examples, {done, count}, begin_ + share * (end_ - begin_))) {
        rung.successes += one.score.degree >= options_.goal ? 1 : 0;
        rung.fresh.push_back(std::move(one));
      }
      done += count;
      if (static_cast<std::int64_t>(rung.fresh.size()) - rung.successes > may_fail) return;
    }
  }

  // Layers from a first one on.
  struct Layers {
    std::int64_t first, count;
  };

  // The climb is at `end` then.
  std::vector<RunResult> run(const std::vector<learner::Learner>& methods,
                             std::optional<std::int64_t> examples, Layers layers, double end) {
    RunContext part = context_;
    part.progress = progress_part(context_.progress, begin_, end, prefix_);
    begin_ = end;
    Plan plan = options_.plan;
    plan.sources = {source_};
    plan.learners = methods;
    plan.seeds = layers.count;
    plan.first = layers.first;
    if (examples) plan.run.task.examples = examples;
    Comparison comparison = compare(plan, part);
    interrupted_ = comparison.completion != Completion::complete;
    std::vector<RunResult> out;
    for (ComparisonRow& row : comparison.rows)
      for (RunResult& one : row.runs) out.push_back(std::move(one));
    return out;
  }

  // Examples that a run of the rung may read; none of a learner by values.
  std::int64_t most_examples(const learner::Rung& rung, const SourceShape& shape) const {
    if (rung.examples) return *rung.examples;
    std::int64_t most = 0;
    for (const learner::Learner& setting : rung.settings)
      if (!setting.asks_values())
        most = std::max(most,
                        setting.by_examples().default_examples({shape.d, shape.k}, options_.plan.run.task));
    return most;
  }

  BestShot& ended(BestShot& shot, LadderEnding ending) const {
    shot.ending = ending;
    std::vector<Degree> degrees;
    for (const RungResult& rung : shot.ladder)
      for (const std::vector<RunResult>* runs : {&rung.tuning, &rung.fresh})
        for (const RunResult& one : *runs)
          if (one.score.degree && (ending != LadderEnding::reached || runs == &shot.ladder.back().fresh))
            degrees.push_back(*one.score.degree);
    std::ranges::sort(degrees, std::greater());
    const auto counted = ending == LadderEnding::reached ? static_cast<std::size_t>(options_.wanted) : 1;
    if (degrees.size() >= counted) shot.degree = degrees[counted - 1];
    if (shot.ladder.empty() || shot.ladder.back().fresh.empty()) return shot;
    std::vector<double> asked, seconds;
    for (const RunResult& one : shot.ladder.back().fresh) {
      asked.push_back(static_cast<double>(one.asked()));
      seconds.push_back(one.report.seconds);
    }
    shot.asked_median = statistics::median(asked);
    shot.seconds_median = statistics::median(seconds);
    return shot;
  }

  SourceSeries source_;
  learner::Learner method_;
  const BestShotOptions& options_;
  RunContext context_;
  bool interrupted_ = false;
  double begin_ = 0, end_ = 1;  // what of the climb is under way: a rung, or what is left of it
  std::string prefix_;          // of phases: which rung
};

std::string limit_text(const BestShot& shot, const BestShotOptions& options) {
  switch (shot.ending) {
    case LadderEnding::most_examples:
      return fmt::format("the next budget may read more than {} examples", options.most_examples);
    case LadderEnding::time_limit:
      return fmt::format("its runs had taken {} s", options.time_limit_seconds);
    case LadderEnding::interrupted:
      return "it was interrupted";
    default:
      return "it was climbed to its top";
  }
}

}  // namespace

std::vector<BriefRun> brief(const std::vector<RunResult>& runs) {
  std::vector<BriefRun> out;
  for (const RunResult& run : runs) out.push_back({&run});
  return out;
}

BestShotOptions BestShotOptions::of_all(Plan plan, double time_limit_seconds) {
  BestShotOptions out{.plan = std::move(plan)};
  out.wanted = out.plan.seeds;
  out.time_limit_seconds = time_limit_seconds;
  out.plan.run.task.time_limit_seconds = run_share * time_limit_seconds;
  return out;
}

BestShot best_shot(const SourceSeries& source, const learner::Learner& method, const BestShotOptions& options,
                   const RunContext& context) {
  return Climb(source, method, options, context).climb();
}

std::vector<BestShot> best_shots(const BestShotOptions& options, const RunContext& context) {
  const Plan& plan = options.plan;
  for (const SourceSeries& source : plan.sources)
    if (const auto suite = source.suite())
      throw InputError(fmt::format(
          "'{}': a best shot needs fresh layers, and those of a suite are fixed; name a spec", *suite));
  std::vector<BestShot> out;
  const auto climbs = static_cast<double>(plan.sources.size() * plan.learners.size());
  for (const SourceSeries& source : plan.sources)
    for (const learner::Learner& method : plan.learners) {
      const auto done = static_cast<double>(out.size());
      RunContext part = context;
      part.progress = progress_part(
          context.progress, done / climbs, (done + 1) / climbs,
          climbs > 1 ? fmt::format("ladder {:.0f} of {:.0f}, ", done + 1, climbs) : std::string());
      out.push_back(best_shot(source, method, options, part));
      if (out.back().ending == LadderEnding::interrupted) return out;
      context.progress.announce(
          fmt::format("{}, {}: {}", source.name(), method.str(), summary(out.back(), options)));
    }
  return out;
}

std::string summary(const BestShot& shot, const BestShotOptions& options) {
  const std::string goal =
      options.goal == Degree::partly ? "partly learnt" : std::string(name_of(options.goal));
  if (shot.ending == LadderEnding::reached) {
    const RungResult& last = shot.ladder.back();
    return fmt::format("{} on {} of {} fresh layers: {}, {:.0f} {} and {:.3g} s in the median", goal,
                       last.successes, last.fresh.size(), last.method.str(), shot.asked_median,
                       shot.method.asks_values() ? "queries" : "examples", shot.seconds_median);
  }
  return fmt::format(
      "not {} on {} of {} fresh layers with any of {} budgets; the ladder ended there because {}", goal,
      options.wanted, options.plan.seeds, shot.ladder.size(), limit_text(shot, options));
}

std::string json_text(const std::vector<BestShot>& shots, const BestShotOptions& options) {
  Json out = report::report_json("best-shots");
  out["goal"] = name_of(options.goal);
  out["seeds"] = options.plan.seeds;
  out["shots"] = json_value(shots);
  return text_of_json(out, 2) + "\n";
}

}  // namespace hardhead::study
