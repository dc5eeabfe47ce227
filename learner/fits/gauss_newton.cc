#include "learner/fits/gauss_newton.h"

#include <algorithm>
#include <cmath>

#include "learner/fits/fitting.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {
namespace {

double inner(const Stacked& a, const Stacked& b) {
  return a.cwiseProduct(b).sum();
}

constexpr double least_damping = 1e-14, most_damping = 1e8;
constexpr double slow_gain = 1e-3;  // relative, of a step
constexpr int most_slow_steps = 5;
// Share of the error that a step of a singular fit leaves; others leave less near the end.
constexpr double singular_gain = 0.01;
constexpr int most_singular_steps = 2;
// Relative residual of conjugate gradients.
constexpr double least_residual = 1e-6;
// The part of an aim that a step leaves: of labels that are held back more is left.
constexpr double below_the_aim = 0.1;
// Relative error below which a step changes J^T J by little. Above it the linearised problem says little of
// what is best.
constexpr double settled = 1e-5;
// The training error that is this far below the held-back one leaves nothing to learn from.
constexpr double undetermined = 1e-6;
// A fit that is barely determined: the held-back error over the training error. It goes on from a layer that
// leaves less than this of the labels.
constexpr double barely_determined = 5, worth_going_on = 0.3;

}  // namespace

FitProblem whole_layers(const std::vector<Block>& training, double kept_bytes, const StopToken& stop) {
  return {unstack, [&training, kept_bytes, stop](const Stacked& parameters) {
            return std::make_unique<Linearisation>(training, unstack(parameters), kept_bytes, stop);
          }};
}

FitProblem factored_layers(const std::vector<Block>& training, const Factors& factors, double kept_bytes,
                           const StopToken& stop) {
  return {.layer = [factors](const Stacked& parameters) { return factors.layer(parameters); },
          .linearised =
              [&training, factors, kept_bytes, stop](const Stacked& parameters) {
                return std::make_unique<FactoredSquares>(training, factors, parameters, kept_bytes, stop);
              },
          .most_cuts = 3,
          .most_residual = 0.4,
          .least_rough_residual = 1e-4};
}

GaussNewton::GaussNewton(FitProblem problem, const std::vector<Block>& holdout, Stacked start,
                         const GaussNewtonOptions& options, const StopToken& stop)
    : problem_(std::move(problem)),
      holdout_(holdout),
      options_(options),
      stop_(stop),
      current_(std::move(start)),
      at_(problem_.linearised(current_)),
      recycled_(current_.size()),
      mu_(least_damping) {
  result_.layer = problem_.layer(current_);
  held_back_error_ = relative_error(holdout, result_.layer, stop);
  result_.training_error = at_->relative_error();
  result_.holdout_error = held_back_error_;
  result_.curve.push_back({watch_.seconds(), 0, held_back_error_});
}

void GaussNewton::minimise(const ProgressSink& progress, std::string_view phase) {
  while (!finished()) {
    stop_.check();
    ++result_.iterations;
    Step step = damped_step();
    double decrease = evaluate(step);
    for (int cuts = 0; !(decrease > 0) && cuts < problem_.most_cuts && step.predicted > 0; ++cuts) {
      step = shorter(step, decrease);
      decrease = evaluate(step);
    }
    if (decrease > 0) {
      accept(step, decrease);
      progress.report(phase, fraction_done());
    } else {
      reject();
    }
  }
}

// By the limit of steps, or as Newton's method ends, whichever is further: a step doubles the digits of the
// held-back error, and takes half as long again as the one before, as fits of d = 513 and 768 do.
double GaussNewton::fraction_done() {
  const auto digits = [](double error) { return std::max(-std::log(error), 0.1); };
  const std::vector<CurvePoint>& curve = result_.curve;
  const double spent = curve.back().seconds, last = spent - curve[curve.size() - 2].seconds,
               steps = std::max(std::log2(digits(options_.target) / digits(result_.holdout_error)), 0.0),
               left = last * 3 * (std::pow(1.5, steps) - 1);
  done_ = std::max(
      {done_, spent / (spent + left), static_cast<double>(result_.iterations) / options_.iterations});
  return std::min(done_, 1.0);
}

