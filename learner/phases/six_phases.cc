#include "learner/phases/six_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learner/certificate/harvest.h"
#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/insufficient_data.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/phases/exhaustive_search.h"
#include "learner/phases/hull.h"
#include "learner/phases/margins.h"
#include "learner/phases/net.h"
#include "learner/phases/plan.h"
#include "learner/phases/polytope.h"
#include "learner/phases/search_space.h"
#include "learner/phases/six_phases_options.h"
#include "learner/phases/w_sum.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Held-back error above which the finished run is a failure, and what the last doubtful phase showed.
constexpr double self_check_limit = 1e-6;
constexpr double doubtful_gap = 3;
constexpr double doubtful_net_error = 0.1;

// What every phase is given besides the values of the phases before it. Examples 0 .. searched - 1 are
// searched; of the held_back ones after them the first half chooses between layers, and the second is for the
// check at the end.
struct Setting {
  const Run& run;
  const SixPhasesOptions& options;
  std::int64_t searched, held_back;  // held_back: each half
};

Setting setting_of(const Run& run, const SixPhasesOptions& options) {
  const std::int64_t held_back = std::max<std::int64_t>(1, stream_split(run.examples()).held_back / 2);
  return {run, options, run.examples() - 2 * held_back, held_back};
}

// The paper's linear programmes and tuples can cost anything: their price is told before the work, and
// refused beyond the budget.

Plan plan_for(const Setting& at, Index heads) {
  return make_plan(at.run.d(), at.run.k(), heads, at.searched, at.options);
}

// Says which limit the paper's parts exceed; empty if none.
std::string beyond_budget(const Setting& at, const Plan& plan) {
  if (const auto most = static_cast<double>(at.options.tuples); plan.tuples > most)
    return fmt::format("{:.3g} tuples of heads are more than the option tuples={:.3g}", plan.tuples, most);
  const double limit = at.run.task.time_limit_seconds.value_or(INFINITY);
  const double seconds = plan.certificate_seconds + plan.hull_seconds + plan.tuple_seconds;
  if (seconds > limit)
    return fmt::format("{:.2g} s are more than the time limit of {:.3g} s", seconds, limit);
  return "";
}

void announce_plan(const Setting& at) {
  const SixPhasesOptions& options = at.options;
  if (options.hull != Route::paper && options.hull_refined != Route::paper && options.net != Route::paper)
    return;
  const std::optional<Index> heads = at.run.task.heads;
  const Plan plan = plan_for(at, heads.value_or(2));
  const std::string text =
      fmt::format("predicted for {}{}", plan.str(), heads ? "" : " (if there are as many)");
  if (heads)
    if (const std::string excess = beyond_budget(at, plan); !excess.empty())
      throw BudgetError(text + "; " + excess);
  at.run.context.progress.announce(text);
}

// Phase 1.
CrudeWSum crude_w_sum(const Setting& at) {
  const std::int64_t used = std::min(at.searched, at.options.w_sum_examples);
  return at.run.recorder.phase("w_sum", used, [&](Phase& phase) {
    const auto estimate = at.options.w_sum == Route::paper ? gradient_step_w_sum : estimate_w_sum;
    CrudeWSum crude = estimate(at.run.source, used, at.run.context);
    phase.add("w_sum_norm", crude.estimate.norm());
    phase.add("explained", crude.explained);
    phase.add("explained_by_chance", crude.explained_by_chance);
    phase.estimates = {WSumEstimate{crude.estimate}};
    return crude;
  });
}

// With W_sum = 0 phase 2 has nothing to certify rows by, and fails before it reads an example.
void check_pattern_shows(const Setting& at, const CrudeWSum& crude) {
  if (!crude.indistinguishable_from_zero()) return;
  at.run.recorder.phase("hull", 0, [&](Phase& phase) {
    phase.rows_kept = 0;
    throw Failed{
        "hull",
        fmt::format(
            "phase 2 (hull) starves: W_sum = 0 within its sampling error (it explains a share of {:.2g} "
            "of the mean rows of Y, chance would explain {:.2g}), so X W_sum shows no attention "
            "pattern and not one row can be certified",
            crude.explained, crude.explained_by_chance)};
  });
}

