#include "learner/six_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "learner/blocks.h"
#include "learner/fitting.h"
#include "learner/gauss_newton.h"
#include "learner/harvest.h"
#include "learner/hull.h"
#include "learner/linear_w.h"
#include "learner/margins.h"
#include "learner/net.h"
#include "learner/plan.h"
#include "learner/polytope.h"
#include "learner/six_phases_options.h"
#include "learner/tuples.h"
#include "learner/w_sum.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Held-back error above which the finished run is a failure, and what the last doubtful phase showed.
constexpr double self_check_limit = 1e-6;
constexpr double doubtful_gap = 3;
constexpr double doubtful_net_error = 0.1;

class SixPhases {
 public:
  SixPhases(const SampleSource& source, const Task& task, const Parameters& options,
            const RunControl& control, Observer* observer)
      : source_(source),
        task_(task),
        options_(options),
        control_(control),
        observer_(observer),
        stream_(Domain::learner, task.seed, "six phases") {
    // The last examples are held back, half to choose by and half for the self-check.
    const std::int64_t total = *task.examples;
    held_back_ = std::max<std::int64_t>(1, stream_split(total).held_back / 2);
    searched_ = total - 2 * held_back_;
    harvest_options_.attention_floor = options.real("floor");
    hull_options_.heads = task.heads;
    hull_options_.max_heads = options.integer("max_heads");
    margin_options_.share = options.real("margin_share");
    margin_options_.kept_fraction = options.real("margin_kept");
    if (paper("w_sum_refined")) margin_options_.rounds = 1;
    net_options_.points = net_points_wanted(options);
    net_options_.restarts = static_cast<int>(options.integer("net_restarts"));
  }

  Report run() {
    try {
      phases();
    } catch (const Stopped& stopped) {
      report_.ending = Ending::stopped;
      report_.message = stopped.reason;
    }
    return std::move(report_);
  }

 private:
  bool paper(std::string_view phase) const { return options_.choice(phase) == "paper"; }

  void phases() {
    state_plan();
    if (!crude_w_sum() || !hull("hull")) return;
    for (std::int64_t round = 0; round < options_.integer("rounds"); ++round)
      if (!refine()) return;
    span();
    if (!net()) return;
    polish();
    self_check();
  }

  // The paper's linear programmes and tuples can cost anything: their price is told before the work, and
  // refused beyond the budget.
  void state_plan() {
    if (!paper("hull") && !paper("hull_refined") && !paper("net")) return;
    const Plan plan = planned(task_.heads.value_or(2));
    const std::string text =
        fmt::format("predicted for {}{}", plan.str(), task_.heads ? "" : " (if there are as many)");
    if (task_.heads)
      if (const std::string excess = beyond_budget(plan); !excess.empty())
        throw BudgetError(text + "; " + excess);
    control_.announce(text);
  }
  Plan planned(Index heads) const { return make_plan(source_.d(), source_.k(), heads, searched_, options_); }
  // Says which limit the paper's parts exceed; empty if none.
  std::string beyond_budget(const Plan& plan) const {
    if (const auto most = static_cast<double>(options_.integer("tuples")); plan.tuples > most)
      return fmt::format("{:.3g} tuples of heads are more than the option tuples={:.3g}", plan.tuples, most);
    const double limit = task_.time_limit_seconds.value_or(INFINITY);
    const double seconds = plan.certificate_seconds + plan.hull_seconds + plan.tuple_seconds;
    if (seconds > limit) return fmt::format("{:.2g} s are more than --time-limit {:.3g}", seconds, limit);
    return "";
  }

  // Opens the entry of the phase that starts now, which reads examples 0 .. examples - 1; its clock runs
  // until close().
  Phase& open(std::string name, std::int64_t examples) {
    control_.check();
    report_.examples_used = std::max(report_.examples_used, examples);
    report_.phases.push_back({.name = std::move(name), .examples = examples});
    watch_ = Stopwatch();
    return report_.phases.back();
  }
  // Ends the phase's clock; what the observer then does is not counted.
  std::size_t close() {
    report_.phases.back().seconds = watch_.seconds();
    return report_.phases.size() - 1;
  }
  void fail(std::string phase, std::string message) {
    report_.ending = Ending::failed;
    report_.failed_phase = std::move(phase);
    report_.message = std::move(message);
  }

  // Ends the open phase and the run; false, for the phase to return.
  bool starve(const std::string& phase, const std::string& what) {
    close();
    fail(phase, fmt::format("phase {} starves: {}", phase, what));
    return false;
  }

