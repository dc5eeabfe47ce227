#include "learner/gauss_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/least_squares.h"
#include "learner/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

double inner(const Stacked& a, const Stacked& b) {
  return a.cwiseProduct(b).sum();
}

struct Step {
  Stacked delta;
  double predicted = 0;  // decrease of ||r + J delta||^2 / ||Y||^2
};

// (J^T J + mu M) delta = -gradient by conjugate gradients preconditioned with M.
Step damped_step(const Linearisation& at, const Linearisation::Preconditioner& preconditioner, double mu,
                 double tolerance, int most_steps, const RunControl& control, int& steps) {
  Stacked delta = Stacked::Zero(at.gradient().rows(), at.gradient().cols());
  Stacked residual = -at.gradient(), z = preconditioner.solve(residual), direction = z;
  double rz = inner(residual, z);
  const double enough = tolerance * tolerance * rz;
  for (int step = 0; step < most_steps && rz > enough && rz > 0; ++step, ++steps) {
    control.check();
    const Stacked image = at.normal_product(direction) + mu * preconditioner.apply(direction);
    const double curvature = inner(direction, image);
    if (!(curvature > 0)) break;
    const double length = rz / curvature;
    delta += length * direction;
    residual -= length * image;
    z = preconditioner.solve(residual);
    const double next = inner(residual, z);
    direction = z + (next / rz) * direction;
    rz = next;
  }
  // -2 <g, delta> - <delta, J^T J delta>, with J^T J delta = -g - residual - mu M delta.
  const double predicted =
      -inner(at.gradient(), delta) + inner(residual, delta) + mu * inner(delta, preconditioner.apply(delta));
  return {std::move(delta), predicted};
}

// The training error that is this far below the held-back one leaves nothing to learn from.
constexpr double undetermined = 1e-6;

// `out` holds the best layer so far at any time, whatever ends the run.
void fit(const std::vector<Block>& training, const std::vector<Block>& holdout, Layer start,
         const GaussNewtonOptions& options, const RunControl& control, std::string_view phase,
         GaussNewtonResult& out) {
  Layer current = std::move(start);
  auto at = std::make_unique<Linearisation>(training, current);
  std::unique_ptr<Linearisation> next;  // at the trial
  out.layer = current;
  out.training_error = at->relative_error();
  double held = out.holdout_error = relative_error(holdout, current);
  std::optional<Linearisation::Preconditioner> preconditioner;  // of `at`; rejected steps keep it
  double mu = 1e-14, raise = 2;
  int slow_steps = 0, since_best = 0;
  while (out.iterations < options.iterations) {
    const double error = at->relative_error();
    if (!(error > GaussNewtonOptions::rounding && std::max(error, held) > options.target)) {
      out.ending = GaussNewtonEnding::converged;
      return;
    }
    control.check();
    ++out.iterations;
    if (!preconditioner) preconditioner = at->preconditioner();
    mu = std::max(mu, error);
    const double tolerance = std::clamp(std::sqrt(error), 1e-6, 0.1);
    const Step step =
        damped_step(*at, *preconditioner, mu, tolerance, options.inner_iterations, control, out.inner_steps);
    Layer trial;
    double decrease = 0;
    if (step.predicted > 0 && step.delta.allFinite()) {
      trial = unstack(stack(current) + step.delta);
      if (next)
        next->move_to(trial);
      else
        next = std::make_unique<Linearisation>(training, trial);
      decrease = error - next->relative_error();
    }
    if (!(decrease > 0)) {
      mu *= raise;
      raise *= 2;
      if (!(mu <= 1e8)) {
        out.ending = GaussNewtonEnding::stalled;
        return;
      }
      continue;
    }
    mu = std::max(mu * std::max(0.1, 1 - std::pow(2 * decrease / step.predicted - 1, 3)), 1e-14);
    raise = 2;
    current = std::move(trial);
    std::swap(at, next);
    preconditioner.reset();

    held = relative_error(holdout, current);
    slow_steps = decrease < 1e-3 * error ? slow_steps + 1 : 0;
    ++since_best;
    if (held < out.holdout_error) {
      since_best = 0;
      out.layer = current, out.holdout_error = held, out.training_error = at->relative_error();
    }
    control.progress(phase, static_cast<double>(out.iterations) / options.iterations);
    if (slow_steps >= 5) {
      out.ending = GaussNewtonEnding::stalled;
      return;
    }
    if (since_best >= options.patience) {
      out.ending = GaussNewtonEnding::out_of_patience;
      return;
    }
    if (held > exact_prediction && at->relative_error() < undetermined * held) {
      out.ending = GaussNewtonEnding::undetermined;
      return;
    }
  }
  out.ending = GaussNewtonEnding::iteration_limit;
}

}  // namespace

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
                               Layer start, const GaussNewtonOptions& options, const RunControl& control,
                               std::string_view phase) {
  GaussNewtonResult out;
  fit(training, holdout, std::move(start), options, control, phase, out);
  return out;
}