// Phases 2 and 4 are the same, but for their names and routes.
struct HullPhase {
  std::string name;
  Route route;
};

void add_harvest(const Setting& at, const HullPhase& which, const Harvest& found, Phase& phase) {
  const auto kept = static_cast<std::int64_t>(found.rows.size());
  phase.rows_kept = kept;
  phase.add("rows_seen", static_cast<double>(found.rows_seen));
  phase.add("rows_eligible", static_cast<double>(found.rows_eligible));
  if (which.route == Route::paper) phase.add("linear_programmes", static_cast<double>(found.programmes));
  if (const std::int64_t needed = fewest_rows(at.run.d(), at.run.k()); kept < needed)
    throw InsufficientData{fmt::format("{} rows certified of {} seen, {} needed to determine the hull", kept,
                                       found.rows_seen, needed)};
  for (const auto& [label, share] : {std::pair{"score_min", 0.0}, {"score_median", 0.5}, {"score_max", 1.0}})
    phase.add(label, found.rows[static_cast<std::size_t>(share * static_cast<double>(kept - 1))].score);
}

HullEstimate hull(const Setting& at, const HullPhase& which, const Matrix& w_sum) {
  const SixPhasesOptions& options = at.options;
  const Run& run = at.run;
  const bool paper = which.route == Route::paper;
  return run.recorder.phase(which.name, at.searched, [&](Phase& phase) {
    const HarvestOptions harvest_options{
        .keep = rows_to_keep(run.d(), run.k(), options, which.route),
        .attention_floor = options.floor,
        .certificate = paper ? CertificateNorm::sup_norm : CertificateNorm::euclidean};
    const Harvest found =
        harvest({run.source, 0, at.searched}, w_sum, harvest_options, run.context, which.name);
    add_harvest(at, which, found, phase);
    const HullOptions hull_options{.heads = run.task.heads, .max_heads = options.max_heads};
    HullEstimate estimate =
        paper
            ? polytope_hull(found, hull_options, {.slack = options.slack, .seed = run.task.seed}, run.context)
            : estimate_hull(found, hull_options, run.context);
    phase.add("heads", static_cast<double>(estimate.hull.heads()));
    phase.add(paper ? "width_gap" : "eigenvalue_gap", estimate.gap);
    phase.add("residual", estimate.residual);
    phase.estimates = {estimate.hull};
    return estimate;
  });
}

// What phases 1 and 2 estimate, and phases 3 and 4 estimate again.
struct Estimates {
  Matrix w_sum;
  HullEstimate hull;
};

// Phase 3.
Matrix refined_w_sum(const Setting& at, const Estimates& known) {
  return at.run.recorder.phase("w_sum_refined", at.searched, [&](Phase& phase) {
    MarginOptions options{.share = at.options.margin_share, .kept_fraction = at.options.margin_kept};
    if (at.options.w_sum_refined == Route::paper) options.rounds = 1;
    MarginWSum refined = refine_w_sum({at.run.source, 0, at.searched}, known.hull.hull.offset, known.w_sum,
                                      options, at.run.context, "w_sum_refined");
    phase.rows_kept = refined.rows_kept;
    phase.add("least_margin", refined.least_margin);
    phase.add("residual", refined.residual);
    phase.add("residual_dropped", refined.residual_dropped);
    phase.estimates = {WSumEstimate{refined.estimate}};
    return std::move(refined.estimate);
  });
}

// Phases 3 and 4. Where margins are small (short Theta_i, few examples) the new W_sum can be worse than the
// old; the sharper eigenvalue gap tells which estimates to go on with.
Estimates refined(const Setting& at, Estimates known) {
  const SixPhasesOptions& options = at.options;
  Estimates again;
  again.w_sum = refined_w_sum(at, known);
  again.hull = hull(at, {"hull_refined", options.hull_refined}, again.w_sum);
  const bool better = again.hull.gap >= known.hull.gap || options.hull != options.hull_refined;
  at.run.recorder.report().phases.back().add("adopted", better ? 1 : 0);
  return better ? std::move(again) : std::move(known);
}