  bool crude_w_sum() {
    const std::int64_t used = std::min<std::int64_t>(searched_, options_.integer("w_sum_examples"));
    Phase& phase = open("w_sum", used);
    const CrudeWSum crude = paper("w_sum") ? gradient_step_w_sum(source_, used, control_)
                                           : estimate_w_sum(source_, used, control_);
    w_sum_ = crude.estimate;
    phase.add("w_sum_norm", w_sum_.norm());
    phase.add("explained", crude.explained);
    phase.add("explained_by_chance", crude.explained_by_chance);
    const std::size_t at = close();
    if (observer_ != nullptr) observer_->w_sum(at, w_sum_);
    if (!crude.indistinguishable_from_zero()) return true;
    open("hull", 0).rows_kept = 0;
    close();
    fail("hull",
         fmt::format(
             "phase 2 (hull) starves: W_sum = 0 within its sampling error (it explains a share of {:.2g} "
             "of the mean rows of Y, chance would explain {:.2g}), so X W_sum shows no attention "
             "pattern and not one row can be certified",
             crude.explained, crude.explained_by_chance));
    return false;
  }

  bool hull(const std::string& name) {
    Phase& phase = open(name, searched_);
    harvest_options_.keep = rows_to_keep(source_.d(), source_.k(), options_, name.c_str());
    harvest_options_.certificate = paper(name) ? Certificate::sup_norm : Certificate::euclidean;
    Harvest found;
    try {
      found = harvest(source_, 0, searched_, w_sum_, harvest_options_, control_, name);
    } catch (const Starved& starved) {
      return starve(name, starved.message);
    }
    const auto kept = static_cast<std::int64_t>(found.rows.size());
    phase.rows_kept = kept;
    phase.add("rows_seen", static_cast<double>(found.rows_seen));
    phase.add("rows_eligible", static_cast<double>(found.rows_eligible));
    if (paper(name)) phase.add("linear_programmes", static_cast<double>(found.programmes));
    const std::int64_t needed = fewest_rows(source_.d(), source_.k());
    if (kept < needed)
      return starve(name, fmt::format("{} rows certified of {} seen, {} needed to determine the hull", kept,
                                      found.rows_seen, needed));
    for (const auto& [label, at] : {std::pair{"score_min", 0.0}, {"score_median", 0.5}, {"score_max", 1.0}})
      phase.add(label, found.rows[static_cast<std::size_t>(at * static_cast<double>(kept - 1))].score);
    try {
      hull_ = paper(name) ? polytope_hull(found, hull_options_, {.slack = options_.real("slack")}, control_)
                          : estimate_hull(found, hull_options_, control_);
    } catch (const Starved& starved) {
      return starve(name, starved.message);
    }
    phase.add("heads", static_cast<double>(hull_.hull.heads()));
    phase.add(paper(name) ? "width_gap" : "eigenvalue_gap", hull_.gap);
    phase.add("residual", hull_.residual);
    const std::size_t at = close();
    if (observer_ != nullptr) observer_->hull(at, hull_.hull);
    return true;
  }

  // Phases 3 and 4. Where margins are small (short Theta_i, few examples) the new W_sum can be worse than the
  // old; the sharper eigenvalue gap tells which hull to go on with.
  bool refine() {
    const HullEstimate before = hull_;
    const Matrix w_sum_before = w_sum_;
    refined_w_sum();
    if (!hull("hull_refined")) return false;
    const bool better = hull_.gap >= before.gap || paper("hull") != paper("hull_refined");
    report_.phases.back().add("adopted", better ? 1 : 0);
    if (!better) hull_ = before, w_sum_ = w_sum_before;
    return true;
  }

  void refined_w_sum() {
    Phase& phase = open("w_sum_refined", searched_);
    const MarginWSum refined = refine_w_sum(source_, 0, searched_, hull_.hull.offset, w_sum_, margin_options_,
                                            control_, "w_sum_refined");
    w_sum_ = refined.estimate;
    phase.rows_kept = refined.rows_kept;
    phase.add("least_margin", refined.least_margin);
    phase.add("residual", refined.residual);
    phase.add("residual_dropped", refined.residual_dropped);
    const std::size_t at = close();
    if (observer_ != nullptr) observer_->w_sum(at, w_sum_);
  }

  // Practical: the heads lie on the hull, m - 1 coordinates each. Paper: in the span, m coordinates each.
  void span() {
    Phase& phase = open("span", 0);
    const bool paper_route = paper("span");
    flat_ = paper_route ? linear_span(hull_.hull) : hull_.hull;
    const double radius = net_radius(hull_.hull, options_.real("net_radius"));
    net_radius_ = paper_route ? std::hypot(radius, hull_.hull.offset.norm()) : radius;
    phase.add("dimension", static_cast<double>(flat_.directions.size()));
    phase.add("net_radius", net_radius_);
    const std::string name =
        paper(options_.integer("rounds") > 0 ? "hull_refined" : "hull") ? "width" : "eigenvalue";
    for (std::size_t l = 0; l < std::min<std::size_t>(hull_.spectrum.size(), 8); ++l)
      phase.add(fmt::format("{}_{}", name, l + 1), hull_.spectrum[l]);
    close();
  }

