#include "learner/fits/gauss_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

double inner(const Stacked& a, const Stacked& b) {
  return a.cwiseProduct(b).sum();
}

constexpr double least_damping = 1e-14, most_damping = 1e8;
constexpr double slow_gain = 1e-3;  // relative, of a step
constexpr int most_slow_steps = 5;
// The training error that is this far below the held-back one leaves nothing to learn from.
constexpr double undetermined = 1e-6;
// The learner takes at most this many times the examples that it begins with.
constexpr int most_growth = 32;

}  // namespace

GaussNewton::GaussNewton(const std::vector<Block>& training, const std::vector<Block>& holdout, Layer start,
                         const GaussNewtonOptions& options, const StopToken& stop)
    : training_(training),
      holdout_(holdout),
      options_(options),
      stop_(stop),
      current_(std::move(start)),
      at_(linearised(current_)),
      held_back_error_(relative_error(holdout, current_, stop)),
      mu_(least_damping) {
  result_.layer = current_;
  result_.training_error = at_->relative_error();
  result_.holdout_error = held_back_error_;
}

std::unique_ptr<Linearisation> GaussNewton::linearised(const Layer& layer) const {
  return std::make_unique<Linearisation>(training_, layer, options_.kept_bytes, stop_);
}

void GaussNewton::minimise(const ProgressSink& progress, std::string_view phase) {
  while (!finished()) {
    stop_.check();
    ++result_.iterations;
    const Step step = damped_step();
    if (const double decrease = evaluate(step); decrease > 0) {
      accept(step, decrease);
      progress.report(phase, static_cast<double>(result_.iterations) / options_.iterations);
    } else {
      reject();
    }
  }
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

// (J^T J + mu M) delta = -gradient by conjugate gradients preconditioned with M.
GaussNewton::Step GaussNewton::damped_step() {
  const Linearisation& at = *at_;
  if (!preconditioner_) preconditioner_ = at.preconditioner();
  const double error = at.relative_error();
  mu_ = std::max(mu_, error);
  const double tolerance = std::clamp(std::sqrt(error), 1e-6, 0.1);

  Stacked delta = Stacked::Zero(at.gradient().rows(), at.gradient().cols());
  Stacked residual = -at.gradient();
  Stacked z = preconditioner_->solve(residual);
  Stacked direction = z;
  double rz = inner(residual, z);
  const double enough = tolerance * tolerance * rz;
  for (int step = 0; step < options_.inner_iterations && rz > enough && rz > 0; ++step) {
    stop_.check();
    const Stacked image = at.normal_product(direction) + mu_ * preconditioner_->apply(direction);
    const double curvature = inner(direction, image);
    if (!(curvature > 0)) break;
    const double length = rz / curvature;
    delta += length * direction;
    residual -= length * image;
    z = preconditioner_->solve(residual);
    const double next = inner(residual, z);
    direction = z + (next / rz) * direction;
    rz = next;
    ++result_.inner_steps;
  }
  // -2 <g, delta> - <delta, J^T J delta>, with J^T J delta = -g - residual - mu M delta.
  const double predicted = -inner(at.gradient(), delta) + inner(residual, delta) +
                           mu_ * inner(delta, preconditioner_->apply(delta));
  return {std::move(delta), predicted};
}

// Linearises at the trial and returns by how much the training error falls there. A step that promises no
// decrease is not tried.
double GaussNewton::evaluate(const Step& step) {
  if (!(step.predicted > 0) || !step.delta.allFinite()) return 0;
  trial_ = unstack(stack(current_) + step.delta);
  if (next_)
    next_->move_to(trial_);
  else
    next_ = linearised(trial_);
  return at_->relative_error() - next_->relative_error();
}

void GaussNewton::accept(const Step& step, double decrease) {
  const double error_before = at_->relative_error();
  mu_ = std::max(mu_ * std::max(0.1, 1 - std::pow(2 * decrease / step.predicted - 1, 3)), least_damping);
  raise_ = 2;
  current_ = std::move(trial_);
  std::swap(at_, next_);
  preconditioner_.reset();
  held_back_error_ = relative_error(holdout_, current_, stop_);
  ++since_best_;
  if (held_back_error_ < result_.holdout_error) {
    since_best_ = 0;
    result_.layer = current_;
    result_.holdout_error = held_back_error_;
    result_.training_error = at_->relative_error();
  }
  ending_ = ending_after_a_gain(decrease, error_before);
}

std::optional<GaussNewtonEnding> GaussNewton::ending_after_a_gain(double decrease, double error_before) {
  slow_steps_ = decrease < slow_gain * error_before ? slow_steps_ + 1 : 0;
  if (slow_steps_ >= most_slow_steps) return GaussNewtonEnding::stalled;
  if (since_best_ >= options_.patience) return GaussNewtonEnding::out_of_patience;
  if (held_back_error_ > exact_prediction && at_->relative_error() < undetermined * held_back_error_)
    return GaussNewtonEnding::undetermined;
  return std::nullopt;
}

// The preconditioner stays, which belongs to the current layer.
void GaussNewton::reject() {
  mu_ *= raise_;
  raise_ *= 2;
  if (!(mu_ <= most_damping)) ending_ = GaussNewtonEnding::stalled;
}

std::string to_string(GaussNewtonEnding ending) {
  switch (ending) {
    case GaussNewtonEnding::converged:
      return "converged";
    case GaussNewtonEnding::stalled:
      return "stalled";
    case GaussNewtonEnding::out_of_patience:
      return "held-back error stopped falling";
    case GaussNewtonEnding::undetermined:
      return "the examples do not determine the layer";
    default:
      return "iteration limit";
  }
}

GaussNewtonResult gauss_newton(const std::vector<Block>& training, const std::vector<Block>& holdout,
                               Layer start, const GaussNewtonOptions& options, const RunContext& context,
                               std::string_view phase) {
  GaussNewton fit(training, holdout, std::move(start), options, context.stop);
  fit.minimise(context.progress, phase);
  return fit.result();
}

double gauss_newton_bytes(const PassShape& shape, std::int64_t examples, double kept_bytes) {
  constexpr double layers = 12;  // of the fit, its steps and its conjugate gradients
  const Linearisation::Bytes linearisation = Linearisation::bytes(shape, examples, kept_bytes);
  return 2 * linearisation.itself + linearisation.preconditioner + layers * layer_bytes(shape.d, shape.m) +
         std::max(linearisation.work, relative_error_bytes(shape));
}

namespace {

struct GaussNewtonLearnerOptions {
  std::int64_t starts = 3;
  double oversampling = 8;
  Index student = 0;
  Index max_heads = 8;
  int iterations = GaussNewtonOptions().iterations;
  int patience = GaussNewtonOptions().patience;
  double start_norm = 0.5;
  double target = GaussNewtonOptions::rounding;
};

OptionTable<GaussNewtonLearnerOptions> gauss_newton_table() {
  return OptionTable<GaussNewtonLearnerOptions>()
      .integer("starts", &GaussNewtonLearnerOptions::starts, 1, 1000,
               "random starts for each number of heads")
      .real("oversampling", &GaussNewtonLearnerOptions::oversampling, 1, 1e9,
            "examples over the larger of 2 m d / k and d^2 / (k (k-1)); at least 1000")
      .integer("student", &GaussNewtonLearnerOptions::student, 0, 64,
               "heads that are fitted; 0: the stated number, or 1, 2, .. if none is stated")
      .integer("max_heads", &GaussNewtonLearnerOptions::max_heads, 1, 64,
               "largest number of heads tried when it is not given")
      .integer("iterations", &GaussNewtonLearnerOptions::iterations, 1, 1e6, "steps of a start, at most")
      .integer("patience", &GaussNewtonLearnerOptions::patience, 1, 1e6,
               "steps without a better held-back error before a start ends")
      .real("start_norm", &GaussNewtonLearnerOptions::start_norm, 1e-6, 1e3,
            "Frobenius norm of each Theta_i at the start")
      .real("target", &GaussNewtonLearnerOptions::target, GaussNewtonOptions::rounding, exact_prediction,
            "relative error of fitted and held-back examples at which a start is done");
}

// The best layer of all numbers of heads, which the report has.
struct Best {
  double error = std::numeric_limits<double>::infinity();  // held back
  std::string ending;
};

// All starts with the same number of heads.
struct Starts {
  int count = 0, iterations = 0, inner_steps = 0;
  GaussNewtonResult least;

  void take_in(const GaussNewtonResult& result) {
    if (count == 0 || result.holdout_error < least.holdout_error) least = result;
    ++count;
    iterations += result.iterations;
    inner_steps += result.inner_steps;
  }
  bool go_on(std::int64_t most) const {
    if (count == 0) return true;
    return count < most && least.holdout_error > exact_prediction &&
           least.ending != GaussNewtonEnding::undetermined;
  }
  void add_to(Phase& phase) const {
    if (count == 0) return;
    phase.add("starts", count);
    phase.add("iterations", iterations);
    phase.add("inner_steps", inner_steps);
    phase.add("training_error", least.training_error);
    phase.add("holdout_error", least.holdout_error);
    phase.estimates = {least.layer};
  }
};

class GaussNewtonLearner final : public Learner {
 public:
  explicit GaussNewtonLearner(const GaussNewtonLearnerOptions& options) : options_(options) {}

  void run(const Run& run) const override {
    Best best;
    fit_all(run, 1, best);
    for (int growth = 2; growth <= most_growth && best.error > exact_prediction; growth *= 2)
      if (examples_of(run, growth / 2) < examples_of(run, growth)) fit_all(run, growth, best);
    Report& report = run.recorder.report();
    if (best.error <= exact_prediction)
      report.message = fmt::format("{} head{}, held-back error {:.2g}", report.layer->m(),
                                   report.layer->m() == 1 ? "" : "s", best.error);
    else
      run.recorder.fail(phase_name(report.layer->m()), failure(run, best));
  }

  std::int64_t default_examples(ExampleShape shape, const Task& task) const override {
    return examples_for(shape.d, shape.k, most_heads(task), options_.oversampling);
  }

  // Examples; a start or a fit with most heads; and the best layer of each number of heads, which the report
  // has, and of all.
  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const Index first = least_heads(task), last = most_heads(task);
    const std::int64_t examples = examples_of(shape, last, most_growth, task);
    const PassShape pass = shape.of_heads(last);
    const Index reported = (first + last) * (last - first + 1) / 2;
    return {.work = example_bytes(shape.d, shape.k, examples) + layer_bytes(shape.d, last) +
                    std::max(fit_w_bytes(pass, examples), gauss_newton_bytes(pass, examples)),
            .report = layer_bytes(shape.d, reported + last),
            .heads = last};
  }

  std::optional<double> predicted_seconds(ExampleShape shape, Index m, const Task& task) const override {
    constexpr double passes = 200, passes_of_a_failure = 130;
    const Index first = least_heads(task), last = std::max(first, std::min(m, most_heads(task)));
    double seconds = 0;
    for (Index heads = first; heads <= last; ++heads)
      seconds +=
          pass_seconds(shape.d, shape.k, heads, static_cast<double>(examples_of(shape, heads, 1, task))) *
          (heads == last ? passes : passes_of_a_failure * static_cast<double>(options_.starts));
    return seconds;
  }

 private:
  static std::string phase_name(Index m) { return fmt::format("fit_{}_heads", m); }

  Index least_heads(const Task& task) const {
    return options_.student > 0 ? options_.student : task.heads.value_or(1);
  }
  Index most_heads(const Task& task) const {
    return options_.student > 0 ? options_.student : task.heads.value_or(options_.max_heads);
  }

  std::int64_t examples_of(ExampleShape shape, Index m, int growth, const Task& task) const {
    return std::min(*task.examples, examples_for(shape.d, shape.k, m, growth * options_.oversampling));
  }
  std::int64_t examples_of(const Run& run, int growth) const {
    return examples_of({run.d(), run.k()}, most_heads(run.task), growth, run.task);
  }

  // From the least number of heads on, until one predicts exactly.
  void fit_all(const Run& run, int growth, Best& best) const {
    const Index first = least_heads(run.task), last = most_heads(run.task);
    for (Index m = first; m <= last && best.error > exact_prediction; ++m) {
      const std::int64_t examples = examples_of({run.d(), run.k()}, m, growth, run.task);
      // More unknowns than numbers would fit anything.
      if (m > first && counting_bound(run.d(), run.k(), m) > split(examples).fitted) break;
      fit_heads(run, m, examples, best);
    }
  }

  // Starts for m heads until one predicts exactly.
  void fit_heads(const Run& run, Index m, std::int64_t examples, Best& best) const {
    const std::string name = phase_name(m);
    std::vector<Block> training, holdout;
    Starts starts;
    std::optional<GaussNewton> fit;  // the start under way
    const auto keep = [&] {
      starts.take_in(fit->result());
      fit.reset();
      std::optional<Layer>& layer = run.recorder.report().layer;
      if (layer && !(starts.least.holdout_error < best.error)) return;
      best = {starts.least.holdout_error, to_string(starts.least.ending)};
      layer = starts.least.layer;
    };
    run.recorder.phase(
        name, examples,
        [&](Phase&) {
          const Split parts = split(examples);
          training = read_blocks(run.source, 0, parts.fitted, run.context);
          holdout = read_blocks(run.source, parts.fitted, parts.held_back, run.context);
          const bool determined = parts.fitted >= pattern_bound(run.d(), run.k());
          while (starts.go_on(determined ? options_.starts : 1)) {
            fit.emplace(training, holdout, start_of(run, m, starts.count, training), steps(),
                        run.context.stop);
            fit->minimise(run.context.progress, name);
            keep();
          }
        },
        [&](Phase& phase) {
          if (fit) keep();
          starts.add_to(phase);
        });
  }

  Layer start_of(const Run& run, Index m, int start, const std::vector<Block>& training) const {
    const Stream stream(Domain::learner, run.task.seed, "gauss-newton");
    const auto item = static_cast<std::uint64_t>(m * 1000 + start);
    return fit_w(training, random_thetas(stream, item, run.d(), m, options_.start_norm), run.context.stop);
  }

  GaussNewtonOptions steps() const {
    return {.iterations = options_.iterations, .target = options_.target, .patience = options_.patience};
  }

  std::string failure(const Run& run, const Best& best) const {
    const Report& report = run.recorder.report();
    const Index first = least_heads(run.task), last = most_heads(run.task);
    std::string message = fmt::format(
        "from no start did {} predict held-back examples: best error {:.2g} with {} heads ({})",
        first == last ? fmt::format("{} heads", first) : fmt::format("{} to {} heads", first, last),
        best.error, report.layer->m(), best.ending);
    const std::int64_t bound = pattern_bound(run.d(), run.k());
    if (const std::int64_t fitted = split(report.examples_used).fitted; fitted < bound)
      message +=
          fmt::format("; {} examples fitted, d^2 / (k (k-1)) = {} needed to determine Theta", fitted, bound);
    return message;
  }

  GaussNewtonLearnerOptions options_;
};

}  // namespace

const Method gauss_newton_method = method_of<GaussNewtonLearner>(
    "gauss-newton", "damped Gauss-Newton on all of (Theta, W) from small random starts",
    "heuristic: no guarantee", gauss_newton_table(),
    [](const Spec& method, double) { return restarts_ladder(method, {"0.5", "2", "4"}, {0, 16}); });

}  // namespace hardhead::learner