// Phase 5.
SearchSpace span(const Setting& at, const HullEstimate& known) {
  const SixPhasesOptions& options = at.options;
  return at.run.recorder.phase("span", 0, [&](Phase& phase) {
    SearchSpace space = options.span == Route::paper ? in_span(known.hull, options.net_radius)
                                                     : on_hull(known.hull, options.net_radius);
    phase.add("dimension", static_cast<double>(space.dimension()));
    phase.add("net_radius", space.radius);
    const Route last = options.rounds > 0 ? options.hull_refined : options.hull;
    const char* what = last == Route::paper ? "width" : "eigenvalue";
    for (std::size_t l = 0; l < std::min<std::size_t>(known.spectrum.size(), 8); ++l)
      phase.add(fmt::format("{}_{}", what, l + 1), known.spectrum[l]);
    return space;
  });
}

// What phase 6 hands on: its layer, and the held-back examples that it was judged by.
struct NetLayer {
  Layer layer;
  double holdout_error = 1;
  std::vector<Block> holdout;
};

// Where the number of heads is not stated, the hull names it, and the cost of their tuples is known only now.
void check_tuples(const Setting& at, Index heads) {
  if (at.options.net != Route::paper || at.run.task.heads) return;
  const Plan plan = plan_for(at, heads);
  at.run.context.progress.announce("predicted for " + plan.str());
  if (const std::string excess = beyond_budget(at, plan); !excess.empty())
    throw Failed{"net", fmt::format("the hull names {} heads: {}", heads, excess)};
}

NetResult heads_on_net(const Setting& at, const std::vector<Block>& blocks, const SearchSpace& space,
                       double gap) {
  const std::int64_t points = net_points_wanted(at.options);
  if (at.options.net == Route::paper) return exhaustive_search(blocks, space, points, at.run.context);
  // A hull that misses the heads is not worth restarts.
  const NetOptions options{.points = points, .restarts = gap < doubtful_gap ? 0 : at.options.net_restarts};
  const Stream stream(Domain::learner, at.run.task.seed, "six phases");
  return search_net(blocks, space, options, stream, at.run.context);
}

// Phase 6.
NetLayer net(const Setting& at, const SearchSpace& space, double gap) {
  const Run& run = at.run;
  const std::int64_t used = std::min(at.searched, at.options.net_examples);
  return run.recorder.phase("net", used, [&](Phase& phase) {
    check_tuples(at, space.heads);
    const std::vector<Block> blocks = read_blocks(run.source, 0, used, run.context);
    NetResult found = heads_on_net(at, blocks, space, gap);
    NetLayer out;
    out.holdout = read_blocks(run.source, at.searched, at.held_back, run.context);
    Report& report = run.recorder.report();
    report.examples_used += at.held_back;
    report.layer = found.layer;
    out.holdout_error = relative_error(out.holdout, found.layer);
    phase.add("net_points", static_cast<double>(found.points));
    phase.add("tuples", static_cast<double>(found.tuples));
    phase.add("starts", found.starts);
    phase.add("net_error", found.net_error);
    phase.add("fit_error", found.error);
    phase.add("holdout_error", out.holdout_error);
    phase.estimates = {found.layer};
    out.layer = std::move(found.layer);
    return out;
  });
}

// Not in the paper: Gauss-Newton from the layer of the net. Its best layer goes into the report, whatever
// ends it.
void polish(const Setting& at, const NetLayer& start) {
  const Run& run = at.run;
  const std::int64_t used =
      std::min(at.searched, examples_for(run.d(), run.k(), start.layer.m(), polish_oversampling));
  std::vector<Block> training;
  std::optional<GaussNewton> fit;
  run.recorder.phase(
      "polish", used,
      [&](Phase&) {
        training = read_blocks(run.source, 0, used, run.context);
        fit.emplace(training, start.holdout, start.layer, GaussNewtonOptions{});
        fit->minimise(run.context, "polish");
      },
      [&](Phase& phase) {
        if (!fit) return;
        const GaussNewtonResult& found = fit->result();
        run.recorder.report().layer = found.layer;
        phase.add("starts", 1);
        phase.add("iterations", found.iterations);
        phase.add("inner_steps", found.inner_steps);
        phase.add("training_error", found.training_error);
        phase.add("holdout_error", found.holdout_error);
        phase.estimates = {found.layer};
      });
}