  bool net() {
    const std::int64_t used = std::min<std::int64_t>(searched_, options_.integer("net_examples"));
    const Index heads = hull_.hull.heads();
    Phase& phase = open("net", used);
    if (paper("net") && !task_.heads) {
      const Plan plan = planned(heads);
      control_.announce("predicted for " + plan.str());
      if (const std::string excess = beyond_budget(plan); !excess.empty()) {
        close();
        fail("net", fmt::format("the hull names {} heads: {}", heads, excess));
        return false;
      }
    }
    const std::vector<Block> blocks = read_blocks(source_, 0, used, control_);
    if (hull_.gap < doubtful_gap)
      net_options_.restarts = 0;  // a hull that misses the heads is not worth them
    const NetResult found =
        paper("net") ? search_tuples(blocks, flat_, heads, net_radius_, net_options_.points, control_)
                     : search_net(blocks, flat_, heads, net_radius_, net_options_, stream_, control_);
    holdout_ = read_blocks(source_, searched_, held_back_, control_);
    report_.examples_used += held_back_;
    report_.layer = found.layer;
    net_error_ = relative_error(holdout_, found.layer);
    phase.add("net_points", static_cast<double>(found.points));
    phase.add("tuples", static_cast<double>(found.tuples));
    phase.add("starts", found.starts);
    phase.add("net_error", found.net_error);
    phase.add("fit_error", found.error);
    phase.add("holdout_error", net_error_);
    observe_layer(close());
    return true;
  }

  void polish() {
    const std::int64_t used =
        std::min(searched_, examples_for(source_.d(), source_.k(), hull_.hull.heads(), polish_oversampling));
    Phase& phase = open("polish", used);
    const GaussNewtonResult found = gauss_newton(read_blocks(source_, 0, used, control_), holdout_,
                                                 *report_.layer, {}, control_, "polish");
    report_.layer = found.layer;
    phase.add("starts", 1);
    phase.add("iterations", found.iterations);
    phase.add("inner_steps", found.inner_steps);
    phase.add("training_error", found.training_error);
    phase.add("holdout_error", found.holdout_error);
    observe_layer(close());
  }

  void observe_layer(std::size_t at) {
    if (observer_ != nullptr) observer_->layer(at, *report_.layer);
  }

  // On examples nothing has read so far. A failure is put down to the first phase whose own evidence is
  // doubtful.
  void self_check() {
    Phase& phase = open("self_check", held_back_);
    const double error =
        relative_error(read_blocks(source_, searched_ + held_back_, held_back_, control_), *report_.layer);
    report_.examples_used += held_back_;
    phase.add("error", error);
    close();
    if (error <= self_check_limit) {
      report_.message = fmt::format("{} heads (gap {:.3g}), error {:.2g} on fresh examples",
                                    report_.layer->m(), hull_.gap, error);
    } else if (hull_.gap < doubtful_gap) {
      fail("hull",
           fmt::format("the gap after {} heads is only {:.2f}: the certified rows do not single out a "
                       "hull (error {:.2g} on fresh examples)",
                       hull_.hull.heads(), hull_.gap, error));
    } else if (net_error_ > doubtful_net_error) {
      fail("net", fmt::format(
                      "the best {} points of the net leave an error of {:.2g}, and the polish ends at {:.2g}",
                      hull_.hull.heads(), net_error_, error));
    } else {
      fail("polish", fmt::format("Gauss-Newton ends at an error of {:.2g} on fresh examples", error));
    }
  }

  const SampleSource& source_;
  const Task& task_;
  const Parameters& options_;
  const RunControl& control_;
  Observer* observer_;
  Stream stream_;
  std::int64_t held_back_ = 0, searched_ = 0;
  HarvestOptions harvest_options_;
  HullOptions hull_options_;
  MarginOptions margin_options_;
  NetOptions net_options_;

  Report report_;
  Stopwatch watch_;
  Matrix w_sum_;
  HullEstimate hull_;
  AffineHull flat_;
  double net_radius_ = 0, net_error_ = 1;
  std::vector<Block> holdout_;
};

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  return SixPhases(source, task, options, control, observer).run();
}

std::int64_t default_examples(Index d, Index, const Task&, const Parameters&) {
  return std::min<std::int64_t>(1'000'000, 25'000 * d);
}

double predicted_bytes(Index d, Index k, const Task& task, const Parameters& options) {
  return make_plan(d, k, task.heads.value_or(2), *task.examples, options).bytes;
}

std::optional<double> predicted_seconds(Index d, Index k, Index m, const Task& task,
                                        const Parameters& options) {
  return make_plan(d, k, task.heads.value_or(m), *task.examples, options).seconds();
}

}  // namespace

const Method sculpt_method{
    "sculpt",
    "the six phases by the spectral route, then a Gauss-Newton polish",
    "phases 1-6 follow the algorithm that Chen and Li prove correct; the spectral hull, the greedy net "
    "search and the polish in it are heuristics",
    six_phases_options("practical"),
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

const Method paper_method{
    "paper",
    "the six phases by the paper's route: linear programmes, all tuples of a net; then the same polish",
    "the algorithm that Chen and Li prove correct, with constants chosen by hand: the proof's are out of "
    "reach, so the guarantee does not carry over",
    six_phases_options("paper"),
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
