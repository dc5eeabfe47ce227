// The learner `lbfgs`: full-batch L-BFGS on all of (Theta, W), by libLBFGS (J. Nocedal's method, N. Okazaki's
// library), a first-order baseline in double. Line search of More and Thuente, which satisfies the strong
// Wolfe conditions (1e-4, 0.9); objective sum ||F(X) - Y||^2 / sum ||Y||^2 (loss.h).
//
// Examples, hold-out and starts are those of `gauss-newton` (fitting.h, with `rank` factored_fits.h), at most
// `starts` (which share `iterations`) until one predicts the held-back examples exactly.
//
// A start ends when its relative training error is at most 1e-24 ("converged"), has fallen by less than 1%
// over 50 iterations ("stalled"), or as libLBFGS says, whose codes become the outcome by name
// ("LBFGSERR_MAXIMUMITERATION"). The learner fails in phase `fit_m_heads` with the best error and how that
// start ended.
#include <fmt/format.h>
#include <lbfgs.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "learner/cost.h"
#include "learner/fits/factored_fits.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/objective/loss.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

constexpr double target = 1e-24;
// Steps that the library remembers.
constexpr int history = 50;
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

/// What is minimised: relative errors and their gradients in the stacked parameters of a layer, whole or in
/// factors.
class LbfgsObjective {
 public:
  LbfgsObjective(const std::vector<Block>& training, const std::optional<Factors>& factors, StopToken stop)
      : training_(training), factors_(factors), stop_(std::move(stop)) {}

  Layer layer(const Stacked& parameters) const {
    return factors_ ? factors_->layer(parameters) : unstack(parameters);
  }
  /// Writes the gradient and returns the error.
  double evaluate(const Stacked& parameters, Eigen::Map<Stacked> gradient) {
    if (!factors_) {
      const Loss there = loss(training_, unstack(parameters), scratch_, stop_);
      gradient = there.gradient * (2 / std::max(there.total, 1e-300));
      return there.relative_error();
    }
    if (squares_)
      squares_->move_to(parameters);
    else
      squares_.emplace(training_, *factors_, parameters, 0, stop_);
    gradient = 2 * squares_->gradient();
    return squares_->relative_error();
  }

 private:
  const std::vector<Block>& training_;
  std::optional<Factors> factors_;
  StopToken stop_;
  LossScratch scratch_{};
  std::optional<FactoredSquares> squares_;
};

/// One start: what the library's callbacks need, and what they leave.
struct LbfgsFit {
  LbfgsObjective& objective;
  const RunContext& context;
  std::string_view phase;
  int most_iterations = 0;
  Stacked last;  // parameters of the last finished iteration
  double training_error = 1;
  int iterations = 0, evaluations = 0;
  std::exception_ptr exception{};  // none may cross the library
};

// Relative error and its gradient. After an exception it returns at once; the library's line search, which
// knows no way out, then ends within a few calls.
double evaluate(void* instance, const double* x, double* gradient, int, double) {
  LbfgsFit& fit = *static_cast<LbfgsFit*>(instance);
  Eigen::Map<Stacked> out(gradient, fit.last.rows(), fit.last.cols());
  if (fit.exception) return std::numeric_limits<double>::infinity();
  try {
    fit.context.stop.check();
    ++fit.evaluations;
    const Stacked at = Eigen::Map<const Stacked>(x, out.rows(), out.cols());
    if (!at.allFinite()) {
      out.setZero();
      return std::numeric_limits<double>::infinity();
    }
    return fit.objective.evaluate(at, out);
  } catch (...) {
    fit.exception = std::current_exception();
    return std::numeric_limits<double>::infinity();
  }
}

int progress(void* instance, const double* x, const double*, double value, double, double, double, int,
             int iteration, int) {
  LbfgsFit& fit = *static_cast<LbfgsFit*>(instance);
  if (fit.exception) return cut_short;
  try {
    fit.last = Eigen::Map<const Stacked>(x, fit.last.rows(), fit.last.cols());
    fit.training_error = value;
    fit.iterations = iteration;
    fit.context.progress.report(fit.phase, static_cast<double>(iteration) / fit.most_iterations);
  } catch (...) {
    fit.exception = std::current_exception();
    return cut_short;
  }
  return value <= target ? reached_target : 0;
}