// On examples nothing has read so far. A failure is put down to the first phase whose own evidence is
// doubtful.
void self_check(const Setting& at, const HullEstimate& hull, double net_error) {
  const Run& run = at.run;
  Report& report = run.recorder.report();
  const double error = run.recorder.phase("self_check", at.held_back, [&](Phase& phase) {
    const double fresh = relative_error(
        read_blocks(run.source, at.searched + at.held_back, at.held_back, run.context), *report.layer);
    report.examples_used += at.held_back;
    phase.add("error", fresh);
    return fresh;
  });
  const Index heads = hull.hull.heads();
  if (error <= self_check_limit) {
    report.message = fmt::format("{} heads (gap {:.3g}), error {:.2g} on fresh examples", report.layer->m(),
                                 hull.gap, error);
    return;
  }
  if (hull.gap < doubtful_gap)
    throw Failed{"hull",
                 fmt::format("the gap after {} heads is only {:.2f}: the certified rows do not single out a "
                             "hull (error {:.2g} on fresh examples)",
                             heads, hull.gap, error)};
  if (net_error > doubtful_net_error)
    throw Failed{
        "net",
        fmt::format("the best {} points of the net leave an error of {:.2g}, and the polish ends at {:.2g}",
                    heads, net_error, error)};
  throw Failed{"polish", fmt::format("Gauss-Newton ends at an error of {:.2g} on fresh examples", error)};
}

class SixPhases final : public Learner {
 public:
  explicit SixPhases(const SixPhasesOptions& options) : options_(options) {}

  void run(const Run& run) const override {
    const Setting at = setting_of(run, options_);
    announce_plan(at);
    CrudeWSum crude = crude_w_sum(at);
    check_pattern_shows(at, crude);
    HullEstimate first = hull(at, {"hull", options_.hull}, crude.estimate);
    Estimates known{std::move(crude.estimate), std::move(first)};
    for (std::int64_t round = 0; round < options_.rounds; ++round) known = refined(at, std::move(known));
    const SearchSpace space = span(at, known.hull);
    const NetLayer found = net(at, space, known.hull.gap);
    polish(at, found);
    self_check(at, known.hull, found.holdout_error);
  }

  std::int64_t default_examples(ExampleShape shape, const Task&) const override {
    return std::min<std::int64_t>(1'000'000, 25'000 * shape.d);
  }

  double predicted_bytes(ExampleShape shape, const Task& task) const override {
    return make_plan(shape.d, shape.k, task.heads.value_or(2), *task.examples, options_).bytes;
  }

  std::optional<double> predicted_seconds(ExampleShape shape, Index m, const Task& task) const override {
    return make_plan(shape.d, shape.k, task.heads.value_or(m), *task.examples, options_).seconds();
  }

 private:
  SixPhasesOptions options_;
};

}  // namespace

const Method sculpt_method = method_of<SixPhases>(
    "sculpt", "the six phases by the spectral route, then a Gauss-Newton polish",
    "phases 1-6 follow the algorithm that Chen and Li prove correct; the spectral hull, the greedy net "
    "search and the polish in it are heuristics",
    six_phases_table(Route::practical));

const Method paper_method = method_of<SixPhases>(
    "paper",
    "the six phases by the paper's route: linear programmes, all tuples of a net; then the same polish",
    "the algorithm that Chen and Li prove correct, with constants chosen by hand: the proof's are out of "
    "reach, so the guarantee does not carry over",
    six_phases_table(Route::paper));

}  // namespace hardhead::learner
