#include "experiments/hull_cost.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/files/digest.h"
#include "base/version.h"
#include "learner/phases/growing_hull.h"
#include "study/run/phase_measures.h"

namespace hardhead::experiments {
namespace {

// Below it, phases 1 to 4 take no time.
constexpr std::int64_t afresh_below = 32'768;

study::RunOptions request_of(const HullReadings& readings, attention::Index heads) {
  study::RunOptions out;
  out.task.heads = heads;
  out.task.examples = readings.most;
  return out;
}

double measure(const learner::Phase& phase, const std::string& name) {
  for (const auto& [label, value] : phase.measures)
    if (label == name) return value;
  return std::numeric_limits<double>::infinity();
}

bool near_twice(const std::vector<learner::Phase>& readings, double near) {
  const std::size_t count = readings.size();
  return count >= 2 && measure(readings[count - 1], "hull_distance") <= near &&
         measure(readings[count - 2], "hull_distance") <= near;
}

/// The hull of one source, reading by reading.
class Reader {
 public:
  Reader(const study::Problem& problem, const study::RunOptions& request, const RunContext& context)
      : problem_(problem),
        context_(context),
        task_(request.task),
        recorder_(context.stop),
        run_{*problem.training, task_, context_, recorder_},
        growing_(run_, options_) {}

  /// Empty if there are too few examples for a hull.
  std::optional<learner::Phase> read(std::int64_t count, bool refine) {
    const Stopwatch watch;
    try {
      if (!growing_.begun() || count < afresh_below)
        growing_.begin(count);
      else if (refine)
        growing_.refine(count);
      else
        growing_.carry_on(count);
    } catch (const learner::InsufficientData&) {
      return std::nullopt;
    } catch (const learner::Failed&) {  // W_sum is lost in its sampling error
      return std::nullopt;
    }
    recorder_.report().phases.clear();  // what they estimated is measured here
    const auto distance = study::hull_distance(*problem_.truth, growing_.estimate().hull);
    learner::Phase out{
        .name = fmt::format("reading_{}", ++readings_), .seconds = watch.seconds(), .examples = count};
    out.add("hull_distance", distance->largest);
    out.add("hull_distance_mean", distance->mean);
    out.add("eigenvalue_gap", growing_.estimate().gap);
    return out;
  }

 private:
  const study::Problem& problem_;
  RunContext context_;
  learner::SixPhasesOptions options_;
  learner::Task task_;
  learner::Recorder recorder_;
  learner::Run run_;
  learner::GrowingHull growing_;
  int readings_ = 0;
};

study::RunResult read_hull(const HullReadings& readings, const RunContext& context) {
  const study::Problem problem = study::open_problem(readings.source, {.seed = readings.seed}, context);
  if (!problem.truth)
    throw InputError(fmt::format("'{}': the layer is not known, so that a hull's distance from it is not",
                                 readings.source));
  study::RunResult out;
  out.problem = static_cast<const study::ProblemSummary&>(problem);
  out.request = request_of(readings, problem.truth->m());
  out.version = version();
  Reader reader(problem, out.request, context);
  learner::Report& report = out.report;
  for (int j = 0; !near_twice(report.phases, readings.near); ++j) {
    const std::int64_t count = std::llround(static_cast<double>(readings.first) * std::exp2(j / 4.0));
    if (count > readings.most) break;
    std::optional<learner::Phase> reading = reader.read(count, j % 4 == 0);
    if (!reading) continue;
    report.examples_used = count;
    report.seconds += reading->seconds;
    report.phases.push_back(std::move(*reading));
  }
  report.message = near_twice(report.phases, readings.near)
                       ? fmt::format("The hull is within {} of every Theta_i.", readings.near)
                       : fmt::format("The hull is not within {} of every Theta_i.", readings.near);
  return out;
}

}  // namespace

study::RunResult read_hull(const HullReadings& readings, const std::optional<study::JournalFile>& journal,
                           const RunContext& context) {
  if (!journal) return read_hull(readings, context);
  const study::Source source(readings.source);
  const std::string name = Digest()
                               .add("hull readings")
                               .add(study::run_digest(source.digest(context), {.seed = readings.seed},
                                                      request_of(readings, source.shape().m.value_or(1))))
                               .add(fmt::format("{} {}", readings.first, readings.near))
                               .hex();
  study::Journal& done = journal->open();
  if (auto known = done.find(name)) return *known;
  study::RunResult result = read_hull(readings, context);
  done.append(name, result);
  return result;
}

HullCost hull_cost(const study::RunResult& run, double near) {
  const std::vector<learner::Phase>& readings = run.report.phases;
  HullCost out{.seconds = run.report.seconds};
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const auto at = static_cast<double>(readings[i].examples);
    const double distance = measure(readings[i], "hull_distance");
    out.examples = at;
    if (distance > near || i + 1 == readings.size() || measure(readings[i + 1], "hull_distance") > near)
      continue;
    if (i == 0) {
      out.at_first = true;
      return out;
    }
    const auto before = static_cast<double>(readings[i - 1].examples);
    const double above = measure(readings[i - 1], "hull_distance");
    // A single reading below, before one above, lies on the way too: no interpolation reaches beyond it.
    const double share = above > near ? std::log(above / near) / std::log(above / distance) : 1;
    out.examples = before * std::pow(at / before, share);
    return out;
  }
  out.censored = true;
  return out;
}

}  // namespace hardhead::experiments
