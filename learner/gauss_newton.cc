#include "learner/gauss_newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "learner/blocks.h"
#include "learner/least_squares.h"
#include "learner/linear_w.h"

namespace hardhead::learner {

using namespace attention;

namespace {

double inner(const Stacked& a, const Stacked& b) {
  return a.cwiseProduct(b).sum();
}

// (J^T J + mu M) delta = -gradient by conjugate gradients preconditioned with M.
Stacked damped_step(const Linearisation& at, const Linearisation::Preconditioner& preconditioner, double mu,
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
  return delta;
}

}  // namespace

GaussNewtonResult gauss_newton(const std::vector<Block>& training, const std::vector<Block>& holdout,
                               Layer start, const GaussNewtonOptions& options, const RunControl& control,
                               std::string_view phase) {
  GaussNewtonResult out;
  out.layer = std::move(start);
  out.holdout_error = relative_error(holdout, out.layer);
  out.ending = "iteration limit";
  Layer current = out.layer;
  auto at = std::make_unique<Linearisation>(training, current);
  out.training_error = at->relative_error();
  std::optional<Linearisation::Preconditioner> preconditioner;  // of `at`; rejected steps keep it
  double mu = options.first_damping, raise = 2;
  int slow_steps = 0, since_best = 0;
  while (out.iterations < options.iterations) {
    const double error = at->relative_error();
    if (!(error > options.target)) {
      out.ending = "converged";
      break;
    }
    control.check();
    ++out.iterations;
    if (!preconditioner) preconditioner = at->preconditioner();
    const double tolerance = std::clamp(std::sqrt(error), 1e-6, 0.1);
    const Stacked delta =
        damped_step(*at, *preconditioner, mu, tolerance, options.inner_iterations, control, out.inner_steps);
    // Decrease of ||r + J delta||^2, using that delta nearly solves the damped equations.
    const double predicted = -2 * inner(at->gradient(), delta) - inner(delta, at->normal_product(delta));
    const Layer trial = unstack(stack(current) + delta);
    auto next = std::make_unique<Linearisation>(training, trial);
    const double decrease = error - next->relative_error(), gain = decrease / predicted;
    if (!(decrease > 0) || !(predicted > 0)) {
      mu *= raise;
      raise *= 2;
      if (mu > 1e8) {
        out.ending = "stalled";
        break;
      }
      continue;
    }
    mu = std::max(mu * std::max(1.0 / 10, 1 - std::pow(2 * gain - 1, 3)), 1e-14);
    raise = 2;
    current = trial;
    at = std::move(next);
    preconditioner.reset();
    slow_steps = decrease < 1e-3 * error ? slow_steps + 1 : 0;

    const double held = relative_error(holdout, current);
    ++since_best;
    if (held < out.holdout_error) {
      since_best = 0;
      out.layer = current, out.holdout_error = held, out.training_error = at->relative_error();
    }
    control.progress(phase, static_cast<double>(out.iterations) / options.iterations);
    if (slow_steps >= 5) {
      out.ending = "stalled";
      break;
    }
    if (since_best >= options.patience) {
      out.ending = "held-back error stopped falling";
      break;
    }
  }
  return out;
}

namespace {

// Held-back error at which a number of heads is taken for the true one.
constexpr double exact_prediction = 1e-12;

std::vector<Matrix> random_start(const Stream& stream, std::uint64_t item, Index d, Index m, double norm) {
  std::vector<double> numbers(static_cast<std::size_t>(m * d * d));
  stream.normals(item, numbers);
  std::vector<Matrix> thetas;
  for (Index i = 0; i < m; ++i) {
    thetas.push_back(Eigen::Map<const Matrix>(numbers.data() + i * d * d, d, d));
    thetas.back() *= norm / thetas.back().norm();
  }
  return thetas;
}

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  Report report;
  report.examples_used = *task.examples;
  const std::int64_t held_back = std::max<std::int64_t>(1, *task.examples / 10);
  const std::int64_t fitted = *task.examples - held_back;
  const Index first = task.heads.value_or(1), last = task.heads.value_or(options.integer("max_heads"));
  const Stream stream(Domain::learner, task.seed, "gauss-newton");
  GaussNewtonOptions steps;
  steps.iterations = static_cast<int>(options.integer("iterations"));
  steps.patience = static_cast<int>(options.integer("patience"));
  double best = std::numeric_limits<double>::infinity();
  std::string ending;
  try {
    const std::vector<Block> training = read_blocks(source, 0, fitted, control);
    const std::vector<Block> holdout = read_blocks(source, fitted, held_back, control);
    for (Index m = first; m <= last && best > exact_prediction; ++m) {
      // More unknowns than numbers would fit anything.
      if (!task.heads && m > 1 && counting_bound(source.d(), source.k(), m) > fitted) break;
      const Stopwatch watch;
      const std::string name = fmt::format("fit_{}_heads", m);
      Phase phase{.name = name, .examples = *task.examples};
      int starts = 0, iterations = 0, inner_steps = 0;
      double least = std::numeric_limits<double>::infinity(), training_error = 1;
      Layer found;
      while (starts < options.integer("starts") && least > exact_prediction) {
        const auto item = static_cast<std::uint64_t>(m * 1000 + starts++);
        const auto thetas = random_start(stream, item, source.d(), m, options.real("start_norm"));
        const GaussNewtonResult result =
            gauss_newton(training, holdout, fit_w(training, thetas), steps, control, name);
        iterations += result.iterations, inner_steps += result.inner_steps;
        if (result.holdout_error < least)
          least = result.holdout_error, training_error = result.training_error, found = result.layer,
          ending = result.ending;
      }
      phase.add("starts", starts);
      phase.add("iterations", iterations);
      phase.add("inner_steps", inner_steps);
      phase.add("training_error", training_error);
      phase.add("holdout_error", least);
      phase.seconds = watch.seconds();
      report.phases.push_back(phase);
      if (observer != nullptr) observer->layer(report.phases.size() - 1, found);
      if (least < best) best = least, report.layer = found;
    }
  } catch (const Stopped& stopped) {
    report.ending = Ending::stopped;
    report.message = stopped.reason;
    return report;
  }
  if (best <= exact_prediction) {
    report.message = fmt::format("{} heads, held-back error {:.2g}", report.layer->m(), best);
  } else {
    report.ending = Ending::failed;
    report.failed_phase = fmt::format("fit_{}_heads", report.layer->m());
    report.message = fmt::format(
        "from no start did {} predict held-back examples: best error {:.2g} with {} heads ({})",
        first == last ? fmt::format("{} heads", first) : fmt::format("{} to {} heads", first, last), best,
        report.layer->m(), ending);
  }
  return report;
}

std::int64_t default_examples(Index d, Index k) {
  return std::max<std::int64_t>(2000, 20 * counting_bound(d, k, 8));
}

// Examples and, for each, the kept patterns and mean tokens of two linearisations.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters& options) {
  const auto m = static_cast<double>(task.heads.value_or(options.integer("max_heads")));
  const auto tokens = static_cast<double>(k), features = static_cast<double>(d);
  return 8 * static_cast<double>(*task.examples) * tokens * (2 * features + 2 * m * (tokens + features));
}

}  // namespace

const Method gauss_newton_method{
    "gauss-newton",
    "damped Gauss-Newton on all of (Theta, W) from small random starts",
    "heuristic: no guarantee",
    {Parameter::integer("starts", 3, 1, 1000, "random starts for each number of heads"),
     Parameter::integer("max_heads", 8, 1, 64, "largest number of heads tried when it is not given"),
     Parameter::integer("iterations", 100, 1, 1e6, "steps of a start, at most"),
     Parameter::integer("patience", 30, 1, 1e6, "steps without a better held-back error before a start ends"),
     Parameter::real("start_norm", 0.5, 1e-6, 1e3, "Frobenius norm of each Theta_i at the start")},
    default_examples,
    predicted_bytes,
    run};

}  // namespace hardhead::learner