// From `start`; leaves in `fit` what it has also if it throws. Returns the library's code.
int minimise(const std::vector<Block>& training, LbfgsFit& fit) {
  fit.training_error = relative_error(training, fit.objective.layer(fit.last), fit.context.stop);
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = history;
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

struct LbfgsOptions {
  Index student = 0;
  std::int64_t starts = 3;
  double oversampling = 8;
  int iterations = 3000;
  double start_norm = 0.5;
  FactorOptions in_factors;
};

OptionTable<LbfgsOptions> lbfgs_table() {
  return OptionTable<LbfgsOptions>()
      .integer("student", &LbfgsOptions::student, 0, 64,
               "heads of the student; 0: the stated number, or 8 if none is stated")
      .integer("starts", &LbfgsOptions::starts, 1, 1000, "random starts")
      .real("oversampling", &LbfgsOptions::oversampling, 1, 1e9,
            "examples over the larger of 2 m d / k and d^2 / (k (k-1)), or with rank over the bounds of such "
            "heads and d m / k; at least 1000")
      .integer("iterations", &LbfgsOptions::iterations, 1, 1e6, "iterations of all starts together, at most")
      .real(
          "start_norm", &LbfgsOptions::start_norm, 1e-6, 1e3,
          "Frobenius norm of each Theta_i at the start; every other start of whole heads has eight times as "
          "much, mostly on the diagonal")
      .part(&LbfgsOptions::in_factors, factor_rows());
}

/// All starts, and the best of them, whose layer the report has.
struct LbfgsStarts {
  int count = 0, iterations = 0, evaluations = 0;
  double holdout_error = std::numeric_limits<double>::infinity(), training_error = 1;
  std::string ending{};

  void take_in(const LbfgsFit& fit, const std::string& end, const std::vector<Block>& holdout,
               Report& report) {
    iterations += fit.iterations;
    evaluations += fit.evaluations;
    const Layer layer = fit.objective.layer(fit.last);
    const double held = relative_error(holdout, layer);
    ++count;
    if (count > 1 && !(held < holdout_error)) return;
    holdout_error = held;
    training_error = fit.training_error;
    ending = end;
    report.layer = layer;
  }

  void add_to(Phase& phase, const Report& report) const {
    if (count == 0) return;
    phase.add("starts", count);
    phase.add("iterations", iterations);
    phase.add("evaluations", evaluations);
    phase.add("training_error", training_error);
    phase.add("holdout_error", holdout_error);
    phase.estimates = {*report.layer};
  }
};

class Lbfgs final : public ExampleAlgorithm {
 public:
  explicit Lbfgs(const LbfgsOptions& options) : options_(options) {
    check_factor_options("lbfgs", options.in_factors);
  }

  Told told() const override { return options_.in_factors.told() ? Told::form : Told::nothing; }

  void run(const Run& run) const override {
    const Index m = heads(run.task);
    const std::string name = fmt::format("fit_{}_heads", m);
    const LbfgsStarts starts = descend(run, m, name);
    if (starts.holdout_error <= exact_prediction)
      run.recorder.report().message = fmt::format("{} head{}, held-back error {:.2g} ({})", m,
                                                  m == 1 ? "" : "s", starts.holdout_error, starts.ending);
    else
      run.recorder.fail(
          name,
          fmt::format("from none of {} starts did {} heads predict held-back examples: best error {:.2g}, "
                      "training error {:.2g} ({})",
                      starts.count, m, starts.holdout_error, starts.training_error, starts.ending));
  }

  std::int64_t least_examples(ExampleShape shape, const Task& task) const override {
    return counting_bound(ranks(shape, task.heads.value_or(1)), shape.d, shape.k);
  }

  std::int64_t default_examples(ExampleShape shape, const Task& task) const override {
    const std::int64_t fitted = wanted(shape, task);
    if (const auto in_factors = factors(shape, heads(task)))
      return first_order_examples(*in_factors, shape, 1, fitted, std::numeric_limits<std::int64_t>::max())
          .back();
    return fitted;
  }

  // Examples; a start, or the library's history of steps and gradients with some vectors besides; layers.
  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    constexpr double vectors = 2 * history + 8, layers = 8;
    const PassShape pass = shape.of_heads(heads(task));
    const std::int64_t examples = examples_of(shape, task);
    const double layer = layer_bytes(pass.d, pass.m);
    const auto in_factors = factors(shape, pass.m);
    const double parameters = in_factors ? 8 * static_cast<double>(in_factors->rows() * pass.d) : layer,
                 evaluation =
                     in_factors ? squares_bytes(pass, *in_factors, examples) : loss_bytes(pass, examples);
    const double start =
        in_factors ? factored_start_bytes(pass, *in_factors, examples) : fit_w_bytes(pass, examples);
    const double descent = vectors * parameters + std::max(evaluation, relative_error_bytes(pass));
    const double before_fit =
        in_factors ? first_order_bytes(pass, *in_factors, of_first_order(shape, task).back()) : 0;
    return {.work = layers * layer +
                    std::max(before_fit, example_bytes(pass.d, pass.k, examples) + std::max(start, descent)),
            .report = 2 * layer,
            .heads = pass.m};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index,
                                                    const Task& task) const override {
    constexpr double passes = 150;
    const double pass =
        pass_seconds(shape.d, shape.k, heads(task), static_cast<double>(examples_of(shape, task)));
    return PredictedSeconds{passes * pass, options_.iterations * pass};
  }

 private:
  Index heads(const Task& task) const {
    return options_.student > 0 ? options_.student : task.heads.value_or(8);
  }
  std::optional<Factors> factors(ExampleShape shape, Index m) const {
    return options_.in_factors.factors("lbfgs", shape, m);
  }
  Factors ranks(ExampleShape shape, Index m) const {
    return factors(shape, m).value_or(Factors{m, shape.d, shape.d});
  }

  static double squares_bytes(const PassShape& pass, const Factors& factors, std::int64_t examples) {
    const FactoredSquares::Bytes squares = FactoredSquares::bytes(pass, factors, examples, 0);
    return squares.itself + squares.work;
  }

  // Those that are fitted, and those that show heads in factors to first order.
  std::int64_t wanted(ExampleShape shape, const Task& task) const {
    return examples_for(ranks(shape, heads(task)), shape, options_.oversampling);
  }
  std::int64_t examples_of(ExampleShape shape, const Task& task) const {
    return std::min(*task.examples, wanted(shape, task));
  }
  std::vector<std::int64_t> of_first_order(ExampleShape shape, const Task& task) const {
    return first_order_examples(*factors(shape, heads(task)), shape, 1, examples_of(shape, task),
                                *task.examples);
  }

  // Starts with m heads until one predicts exactly.
  LbfgsStarts descend(const Run& run, Index m, const std::string& name) const {
    const std::int64_t examples = examples_of(run.shape(), run.task);
    Report& report = run.recorder.report();
    std::vector<Block> training, holdout;
    LbfgsStarts starts;
    const auto in_factors = factors(run.shape(), m);
    std::optional<FactoredStarts> in_factors_from;
    if (in_factors)
      in_factors_from.emplace(run, *in_factors, of_first_order(run.shape(), run.task), options_.start_norm,
                              starts_stream(run));
    LbfgsObjective objective(training, in_factors, run.context.stop);
    std::optional<LbfgsFit> fit;  // the start under way
    const auto keep = [&](const std::string& ending) {
      starts.take_in(*fit, ending, holdout, report);
      fit.reset();
    };
    run.recorder.phase(
        name, examples,
        [&](Phase&) {
          const Split parts = split(examples);
          training = read_blocks(run.source, 0, parts.fitted, run.context);
          holdout = read_blocks(run.source, parts.fitted, parts.held_back, run.context);
          while (starts.count < options_.starts && starts.iterations < options_.iterations &&
                 starts.holdout_error > exact_prediction) {
            fit.emplace(LbfgsFit{objective, run.context, name, options_.iterations - starts.iterations,
                                 in_factors_from
                                     ? in_factors_from->start(starts.count, training, run.context.stop)
                                     : whole_start(run, m, starts.count, training)});
            keep(ending_of(minimise(training, *fit)));
          }
        },
        [&](Phase& phase) {
          if (fit) keep("stopped");
          starts.add_to(phase, report);
        });
    return starts;
  }

  static Stream starts_stream(const Run& run) { return Stream(Domain::learner, run.task.seed, "lbfgs"); }
  Stacked whole_start(const Run& run, Index m, int start, const std::vector<Block>& training) const {
    const auto item = static_cast<std::uint64_t>(start);
    return stack(fit_w(training,
                       start_thetas(starts_stream(run), item, run.d(), m, options_.start_norm, start),
                       run.context.stop));
  }

  LbfgsOptions options_;
};

}  // namespace

const Method lbfgs_method = method_of<Lbfgs>(
    "lbfgs", "L-BFGS on all of (Theta, W) from small random starts (libLBFGS), a first-order baseline",
    "heuristic: no guarantee", lbfgs_table(),
    [](const Spec& method, double) { return oversampling_ladder(method, {8, 32, 128, 512}); });

}  // namespace hardhead::learner
