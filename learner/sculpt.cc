#include "learner/sculpt.h"

#include <fmt/format.h>

#include <algorithm>

#include "learner/blocks.h"
#include "learner/gauss_newton.h"
#include "learner/harvest.h"
#include "learner/hull.h"
#include "learner/linear_w.h"
#include "learner/margins.h"
#include "learner/net.h"
#include "learner/w_sum.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Held-back error above which the finished run is a failure, and what the last doubtful phase showed.
constexpr double self_check_limit = 1e-6;
constexpr double doubtful_gap = 3;
constexpr double doubtful_net_error = 0.1;

std::int64_t rows_to_keep(Index d, Index k, const Parameters& options) {
  if (options.integer("rows") > 0) return options.integer("rows");
  return std::max<std::int64_t>(2000, 8 * fewest_rows(d, k));
}

class Sculpt {
 public:
  Sculpt(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
         Observer* observer)
      : source_(source), options_(options), control_(control), observer_(observer) {
    total_ = *task.examples;
    held_back_ = std::min<std::int64_t>(2000, total_ / 10);
    searched_ = total_ - held_back_;
    harvest_options_.keep = rows_to_keep(source.d(), source.k(), options);
    harvest_options_.attention_floor = options.real("floor");
    hull_options_.heads = task.heads;
    hull_options_.max_heads = options.integer("max_heads");
    margin_options_.share = options.real("margin_share");
    margin_options_.kept_fraction = options.real("margin_kept");
    net_options_.points = options.integer("net_points");
    net_options_.radius = options.real("net_radius");
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
  void phases() {
    if (!crude_w_sum() || !hull("hull")) return;
    for (std::int64_t round = 0; round < options_.integer("rounds"); ++round)
      if (!refine()) return;
    span();
    net();
    polish();
    judge();
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

  bool crude_w_sum() {
    const std::int64_t used = std::min<std::int64_t>(searched_, options_.integer("w_sum_examples"));
    Phase& phase = open("w_sum", used);
    const CrudeWSum crude = estimate_w_sum(source_, used, control_);
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
    const Harvest found = harvest(source_, 0, searched_, w_sum_, harvest_options_, control_, name);
    const auto kept = static_cast<std::int64_t>(found.rows.size());
    phase.rows_kept = kept;
    phase.add("rows_seen", static_cast<double>(found.rows_seen));
    phase.add("rows_eligible", static_cast<double>(found.rows_eligible));
    const std::int64_t needed = fewest_rows(source_.d(), source_.k());
    if (kept < needed) {
      close();
      fail(name,
           fmt::format("phase {} starves: {} rows certified of {} seen, {} needed to determine the hull",
                       name, kept, found.rows_seen, needed));
      return false;
    }
    for (const auto& [label, at] : {std::pair{"score_min", 0.0}, {"score_median", 0.5}, {"score_max", 1.0}})
      phase.add(label, found.rows[static_cast<std::size_t>(at * static_cast<double>(kept - 1))].score);
    hull_ = estimate_hull(found, hull_options_, control_);
    phase.add("heads", static_cast<double>(hull_.hull.heads()));
    phase.add("eigenvalue_gap", hull_.gap);
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
    const bool better = hull_.gap >= before.gap;
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

  // The hull's offset and directions are the span already; the phase states its dimension and evidence.
  void span() {
    Phase& phase = open("span", 0);
    phase.add("dimension", static_cast<double>(hull_.hull.heads()));
    for (std::size_t l = 0; l < std::min<std::size_t>(hull_.eigenvalues.size(), 8); ++l)
      phase.add(fmt::format("eigenvalue_{}", l + 1), hull_.eigenvalues[l]);
    close();
  }

  void net() {
    const std::int64_t used = std::min<std::int64_t>(searched_, options_.integer("net_examples"));
    Phase& phase = open("net", used);
    const NetResult found =
        search_net(read_blocks(source_, 0, used, control_), hull_.hull, net_options_, control_);
    holdout_ = read_blocks(source_, searched_, held_back_, control_);
    report_.examples_used += held_back_;
    report_.layer = found.layer;
    net_error_ = relative_error(holdout_, found.layer);
    phase.add("net_points", static_cast<double>(found.points));
    phase.add("evaluations", static_cast<double>(found.evaluations));
    phase.add("net_error", found.net_error);
    phase.add("fit_error", found.error);
    phase.add("holdout_error", net_error_);
    observe_layer(close());
  }

  void polish() {
    const Index m = hull_.hull.heads();
    const std::int64_t wanted =
        std::max<std::int64_t>(2000, 20 * counting_bound(source_.d(), source_.k(), m));
    const std::int64_t used = std::min(searched_, wanted);
    Phase& phase = open("polish", used);
    const GaussNewtonResult found = gauss_newton(read_blocks(source_, 0, used, control_), holdout_,
                                                 *report_.layer, {}, control_, "polish");
    report_.layer = found.layer;
    polish_error_ = found.holdout_error;
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

  // A self-check on held-back rows; a failure is put down to the first phase whose own evidence is doubtful.
  void judge() {
    if (polish_error_ <= self_check_limit) {
      report_.message = fmt::format("{} heads, held-back error {:.2g}", report_.layer->m(), polish_error_);
    } else if (hull_.gap < doubtful_gap) {
      fail("hull", fmt::format("the eigenvalue gap after {} heads is only {:.2f}: the certified rows do "
                               "not single out a hull (held-back error {:.2g})",
                               hull_.hull.heads(), hull_.gap, polish_error_));
    } else if (net_error_ > doubtful_net_error) {
      fail("net",
           fmt::format("the best {} points of the hull leave a held-back error of {:.2g}, and the polish "
                       "ends at {:.2g}",
                       hull_.hull.heads(), net_error_, polish_error_));
    } else {
      fail("polish", fmt::format("Gauss-Newton ends at a held-back error of {:.2g}", polish_error_));
    }
  }

  const SampleSource& source_;
  const Parameters& options_;
  const RunControl& control_;
  Observer* observer_;
  std::int64_t total_, held_back_, searched_;
  HarvestOptions harvest_options_;
  HullOptions hull_options_;
  MarginOptions margin_options_;
  NetOptions net_options_;

  Report report_;
  Stopwatch watch_;
  Matrix w_sum_;
  HullEstimate hull_;
  std::vector<Block> holdout_;
  double net_error_ = 1, polish_error_ = 1;
};

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  return Sculpt(source, task, options, control, observer).run();
}

std::int64_t default_examples(Index d, Index) {
  return std::min<std::int64_t>(1'000'000, 25'000 * d);
}

// The equations of the hull and their second moment dominate.
double predicted_bytes(Index d, Index k, const Task&, const Parameters& options) {
  const double size = static_cast<double>(d * d + 1);
  const auto rows = static_cast<double>(rows_to_keep(d, k, options));
  return 8 * (rows * static_cast<double>(k) * size + 4 * size * size);
}

}  // namespace

const Method sculpt_method{
    "sculpt",
    "the six phases by the spectral route, then a Gauss-Newton polish",
    "phases 1-6 follow the algorithm that Chen and Li prove correct; the spectral hull, the greedy net "
    "search and the polish in it are heuristics",
    {Parameter::integer("rows", 0, 0, 1e9, "certified rows kept; 0: max(2000, 8 d^2 / (k-1))"),
     Parameter::real("floor", 0.03, 1e-6, 0.5, "rows with an attention weight below it are not used"),
     Parameter::integer("w_sum_examples", 50'000, 1, 1e12, "examples of phase 1"),
     Parameter::real("margin_share", 0.003, 1e-9, 1,
                     "share of rows, of largest margin, looked at in phase 3"),
     Parameter::real("margin_kept", 0.25, 1e-3, 1, "share of those kept (at least 3 d rows)"),
     Parameter::integer("rounds", 1, 0, 1000, "repetitions of phases 3 and 4"),
     Parameter::integer("max_heads", 8, 1, 64, "largest number of heads the gap may name"),
     Parameter::integer("net_examples", 1024, 1, 1e9, "examples of phase 6"),
     Parameter::integer("net_points", 1500, 1, 1e7, "points of the net in phase 6, at most"),
     Parameter::real("net_radius", 2, 0.1, 100, "radius of the net, in expected distances of a head")},
    default_examples,
    predicted_bytes,
    run};

}  // namespace hardhead::learner
