#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "attention/forward/block.h"
#include "base/run/run_context.h"
#include "learner/factors/factored_squares.h"
#include "learner/fits/recycled_directions.h"
#include "learner/learner.h"
#include "learner/objective/least_squares.h"

namespace hardhead::learner {

/// When a fit ends.
struct GaussNewtonOptions {
  /// Relative training error at which rounding leaves nothing to gain.
  static constexpr double rounding = 1e-29;

  int iterations = 100;        ///< at most this many, accepted or rejected steps
  int inner_iterations = 500;  ///< conjugate gradient steps for each
  /// Whether more examples are to be had. A fit that these barely determine then ends.
  bool more_examples = false;
  int all_inner_iterations = std::numeric_limits<int>::max();  ///< conjugate gradient steps of all together
  double target = rounding;  ///< relative error, of training and held-back examples, at which a fit is done
  int patience = 30;         ///< steps without a new best held-back error before giving up
  /// What a linearisation of whole layers may keep of its examples; the rest is computed again for each
  /// product, to the same result.
  double kept_bytes = Linearisation::default_kept_bytes;
};

/// Why a fit ended; GaussNewton says when each applies.
enum class GaussNewtonEnding {
  converged,
  stalled,
  out_of_patience,
  undetermined,
  barely_determined,
  iteration_limit
};

constexpr auto enum_names(GaussNewtonEnding) {
  using Ending = GaussNewtonEnding;
  return std::to_array<EnumName<Ending>>(
      {{Ending::converged, "converged"},
       {Ending::stalled, "stalled"},
       {Ending::out_of_patience, "held-back error stopped falling"},
       {Ending::undetermined, "the examples do not determine the layer"},
       {Ending::barely_determined, "the examples barely determine the layer"},
       {Ending::iteration_limit, "iteration limit"}});
}

/// A fit, and how it went.
struct GaussNewtonResult {
  Layer layer;                ///< of all steps, the one with the best held-back error
  double training_error = 1;  ///< relative, sum ||F - Y||^2 / sum ||Y||^2
  double holdout_error = 1;   ///< the same on examples the fit has not seen
  int iterations = 0;         ///< steps, taken or not
  int inner_steps = 0;        ///< conjugate gradient steps, all of them
  GaussNewtonEnding ending = GaussNewtonEnding::iteration_limit;  ///< why it ended
  std::vector<CurvePoint> curve;  ///< the start and every step taken; seconds since the fit began
};

/// What is fitted: how a layer depends on the parameters, and the problem of fitting it, linearised.
struct FitProblem {
  std::function<Layer(const Stacked& parameters)> layer;  ///< with these parameters
  std::function<std::unique_ptr<Linearised>(const Stacked& parameters)> linearised;  ///< at these
  /// A step that lowers no error is cut at most so many times before another one is sought.
  int most_cuts = 0;
  /// The largest relative residual at which conjugate gradients end.
  double most_residual = 0.1;
  /// The smallest one with products in single precision, below which their rounding tells.
  double least_rough_residual = 1e-5;
};
/// All of (Theta, W), stacked. The examples must outlive it.
FitProblem whole_layers(const std::vector<Block>& training, double kept_bytes, const StopToken& stop);
/// Heads in factors, whose products are dear and whose far steps are short: conjugate gradients end at 0.4,
/// and in single precision at 1e-4. The examples must outlive it.
FitProblem factored_layers(const std::vector<Block>& training, const Factors& factors, double kept_bytes,
                           const StopToken& stop);

/// Damped Gauss-Newton (Levenberg-Marquardt) on all parameters of a problem from a given start.
///
/// A step solves (J^T J + mu M) delta = -J^T r by preconditioned conjugate gradients, M the preconditioner of
/// Linearised, to a relative residual of sqrt(relative error), so that convergence ends quadratic, cut to
/// [1e-6, most_residual], or until the linearised problem's error is a tenth of an exact prediction, and from
/// there of the target. The norm is that of M and the directions of the step before (recycled_directions.h).
/// Products with J^T J may be in single precision, which then ends at least_rough_residual: residuals and
/// gradients are in double, so that the steps together are iterative refinement. Below a relative error of
/// 1e-5, products are in double after a step that was dropped, and in the step that decides whether a fit is
/// singular; above it a step goes on to the best point that costs little (Linearised::move_to_best).
///
/// Damping is at least the relative error at the current layer, which keeps convergence quadratic (N.
/// Yamashita, M. Fukushima, "On the rate of convergence of the Levenberg-Marquardt method", 2001) and makes
/// steps far from the solution short and cheap. Above that it follows the gain rho = actual / predicted
/// decrease of ||r||^2 (K. Madsen, H. Nielsen, O. Tingleff, "Methods for non-linear least squares problems",
/// 2004): a step that decreases it is taken, and mu becomes mu * max(1/10, 1 - (2 rho - 1)^3), at least
/// 1e-14; one that does not is dropped, and mu grows by 2, 4, 8, .. Before that it is cut, most_cuts times,
/// and mu grows each time.
///
/// Ends when
///   - converged: training and held-back error are at most `target`, or the training error is down to
///     rounding, or both are exact predictions and two steps on end leave more than a hundredth of the error
///     (a singular fit, as where a head can be spared, nears the target slowly);
///   - stalled: five steps on end gain less than 1e-3 each, or mu exceeds 1e8;
///   - out of patience: `patience` steps taken without a new best held-back error;
///   - undetermined: the training error is below 1e-6 of a held-back error that is not exact: another start
///     would say as little of other examples. (Runs that recover from 1.3 times the pattern bound come down
///     to 5e-6, from more examples to 1e-4.)
///   - barely determined: with `more_examples`, at a layer whose held-back error is below 0.3, more than five
///     times the training error, and that above 1e-5 (below, few steps are left). That is the ratio of a
///     linear problem with 0.55 times as many unknowns as equations, of condition number 46, which twice the
///     examples make 10. (Synthetic heads that these examples recover come to a ratio of 2.5.)
///   - at the limit of iterations, or of conjugate gradient steps.
///
/// Heuristic: no guarantee from a random start.
class GaussNewton {
 public:
  /// Linearises at `start`. The held-back examples must outlive it. Throws Stopped, as `stop` says, here and
  /// later.
  GaussNewton(FitProblem problem, const std::vector<Block>& holdout, Stacked start,
              const GaussNewtonOptions& options, const StopToken& stop);

