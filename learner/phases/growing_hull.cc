#include "learner/phases/growing_hull.h"

#include <fmt/format.h>

#include <algorithm>

#include "learner/phases/margins.h"
#include "learner/phases/plan.h"
#include "learner/phases/polytope.h"
#include "learner/phases/w_sum.h"

namespace hardhead::learner {
namespace {

// Relative change of W_sum up to which rows that were certified by the old one serve the new one.
constexpr double settled = 0.02;

// Why phase 1 found nothing that phase 2 could certify rows by. A gradient step that goes too far says more
// than that W_sum = 0: with enough examples it cannot where E[x x^T] = I.
std::string nothing_to_certify_by(const CrudeWSum& crude) {
  constexpr double enough = 0.1;  // examples for the eigenvalues of the moment to be below 2
  if (crude.explained < 0 && crude.explained_by_chance < enough)
    return fmt::format(
        "phase 1 (w_sum) takes a step for inputs with E[x x^T] = I, and these have another moment: its W_sum "
        "explains a share of {:.2g} of the mean rows of Y; the option w_sum=practical divides by the moment",
        crude.explained);
  return fmt::format(
      "phase 2 (hull) starves: W_sum = 0 within its sampling error (it explains a share of {:.2g} of the "
      "mean rows of Y, chance would explain {:.2g}), so X W_sum shows no attention pattern and not one row "
      "can be certified",
      crude.explained, crude.explained_by_chance);
}

// Phase 2 then fails before it reads an example.
void check_pattern_shows(const Run& run, const CrudeWSum& crude, const std::string& name) {
  if (!crude.indistinguishable_from_zero()) return;
  run.recorder.phase(name, 0, [&](Phase& phase) {
    phase.rows_kept = 0;
    throw Failed{nothing_to_certify_by(crude), name};
  });
}

void add_harvest(const Run& run, const Harvest& found, Phase& phase) {
  const auto kept = static_cast<std::int64_t>(found.rows.size());
  phase.rows_kept = kept;
  phase.add("rows_seen", static_cast<double>(found.rows_seen));
  if (found.programmes > 0) phase.add("linear_programmes", static_cast<double>(found.programmes));
  if (const std::int64_t needed = fewest_rows(run.d(), run.k()); kept < needed)
    throw InsufficientData{fmt::format("{} rows certified of {} seen, {} needed to determine the hull", kept,
                                       found.rows_seen, needed)};
  for (const auto& [label, share] : {std::pair{"score_min", 0.0}, {"score_median", 0.5}, {"score_max", 1.0}})
    phase.add(label, found.rows[static_cast<std::size_t>(share * static_cast<double>(kept - 1))].score);
}

void add_hull(const HullEstimate& estimate, const char* gap, Phase& phase) {
  phase.add("heads", static_cast<double>(estimate.hull.heads()));
  phase.add(gap, estimate.gap);
  phase.add("residual", estimate.residual);
  phase.estimates = {estimate.hull};
}

}  // namespace

std::string numbered_phase(const char* phase, int look) {
  return look == 1 ? phase : fmt::format("{}_{}", phase, look);
}

bool GrowingHull::grows(const SixPhasesOptions& options) {
  return options.hull == Route::practical &&
         (options.rounds == 0 || options.hull_refined == Route::practical);
}

void GrowingHull::begin(std::int64_t count) {
  ++look_;
  count_ = count;
  known_.reset();
  first_estimates();
}

// Phases 1 to 4.
void GrowingHull::first_estimates() {
  Estimates first = hull("hull", options_.hull, crude_w_sum());
  known_ = std::move(first);
  for (std::int64_t round = 0; round < options_.rounds; ++round)
    adopt_if_sharper(hull("hull_refined", options_.hull_refined, refined_w_sum()));
}

void GrowingHull::carry_on(std::int64_t count) {
  ++look_;
  count_ = count;
  carry_harvest_on();
}

void GrowingHull::refine(std::int64_t count) {
  ++look_;
  count_ = count;
  // A hull that the rows do not single out is a bad proxy, and what rests on it is no better: phases 3 and 4
  // do not find out of it.
  if (known_->hull.gap < doubtful_gap) return first_estimates();
  if (options_.rounds > 0) {
    Matrix w_sum = refined_w_sum();
    if ((w_sum - known_->w_sum).norm() > settled * known_->w_sum.norm())
      adopt_if_sharper(hull("hull_refined", options_.hull_refined, std::move(w_sum)));
  }
  if (known_->harvest->seen() < count_) carry_harvest_on();
}

// Phase 1.
Matrix GrowingHull::crude_w_sum() {
  const std::int64_t used = std::min(count_, options_.w_sum_examples);
  CrudeWSum crude = run_.recorder.phase(named("w_sum"), used, [&](Phase& phase) {
    const auto estimate = options_.w_sum == Route::paper ? gradient_step_w_sum : estimate_w_sum;
    CrudeWSum out = estimate(run_.source, used, run_.context);
    phase.add("w_sum_norm", out.estimate.norm());
    phase.add("explained", out.explained);
    phase.add("explained_by_chance", out.explained_by_chance);
    phase.estimates = {WSumEstimate{out.estimate}};
    return out;
  });
  check_pattern_shows(run_, crude, named("hull"));
  return std::move(crude.estimate);
}

// Phases 2 and 4, which differ in name and route alone.
GrowingHull::Estimates GrowingHull::hull(const char* name, Route route, Matrix w_sum) {
  const bool paper = route == Route::paper;
  return run_.recorder.phase(named(name), count_, [&](Phase& phase) {
    const HarvestOptions options{
        .keep = rows_to_keep(run_.d(), run_.k(), options_, route),
        .attention_floor = options_.floor,
        .certificate = paper ? CertificateNorm::sup_norm : CertificateNorm::euclidean};
    if (paper) {
      const Harvest found = harvest({run_.source, 0, count_}, w_sum, options, run_.context, name);
      add_harvest(run_, found, phase);
      HullEstimate estimate = polytope_hull(
          found, {run_.task.heads, options_.max_heads, options_.slack, run_.task.seed}, run_.context);
      add_hull(estimate, "width_gap", phase);
      return Estimates{std::move(w_sum), std::move(estimate)};
    }
    GrowingHarvest rows({run_.source, 0, 0}, w_sum, options);
    rows.read(count_, run_.context, name);
    HullEstimate estimate = spectral_hull(phase, rows.harvest(run_.context));
    return Estimates{std::move(w_sum), std::move(estimate), std::move(rows)};
  });
}

HullEstimate GrowingHull::spectral_hull(Phase& phase, const Harvest& found) const {
  add_harvest(run_, found, phase);
  HullEstimate estimate =
      estimate_hull(found, {.heads = run_.task.heads, .max_heads = options_.max_heads}, run_.context);
  add_hull(estimate, "eigenvalue_gap", phase);
  return estimate;
}

// Phase 3.
Matrix GrowingHull::refined_w_sum() {
  return run_.recorder.phase(named("w_sum_refined"), count_, [&](Phase& phase) {
    MarginOptions options{.share = options_.margin_share, .kept_fraction = options_.margin_kept};
    if (options_.w_sum_refined == Route::paper) options.rounds = 1;
    MarginWSum refined = refine_w_sum({run_.source, 0, count_}, known_->hull.hull.offset, known_->w_sum,
                                      options, run_.context, "w_sum_refined");
    phase.rows_kept = refined.rows_kept;
    phase.add("least_margin", refined.least_margin);
    phase.add("residual", refined.residual);
    phase.add("residual_dropped", refined.residual_dropped);
    phase.estimates = {WSumEstimate{refined.estimate}};
    return std::move(refined.estimate);
  });
}

// Where margins are small (short Theta_i, few examples) the new W_sum can be worse than the old; the sharper
// eigenvalue gap tells which estimates to go on with.
void GrowingHull::adopt_if_sharper(Estimates again) {
  const bool better = again.hull.gap >= known_->hull.gap || options_.hull != options_.hull_refined;
  run_.recorder.report().phases.back().add("adopted", better ? 1 : 0);
  if (better) known_ = std::move(again);
}

void GrowingHull::carry_harvest_on() {
  run_.recorder.phase(named("hull_carried"), count_, [&](Phase& phase) {
    GrowingHarvest& rows = *known_->harvest;
    rows.read(count_ - rows.seen(), run_.context, "hull_carried");
    known_->hull = spectral_hull(phase, rows.harvest(run_.context));
  });
}

}  // namespace hardhead::learner