bool GaussNewton::finished() {
  if (!ending_ &&
      (result_.iterations >= options_.iterations || result_.inner_steps >= options_.all_inner_iterations))
    ending_ = GaussNewtonEnding::iteration_limit;
  if (!ending_) {
    const double error = at_->relative_error();
    const bool something_to_gain =
        error > GaussNewtonOptions::rounding && std::max(error, held_back_error_) > options_.target;
    if (!something_to_gain) ending_ = GaussNewtonEnding::converged;
  }
  if (ending_) result_.ending = *ending_;
  return ending_.has_value();
}

// (J^T J + mu M) delta = -gradient by conjugate gradients.
GaussNewton::Step GaussNewton::damped_step() {
  const Linearised& at = *at_;
  if (!preconditioner_) preconditioner_ = at.preconditioner();
  const bool rough = at.is_rough() && !precise_;
  const double error = at.relative_error();
  mu_ = std::max(mu_, error);
  // No step goes further than to an exact prediction, and from there to the target. By the residual it ends
  // sooner: the next one's directions begin where its own end, so that two short steps go further than a long
  // one. A step in single precision goes less far, and so does one that may have to be cut like the one
  // before.
  const double aim = error > exact_prediction ? exact_prediction : options_.target,
               tolerance =
                   std::clamp(was_cut_ ? 1 : std::sqrt(std::max(error, aim / error)),
                              rough ? problem_.least_rough_residual : least_residual, problem_.most_residual);

  Stacked delta = Stacked::Zero(at.gradient().rows(), at.gradient().cols());
  Stacked residual = -at.gradient();
  Stacked z = recycled_.solve(*preconditioner_, residual);
  Stacked direction = z;
  double rz = inner(residual, z);
  double left = error;  // of the linearised problem
  const double enough = tolerance * tolerance * rz;
  for (int step = 0; step < options_.inner_iterations && rz > enough && rz > 0 && left > below_the_aim * aim;
       ++step) {
    stop_.check();
    const Stacked image = (rough ? at.rough_normal_product(direction) : at.normal_product(direction)) +
                          mu_ * preconditioner_->apply(direction);
    const double curvature = inner(direction, image);
    if (!(curvature > 0)) break;
    const double length = rz / curvature;
    delta += length * direction;
    left -= length * rz;
    residual -= length * image;
    recycled_.add(direction, image, curvature);
    z = recycled_.solve(*preconditioner_, residual);
    const double next = inner(residual, z);
    direction = z + (next / rz) * direction;
    rz = next;
    ++result_.inner_steps;
  }
  recycled_.end_run();
  // -2 <g, delta> - <delta, J^T J delta>, with J^T J delta = -g - residual - mu M delta.
  const double predicted = -inner(at.gradient(), delta) + inner(residual, delta) +
                           mu_ * inner(delta, preconditioner_->apply(delta));
  return {std::move(delta), predicted, false};
}

// To the minimum of the parabola that has the slope of the error at 0 and its value at the step, within a
// tenth and a half of it. ||r + t J delta||^2 falls by -2 t <g, delta> - t^2 <delta, J^T J delta>.
GaussNewton::Step GaussNewton::shorter(const Step& step, double decrease) {
  const double fall = -2 * inner(at_->gradient(), step.delta), curvature = fall - step.predicted;
  const double minimum = fall / (2 * (fall - decrease));
  const double t = std::isfinite(minimum) ? std::clamp(minimum, 0.1, 0.5) : 0.1;
  raise_damping();
  return {t * step.delta, t * (fall - t * curvature), true};
}

// Linearises at the trial and returns by how much the training error falls there. A step that promises no
// decrease is not tried.
double GaussNewton::evaluate(const Step& step) {
  if (!(step.predicted > 0) || !step.delta.allFinite()) return 0;
  trial_ = current_ + step.delta;
  const bool is_there = !next_;
  if (is_there) next_ = problem_.linearised(trial_);
  if (at_->relative_error() > settled)
    trial_ = next_->move_to_best(trial_);
  else if (!is_there)
    next_->move_to(trial_);
  return at_->relative_error() - next_->relative_error();
}

