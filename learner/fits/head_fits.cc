#include "learner/fits/head_fits.h"

#include <algorithm>
#include <cmath>

#include "learner/fits/head_signs.h"

namespace hardhead::learner {
namespace {

// A fit overfits if its error on held-back examples is so many times that on fitted ones.
constexpr double most_overfit = 2;
// Relative error at which heads that can be spared are plain to see. From there on they only make a fit
// singular, and slow.
constexpr double close_fit = 1e-4;
// The same of ranks, where the smallest singular values that heads have may not be told from 0 at first; and
// the largest one that a fit adds to those of a head, over the largest of the head and the root of the error.
constexpr double close_fits_in_factors[] = {1e-5, 1e-8, 1e-11}, most_spare_value = 10;
// Without a head that can be spared, the W_i by least squares leave at most so many times the error of the
// fit.
constexpr double most_error_of_spared = 2;
// A fit without a head is tried if the W_i by least squares leave at most this error. Where one head can be
// spared, more often can.
constexpr double most_error_of_first_trial = 1e-2, most_error_of_trial = 0.3;
// Steps to the end from a close fit with heads enough to spare. With the fewest heads some fits take a dozen,
// and others hundreds, since these heads come to depend on each other.
constexpr int few_steps = 20;
// Heads of the wrong sign bend the others a little. A fit that explains less than this fails for other
// reasons.
constexpr double most_error_of_turned_heads = 0.5;

}  // namespace

void HeadFits::read(const Split& parts) {
  training_ = read_blocks(run_.source, 0, parts.fitted, run_.context);
  holdout_ = read_blocks(run_.source, parts.fitted, parts.held_back, run_.context);
}

void HeadFits::start(const Stacked& from) {
  ++starts_;
  const GaussNewtonResult ended = fit(from);
  if (!go_on() || factors_ || !(ended.holdout_error < most_error_of_turned_heads)) return;
  const TurnedHeads turned = turned_heads(training_, holdout_, ended.layer, steps_, run_.context);
  iterations_ += turned.iterations;
  inner_steps_ += turned.inner_steps;
  if (turned.start) fit(stack(*turned.start));
}

bool HeadFits::go_on() const {
  return !least_ ||
         (least_->holdout_error > exact_prediction && least_->ending != GaussNewtonEnding::undetermined &&
          least_->ending != GaussNewtonEnding::barely_determined);
}

double HeadFits::error() const {
  return least_ ? least_->holdout_error : std::numeric_limits<double>::infinity();
}

bool HeadFits::overfits() const {
  return least_ && least_->holdout_error > most_overfit * least_->training_error;
}

void HeadFits::leave_out_spare_heads() {
  while (!factors_ && best_.error <= exact_prediction) {
    const auto fewer =
        without_a_spare_head(training_, *run_.recorder.report().layer, close_fit, run_.context.stop);
    if (!fewer) return;
    const GaussNewtonResult ended = minimise(stack(*fewer), steps_.target, few_steps);
    if (ended.holdout_error > exact_prediction) return;
    least_ = ended;
    take_best();
  }
}

void HeadFits::finish(Phase& phase) {
  if (fit_) keep();
  if (least_) {
    phase.add("starts", starts_);
    phase.add("iterations", iterations_);
    phase.add("inner_steps", inner_steps_);
    phase.add("training_error", least_->training_error);
    phase.add("holdout_error", least_->holdout_error);
    phase.estimates = {least_->layer};
  }
  phase.curve = curve_;
  if (!factors_) return;
  phase.add("rank", static_cast<double>(factors_->form));
  phase.add("value_rank", static_cast<double>(factors_->value));
  phase.add("counting_bound", static_cast<double>(counting_bound(*factors_, run_.d(), run_.k())));
}

FitProblem HeadFits::problem() const {
  const StopToken& stop = run_.context.stop;
  return factors_ ? factored_layers(training_, *factors_, FactoredSquares::default_kept_bytes, stop)
                  : whole_layers(training_, steps_.kept_bytes, stop);
}

GaussNewtonResult HeadFits::fit(const Stacked& from) {
  if (!leaves_out_) return minimise(from, steps_.target, steps_.iterations);
  if (factors_) return fit_without_spare_rank(from);
  const GaussNewtonResult close = minimise(from, close_fit, steps_.iterations);
  if (close.holdout_error > close_fit) return close;
  const Layer enough = without_spare_heads(close);
  const bool some_spared = enough.m() < close.layer.m();
  if (const Layer fewest = with_fewest_heads(enough, some_spared); fewest.m() < enough.m()) {
    const GaussNewtonResult ended = minimise(stack(fewest), steps_.target, few_steps);
    if (ended.holdout_error <= exact_prediction) return ended;
  }
  const GaussNewtonResult ended = minimise(stack(enough), steps_.target, steps_.iterations);
  if (ended.holdout_error <= exact_prediction || !some_spared) return ended;
  return minimise(stack(close.layer), steps_.target, steps_.iterations);
}

GaussNewtonResult HeadFits::fit_without_spare_rank(const Stacked& from) {
  const Factors most = *factors_;
  Stacked at = from;
  for (const double close_fit_in_factors : close_fits_in_factors) {
    const GaussNewtonResult close = minimise(at, close_fit_in_factors, steps_.iterations);
    if (close.holdout_error > close_fit_in_factors) return close;
    const double small = most_spare_value * std::sqrt(close.holdout_error);
    const FactoredHeads cut = without_spare_rank(close.layer, most, small, run_.context.stop);
    factors_ = cut.factors;
    const GaussNewtonResult ended = minimise(cut.parameters, steps_.target, steps_.iterations);
    if (ended.holdout_error <= exact_prediction || cut.factors == most) return ended;
    factors_ = most;
    at = without_spare_rank(close.layer, most, 0, run_.context.stop).parameters;
  }
  return minimise(at, steps_.target, steps_.iterations);
}

// Without heads whose absence the error does not show.
Layer HeadFits::without_spare_heads(const GaussNewtonResult& close) const {
  Layer out = close.layer;
  while (auto fewer = without_a_spare_head(training_, out, most_error_of_spared * close.training_error,
                                           run_.context.stop))
    out = std::move(*fewer);
  return out;
}

// With as few heads as fits come close with.
Layer HeadFits::with_fewest_heads(Layer close, bool some_spared) {
  double most_error = some_spared ? most_error_of_trial : most_error_of_first_trial;
  while (const auto fewer = without_a_spare_head(training_, close, most_error, run_.context.stop)) {
    GaussNewtonResult fitted = minimise(stack(*fewer), close_fit, steps_.iterations);
    if (fitted.holdout_error > close_fit) break;
    close = std::move(fitted.layer);
    most_error = most_error_of_trial;
  }
  return close;
}

GaussNewtonResult HeadFits::minimise(const Stacked& from, double target, int iterations) {
  begun_ = watch_.seconds();
  GaussNewtonOptions steps = steps_;
  steps.target = std::max(target, steps_.target);
  steps.iterations = std::min(iterations, steps_.iterations);
  fit_.emplace(problem(), holdout_, from, steps, run_.context.stop);
  fit_->minimise(run_.context.progress, name_);
  return keep();
}

GaussNewtonResult HeadFits::keep() {
  GaussNewtonResult ended = fit_->result();
  take_in(ended);
  fit_.reset();
  if (is_best()) take_best();
  return ended;
}

void HeadFits::take_in(const GaussNewtonResult& result) {
  if (!least_ || result.holdout_error < least_->holdout_error) least_ = result;
  for (const CurvePoint& point : result.curve)
    curve_.push_back({begun_ + point.seconds, iterations_ + point.steps, point.holdout_error});
  iterations_ += result.iterations;
  inner_steps_ += result.inner_steps;
}

// Whether the least error here takes the place of the best of all.
bool HeadFits::is_best() const {
  const std::optional<Layer>& best = run_.recorder.report().layer;
  const double error = least_->holdout_error;
  if (!best || std::min(error, best_.error) <= exact_prediction) return !best || error < best_.error;
  // Three standard deviations of the mean square of that many Gaussian numbers.
  const auto labels = static_cast<double>(examples_in(holdout_) * run_.k() * run_.d());
  const double spread = 3 * std::sqrt(2 / labels);
  if (least_->layer.m() > best->m()) return error < (1 - spread) * best_.error;
  if (examples_in(training_) > best_.examples) return error < (1 + spread) * best_.error;
  return error < best_.error;
}

void HeadFits::take_best() {
  best_ = {least_->holdout_error, examples_in(training_), least_->ending};
  run_.recorder.report().layer = least_->layer;
}

}  // namespace hardhead::learner