namespace {

class Run {
 public:
  Run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
      Observer* observer)
      : source_(source), task_(task), options_(options), control_(control), observer_(observer) {
    steps_.iterations = static_cast<int>(options.integer("iterations"));
    steps_.patience = static_cast<int>(options.integer("patience"));
    steps_.target = options.real("target");
  }

  Report run() {
    const Index first = task_.heads.value_or(1), last = task_.heads.value_or(options_.integer("max_heads"));
    try {
      for (Index m = first; m <= last && best_ > exact_prediction; ++m) {
        const std::int64_t examples = std::min(
            *task_.examples, examples_for(source_.d(), source_.k(), m, options_.real("oversampling")));
        // More unknowns than numbers would fit anything.
        if (m > first && counting_bound(source_.d(), source_.k(), m) > split(examples).fitted) break;
        fit_heads(m, examples);
      }
    } catch (const Stopped& stopped) {
      report_.ending = Ending::stopped;
      report_.message = stopped.reason;
      return std::move(report_);
    }
    if (best_ <= exact_prediction) {
      report_.message = fmt::format("{} heads, held-back error {:.2g}", report_.layer->m(), best_);
    } else {
      report_.ending = Ending::failed;
      report_.failed_phase = fmt::format("fit_{}_heads", report_.layer->m());
      report_.message = fmt::format(
          "from no start did {} predict held-back examples: best error {:.2g} with {} heads ({})",
          first == last ? fmt::format("{} heads", first) : fmt::format("{} to {} heads", first, last), best_,
          report_.layer->m(), ending_);
      const std::int64_t bound = pattern_bound(source_.d(), source_.k());
      if (const std::int64_t fitted = split(report_.examples_used).fitted; fitted < bound)
        report_.message += fmt::format("; {} examples fitted, d^2 / (k (k-1)) = {} needed to determine Theta",
                                       fitted, bound);
    }
    return std::move(report_);
  }