  /// Takes steps until an end is reached, and reports progress as `phase`. Where it throws Stopped, result()
  /// holds then what there is by then.
  void minimise(const ProgressSink& progress, std::string_view phase);
  /// The best layer so far.
  const GaussNewtonResult& result() const { return result_; }

 private:
  struct Step {
    Stacked delta;
    double predicted = 0;  // decrease of ||r + J delta||^2 / ||Y||^2
    bool is_cut = false;   // shorter than it was
  };

  double fraction_done();
  bool finished();
  Step damped_step();
  Step shorter(const Step& step, double decrease);
  double evaluate(const Step& step);
  void accept(const Step& step, double decrease);
  void reject();
  void raise_damping();
  std::optional<GaussNewtonEnding> ending_after_a_gain(double decrease, double error_before);

  FitProblem problem_;
  const std::vector<Block>& holdout_;
  GaussNewtonOptions options_;
  StopToken stop_;
  GaussNewtonResult result_;
  Stopwatch watch_;
  std::optional<GaussNewtonEnding> ending_;

  Stacked current_, trial_;
  std::unique_ptr<Linearised> at_, next_;  // at the current point, and at the trial
  std::unique_ptr<const Linearised::Preconditioner> preconditioner_;  // at the current point
  RecycledDirections recycled_;
  double held_back_error_ = 1;               // of the current layer
  double mu_ = 1e-14, raise_ = 2;            // the damping, and its next factor
  bool was_cut_ = false;                     // the last step that was taken
  bool precise_ = false;                     // conjugate gradients in double, after a step that was dropped
  int slow_steps_ = 0, singular_steps_ = 0;  // on end
  int since_best_ = 0;                       // taken without a new best error
  double done_ = 0;                          // what fraction_done() said last: it never falls
};

/// A GaussNewton on whole layers that has run to its end. Throws Stopped.
GaussNewtonResult gauss_newton(const std::vector<Block>& training, const std::vector<Block>& holdout,
                               Layer start, const GaussNewtonOptions& options, const RunContext& context,
                               std::string_view phase);

/// Bytes that a fit from a given start takes at most, besides its examples, with
/// GaussNewtonOptions::kept_bytes.
double gauss_newton_bytes(const PassShape& shape, std::int64_t examples,
                          double kept_bytes = Linearisation::default_kept_bytes);

/// The same for heads in factors.
double gauss_newton_bytes(const PassShape& shape, const Factors& factors, std::int64_t examples,
                          double kept_bytes = FactoredSquares::default_kept_bytes);

}  // namespace hardhead::learner
