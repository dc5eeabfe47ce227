#include "learner/lbfgs.h"

#include <fmt/format.h>
#include <lbfgs.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/linear_w.h"
#include "learner/loss.h"

namespace hardhead::learner {

using namespace attention;

namespace {

constexpr double target = 1e-24;
// Returned by progress(), beside the library's own codes.
constexpr int reached_target = 1000, cut_short = 1001;

std::string ending_of(int code) {
  static constexpr std::pair<int, const char*> names[] = {
      {reached_target, "converged"},
      {LBFGS_SUCCESS, "converged"},
      {LBFGS_ALREADY_MINIMIZED, "converged"},
      {LBFGS_STOP, "stalled"},
      {LBFGSERR_OUTOFMEMORY, "LBFGSERR_OUTOFMEMORY"},
      {LBFGSERR_OUTOFINTERVAL, "LBFGSERR_OUTOFINTERVAL"},
      {LBFGSERR_INCORRECT_TMINMAX, "LBFGSERR_INCORRECT_TMINMAX"},
      {LBFGSERR_ROUNDING_ERROR, "LBFGSERR_ROUNDING_ERROR"},
      {LBFGSERR_MINIMUMSTEP, "LBFGSERR_MINIMUMSTEP"},
      {LBFGSERR_MAXIMUMSTEP, "LBFGSERR_MAXIMUMSTEP"},
      {LBFGSERR_MAXIMUMLINESEARCH, "LBFGSERR_MAXIMUMLINESEARCH"},
      {LBFGSERR_MAXIMUMITERATION, "LBFGSERR_MAXIMUMITERATION"},
      {LBFGSERR_WIDTHTOOSMALL, "LBFGSERR_WIDTHTOOSMALL"},
      {LBFGSERR_INVALIDPARAMETERS, "LBFGSERR_INVALIDPARAMETERS"},
      {LBFGSERR_INCREASEGRADIENT, "LBFGSERR_INCREASEGRADIENT"},
  };
  for (const auto& [known, name] : names)
    if (known == code) return name;
  return fmt::format("libLBFGS code {}", code);
}

/// One start: what the library's callbacks need, and what they leave.
struct Fit {
  const std::vector<Block>& training;
  const RunControl& control;
  std::string_view phase;
  int most_iterations = 0;
  Stacked last{};  // parameters of the last finished iteration
  double training_error = 1;
  int iterations = 0, evaluations = 0;
  LossScratch scratch{};
  std::exception_ptr exception{};  // none may cross the library
};

// Relative error and its gradient. After an exception it returns at once; the library's line search, which
// knows no way out, then ends within a few calls.
double evaluate(void* instance, const double* x, double* gradient, int, double) {
  Fit& fit = *static_cast<Fit*>(instance);
  Eigen::Map<Stacked> out(gradient, fit.last.rows(), fit.last.cols());
  if (fit.exception) return std::numeric_limits<double>::infinity();
  try {
    fit.control.check();
    ++fit.evaluations;
    const Stacked at = Eigen::Map<const Stacked>(x, out.rows(), out.cols());
    if (!at.allFinite()) {
      out.setZero();
      return std::numeric_limits<double>::infinity();
    }
    const Loss there = loss(fit.training, unstack(at), fit.scratch);
    out = there.gradient * (2 / std::max(there.total, 1e-300));
    return there.relative_error();
  } catch (...) {
    fit.exception = std::current_exception();
    return std::numeric_limits<double>::infinity();
  }
}

int progress(void* instance, const double* x, const double*, double value, double, double, double, int,
             int iteration, int) {
  Fit& fit = *static_cast<Fit*>(instance);
  if (fit.exception) return cut_short;
  try {
    fit.last = Eigen::Map<const Stacked>(x, fit.last.rows(), fit.last.cols());
    fit.training_error = value;
    fit.iterations = iteration;
    fit.control.progress(fit.phase, static_cast<double>(iteration) / fit.most_iterations);
  } catch (...) {
    fit.exception = std::current_exception();
    return cut_short;
  }
  return value <= target ? reached_target : 0;
}

// From `start`; leaves in `fit` what it has also if it throws. Returns the library's code.
int minimise(const Layer& start, Fit& fit) {
  fit.last = stack(start);
  fit.training_error = relative_error(fit.training, start);
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 50;
  parameters.epsilon = 0;
  parameters.past = 50;
  parameters.delta = 0.01;
  parameters.max_iterations = fit.most_iterations;
  const auto size = static_cast<int>(fit.last.size());
  const std::unique_ptr<double, decltype(&lbfgs_free)> x(lbfgs_malloc(size), lbfgs_free);
  if (!x) return LBFGSERR_OUTOFMEMORY;
  std::copy(fit.last.data(), fit.last.data() + size, x.get());
  const int code = ::lbfgs(size, x.get(), nullptr, evaluate, progress, &fit, &parameters);
  if (fit.exception) std::rethrow_exception(fit.exception);
  return code;
}

Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer* observer) {
  Report report;
  const Index m = student_heads(task, options);
  const std::string name = fmt::format("fit_{}_heads", m);
  const std::int64_t examples =
      std::min(*task.examples, examples_for(source.d(), source.k(), m, options.real("oversampling")));
  const Split parts = split(examples);
  const Stream stream(Domain::learner, task.seed, "lbfgs");
  const Stopwatch watch;
  Phase phase{.name = name, .examples = examples};
  int starts = 0, iterations = 0, evaluations = 0;
  double best = std::numeric_limits<double>::infinity(), training_error = 1;
  std::string ending;
  try {
    const std::vector<Block> training = read_blocks(source, 0, parts.fitted, control);
    const std::vector<Block> holdout = read_blocks(source, parts.fitted, parts.held_back, control);
    report.examples_used = examples;
    const auto budget = static_cast<int>(options.integer("iterations"));
    while (starts < options.integer("starts") && iterations < budget && best > exact_prediction) {
      const auto thetas = random_thetas(stream, static_cast<std::uint64_t>(starts), source.d(), m,
                                        options.real("start_norm"));
      Fit fit{
          .training = training, .control = control, .phase = name, .most_iterations = budget - iterations};
      const auto keep = [&](const std::string& end) {
        iterations += fit.iterations, evaluations += fit.evaluations;
        const Layer layer = unstack(fit.last);
        const double held = relative_error(holdout, layer);
        if (starts++ > 0 && !(held < best)) return;
        best = held, training_error = fit.training_error, ending = end, report.layer = layer;
      };
      try {
        keep(ending_of(minimise(fit_w(training, thetas), fit)));
      } catch (const Stopped& stopped) {
        keep(stopped.reason);
        throw;
      }
    }
  } catch (const Stopped& stopped) {
    report.ending = Ending::stopped;
    report.message = stopped.reason;
    return report;
  }
  phase.add("starts", starts);
  phase.add("iterations", iterations);
  phase.add("evaluations", evaluations);
  phase.add("training_error", training_error);
  phase.add("holdout_error", best);
  phase.seconds = watch.seconds();
  report.phases.push_back(phase);
  if (observer != nullptr) observer->layer(0, *report.layer);
  if (best <= exact_prediction) {
    report.message = fmt::format("{} heads, held-back error {:.2g} ({})", m, best, ending);
  } else {
    report.ending = Ending::failed;
    report.failed_phase = name;
    report.message = fmt::format(
        "from none of {} starts did {} heads predict held-back examples: best error {:.2g}, training error {:.2g} "
        "({})",
        starts, m, best, training_error, ending);
  }
  return report;
}

std::int64_t default_examples(Index d, Index k, const Task& task, const Parameters& options) {
  return examples_for(d, k, student_heads(task, options), options.real("oversampling"));
}

// Examples, and the history of steps and gradients.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters& options) {
  const double unknowns = 2 * static_cast<double>(student_heads(task, options) * d * d);
  return example_bytes(d, k, std::min(*task.examples, default_examples(d, k, task, options))) +
         8 * 2 * 50 * unknowns;
}

std::optional<double> predicted_seconds(Index d, Index k, Index, const Task& task,
                                        const Parameters& options) {
  constexpr double passes = 150;
  const double examples =
      static_cast<double>(std::min(*task.examples, default_examples(d, k, task, options)));
  return passes * pass_seconds(d, k, student_heads(task, options), examples);
}

}  // namespace

const Method lbfgs_method{
    "lbfgs",
    "L-BFGS on all of (Theta, W) from small random starts (libLBFGS), a first-order baseline",
    "heuristic: no guarantee",
    {Parameter::integer("student", 0, 0, 64,
                        "heads of the student; 0: the stated number, or 8 if none is stated"),
     Parameter::integer("starts", 3, 1, 1000, "random starts"),
     Parameter::real("oversampling", 8, 1, 1e9,
                     "examples over the larger of 2 m d / k and d^2 / (k (k-1)); at least 1000"),
     Parameter::integer("iterations", 1000, 1, 1e6, "iterations of all starts together, at most"),
     Parameter::real("start_norm", 0.5, 1e-6, 1e3, "Frobenius norm of each Theta_i at the start")},
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