void GaussNewton::accept(const Step& step, double decrease) {
  const double error_before = at_->relative_error();
  was_cut_ = step.is_cut;
  if (!was_cut_)
    mu_ = std::max(mu_ * std::max(0.1, 1 - std::pow(2 * decrease / step.predicted - 1, 3)), least_damping);
  raise_ = 2;
  precise_ = false;
  current_ = std::move(trial_);
  std::swap(at_, next_);
  // A layer that hardly moves keeps its preconditioner.
  if (error_before > settled) preconditioner_.reset();
  Layer layer = problem_.layer(current_);
  held_back_error_ = relative_error(holdout_, layer, stop_);
  result_.curve.push_back({watch_.seconds(), result_.iterations, held_back_error_});
  ++since_best_;
  if (held_back_error_ < result_.holdout_error) {
    since_best_ = 0;
    result_.layer = std::move(layer);
    result_.holdout_error = held_back_error_;
    result_.training_error = at_->relative_error();
  }
  ending_ = ending_after_a_gain(decrease, error_before);
}

std::optional<GaussNewtonEnding> GaussNewton::ending_after_a_gain(double decrease, double error_before) {
  slow_steps_ = decrease < slow_gain * error_before ? slow_steps_ + 1 : 0;
  if (slow_steps_ >= most_slow_steps) return GaussNewtonEnding::stalled;
  const double error = at_->relative_error();
  const bool exact = std::max(error, held_back_error_) <= exact_prediction;
  singular_steps_ = exact && error > singular_gain * error_before ? singular_steps_ + 1 : 0;
  if (singular_steps_ >= most_singular_steps) return GaussNewtonEnding::converged;
  // Before a fit counts as singular, a step in double has to leave as much.
  precise_ = singular_steps_ > 0;
  if (since_best_ >= options_.patience) return GaussNewtonEnding::out_of_patience;
  if (held_back_error_ > exact_prediction && error < undetermined * held_back_error_)
    return GaussNewtonEnding::undetermined;
  if (options_.more_examples && error > settled && held_back_error_ > barely_determined * error &&
      held_back_error_ < worth_going_on)
    return GaussNewtonEnding::barely_determined;
  return std::nullopt;
}

// The preconditioner stays, which belongs to the current layer. Near the end rounding may be what was wrong
// with the step.
void GaussNewton::reject() {
  precise_ = at_->relative_error() <= settled;
  raise_damping();
  if (!(mu_ <= most_damping)) ending_ = GaussNewtonEnding::stalled;
}

void GaussNewton::raise_damping() {
  mu_ *= raise_;
  raise_ *= 2;
}

GaussNewtonResult gauss_newton(const std::vector<Block>& training, const std::vector<Block>& holdout,
                               Layer start, const GaussNewtonOptions& options, const RunContext& context,
                               std::string_view phase) {
  GaussNewton fit(whole_layers(training, options.kept_bytes, context.stop), holdout, stack(start), options,
                  context.stop);
  fit.minimise(context.progress, phase);
  return fit.result();
}

double gauss_newton_bytes(const PassShape& shape, std::int64_t examples, double kept_bytes) {
  constexpr double layers = 12;  // of the fit, its steps and its conjugate gradients
  const Linearisation::Bytes linearisation = Linearisation::bytes(shape, examples, kept_bytes);
  return 2 * linearisation.itself + linearisation.preconditioner + layers * layer_bytes(shape.d, shape.m) +
         RecycledDirections::bytes(2 * shape.m * shape.d * shape.d) +
         std::max(linearisation.work, relative_error_bytes(shape));
}

double gauss_newton_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples,
                          double kept_bytes) {
  constexpr double points = 12, layers = 4;
  const FactoredSquares::Bytes squares = FactoredSquares::bytes(shape, factors, examples, kept_bytes);
  return 2 * squares.itself + squares.preconditioner + RecycledDirections::bytes(factors.rows() * shape.d) +
         points * 8 * static_cast<double>(factors.rows() * shape.d) + layers * layer_bytes(shape.d, shape.m) +
         std::max(squares.work, relative_error_bytes(shape));
}

}  // namespace hardhead::learner