 private:
  // Starts for m heads until one predicts exactly.
  void fit_heads(Index m, std::int64_t examples) {
    const Stopwatch watch;
    const std::string name = fmt::format("fit_{}_heads", m);
    const Split parts = split(examples);
    const std::vector<Block> training = read_blocks(source_, 0, parts.fitted, control_);
    const std::vector<Block> holdout = read_blocks(source_, parts.fitted, parts.held_back, control_);
    report_.examples_used = std::max(report_.examples_used, examples);
    const Stream stream(Domain::learner, task_.seed, "gauss-newton");
    const std::int64_t bound = pattern_bound(source_.d(), source_.k());
    const std::int64_t most_starts = parts.fitted < bound ? 1 : options_.integer("starts");
    int starts = 0, iterations = 0, inner_steps = 0;
    GaussNewtonResult least;
    while (starts == 0 || (starts < most_starts && least.holdout_error > exact_prediction &&
                           least.ending != GaussNewtonEnding::undetermined)) {
      const auto item = static_cast<std::uint64_t>(m * 1000 + starts);
      const auto thetas = random_thetas(stream, item, source_.d(), m, options_.real("start_norm"));
      GaussNewtonResult result;
      const auto keep = [&] {
        if (starts++ == 0 || result.holdout_error < least.holdout_error) least = result;
        if (least.holdout_error < best_ || !report_.layer)
          best_ = least.holdout_error, ending_ = to_string(least.ending), report_.layer = least.layer;
      };
      try {
        fit(training, holdout, fit_w(training, thetas), steps_, control_, name, result);
      } catch (const Stopped&) {
        keep();
        throw;
      }
      keep();
      iterations += result.iterations, inner_steps += result.inner_steps;
    }
    Phase phase{.name = name, .examples = examples};
    phase.add("starts", starts);
    phase.add("iterations", iterations);
    phase.add("inner_steps", inner_steps);
    phase.add("training_error", least.training_error);
    phase.add("holdout_error", least.holdout_error);
    phase.seconds = watch.seconds();
    report_.phases.push_back(phase);
    if (observer_ != nullptr) observer_->layer(report_.phases.size() - 1, least.layer);
  }

  const SampleSource& source_;
  const Task& task_;
  const Parameters& options_;
  const RunControl& control_;
  Observer* observer_;
  GaussNewtonOptions steps_;
  Report report_;
  double best_ = std::numeric_limits<double>::infinity();
  std::string ending_;
};

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  return Run(source, task, options, control, observer).run();
}

Index most_heads(const Task& task, const Parameters& options) {
  return task.heads.value_or(options.integer("max_heads"));
}

std::int64_t default_examples(Index d, Index k, const Task& task, const Parameters& options) {
  return examples_for(d, k, most_heads(task, options), options.real("oversampling"));
}

// Examples, and what two linearisations keep of them.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters& options) {
  const Index m = most_heads(task, options);
  const std::int64_t examples = std::min(*task.examples, default_examples(d, k, task, options));
  const double kept = 8 * static_cast<double>(examples * k) * static_cast<double>(m * (k + d));
  return example_bytes(d, k, examples) + 2 * std::min(Linearisation::default_kept_bytes, kept);
}

std::optional<double> predicted_seconds(Index d, Index k, Index m, const Task& task,
                                        const Parameters& options) {
  constexpr double passes = 200, passes_of_a_failure = 130;
  const Index last = task.heads.value_or(std::min(m, most_heads(task, options)));
  double seconds = 0;
  for (Index heads = task.heads.value_or(1); heads <= last; ++heads) {
    const std::int64_t examples =
        std::min(*task.examples, examples_for(d, k, heads, options.real("oversampling")));
    seconds +=
        pass_seconds(d, k, heads, static_cast<double>(examples)) *
        (heads == last ? passes : passes_of_a_failure * static_cast<double>(options.integer("starts")));
  }
  return seconds;
}

}  // namespace

const Method gauss_newton_method{
    "gauss-newton",
    "damped Gauss-Newton on all of (Theta, W) from small random starts",
    "heuristic: no guarantee",
    {Parameter::integer("starts", 3, 1, 1000, "random starts for each number of heads"),
     Parameter::real("oversampling", 8, 1, 1e9,
                     "examples over the larger of 2 m d / k and d^2 / (k (k-1)); at least 1000"),
     Parameter::integer("max_heads", 8, 1, 64, "largest number of heads tried when it is not given"),
     Parameter::integer("iterations", 100, 1, 1e6, "steps of a start, at most"),
     Parameter::integer("patience", 30, 1, 1e6, "steps without a better held-back error before a start ends"),
     Parameter::real("start_norm", 0.5, 1e-6, 1e3, "Frobenius norm of each Theta_i at the start"),
     Parameter::real("target", GaussNewtonOptions::rounding, GaussNewtonOptions::rounding, exact_prediction,
                     "relative error of fitted and held-back examples at which a start is done")},
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
