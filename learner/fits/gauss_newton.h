#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
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
/// As a phrase: "converged", "stalled", "held-back error stopped falling", "the examples do not determine the
/// layer", "the examples barely determine the layer", "iteration limit".
std::string to_string(GaussNewtonEnding ending);

/// A fit, and how it went.
struct GaussNewtonResult {
  attention::Layer layer;     ///< of all steps, the one with the best held-back error
  double training_error = 1;  ///< relative, sum ||F - Y||^2 / sum ||Y||^2
  double holdout_error = 1;   ///< the same on examples the fit has not seen
  int iterations = 0;         ///< steps, taken or not
  int inner_steps = 0;        ///< conjugate gradient steps, all of them
  GaussNewtonEnding ending = GaussNewtonEnding::iteration_limit;  ///< why it ended
  std::vector<CurvePoint> curve;  ///< the start and every step taken; seconds since the fit began
};

/// What is fitted: how a layer depends on the parameters, and the problem of fitting it, linearised.
struct FitProblem {
  std::function<attention::Layer(const Stacked& parameters)> layer;  ///< with these parameters
  std::function<std::unique_ptr<Linearised>(const Stacked& parameters)> linearised;  ///< at these
  /// A step that lowers no error is cut at most so many times before another one is sought.
  int most_cuts = 0;
  /// The largest relative residual at which conjugate gradients end.
  double most_residual = 0.1;
  /// The smallest one with products in single precision, below which their rounding tells.
  double least_rough_residual = 1e-5;
};
/// All of (Theta, W), stacked. The examples must outlive it.
FitProblem whole_layers(const std::vector<attention::Block>& training, double kept_bytes,
                        const StopToken& stop);
/// Heads in factors, whose products are dear and whose far steps are short: conjugate gradients end at 0.4,
/// and in single precision at 1e-4. The examples must outlive it.
FitProblem factored_layers(const std::vector<attention::Block>& training, const Factors& factors,
                           double kept_bytes, const StopToken& stop);

/// Damped Gauss-Newton (Levenberg-Marquardt) on all parameters of a problem from a given start.
///
/// A step solves (J^T J + mu M) delta = -J^T r by preconditioned conjugate gradients, M the preconditioner of
/// Linearised, to a relative residual of sqrt(relative error), so that convergence ends quadratic, cut to
/// [1e-6, most_residual], or until the linearised problem's error is a tenth of an exact prediction, and from
/// there of the target. The norm is that of the preconditioner H, which has M and the directions of the step
/// before (recycled_directions.h). Products with J^T J may be in single precision,
/// which then ends at least_rough_residual: residuals and gradients are in double, so that the steps together
/// are iterative refinement. After a step that was dropped below a relative error of 1e-5, products are in
/// double until one is taken; and so they are in the step that decides whether a fit is singular. Above a
/// relative error of 1e-5 a step goes on to the best point that costs little (Linearised::move_to_best): the
/// linearised problem says little of it there.
///
/// Damping is at least the relative error at the current layer, which keeps convergence quadratic (N.
/// Yamashita, M. Fukushima, "On the rate of convergence of the Levenberg-Marquardt method", 2001) and makes
/// steps far from the solution short, well conditioned and cheap. Above that it follows the gain rho = actual
/// / predicted decrease of
/// ||r||^2 (K. Madsen, H. Nielsen, O. Tingleff, "Methods for non-linear least squares problems", 2004): a
/// step that decreases ||r||^2 is taken, and mu becomes mu * max(1/10, 1 - (2 rho - 1)^3), at least 1e-14;
/// one that does not is dropped, and mu grows by 2, 4, 8, .. The predicted decrease is <delta, J^T r> and
/// what conjugate gradients know already, no product more: -<delta, J^T r> + <delta, residual> + mu <delta, M
/// delta>.
///
/// Before a step of heads in factors is dropped, it is cut up to three times, to the minimum of the parabola
/// that has the error's slope at 0 and its value at the step, and mu grows each time. Conjugate gradients of
/// the step after a cut one end at most_residual: the linearised problem says little that far away.
///
/// Ends when
///   - converged: training and held-back error are at most `target`, or the training error is down to
///     rounding, or both are exact predictions and two steps on end leave more than a hundredth of the error
///     (a singular fit, as where a head can be spared, nears the target slowly);
///   - stalled: five steps on end gain less than 1e-3 each, or mu exceeds 1e8;
///   - out of patience: `patience` steps taken without a new best held-back error;
///   - undetermined: the training error is below 1e-6 of a held-back error that is not exact: the fit says
///     all there is to say about its examples and nothing about others, as another start would. (Runs that
///     recover from 1.3 times the pattern bound come down to 5e-6, from more examples to 1e-4.)
///   - barely determined: with `more_examples`, at a layer whose held-back error is below 0.3, more than
///     five times the training error, and that above 1e-5 (below, few steps are left). So it is at a solution
///     of a linear problem with 0.55 times as many unknowns as equations, independent and of equal variance:
///     the ratio is 1 / (1 - unknowns / equations)^2, and the condition number 46. Twice the examples make it
///     10, and steps of as many products cost the same. (Synthetic heads that these examples recover come to
///     a ratio of 2.5.)
///   - at the limit of iterations, or of conjugate gradient steps.
///
/// Heuristic: no guarantee from a random start.
class GaussNewton {
 public:
  /// Linearises at `start`. The held-back examples must outlive it. Throws Stopped, as `stop` says, here and
  /// later.
  GaussNewton(FitProblem problem, const std::vector<attention::Block>& holdout, Stacked start,
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
  const std::vector<attention::Block>& holdout_;
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
GaussNewtonResult gauss_newton(const std::vector<attention::Block>& training,
                               const std::vector<attention::Block>& holdout, attention::Layer start,
                               const GaussNewtonOptions& options, const RunContext& context,
                               std::string_view phase);

/// Bytes that a fit from a given start takes at most, besides its examples, with
/// GaussNewtonOptions::kept_bytes.
double gauss_newton_bytes(const attention::PassShape& shape, std::int64_t examples,
                          double kept_bytes = Linearisation::default_kept_bytes);

/// The same for heads in factors.
double gauss_newton_bytes(const attention::PassShape& shape, const Factors& factors, std::int64_t examples,
                          double kept_bytes = FactoredSquares::default_kept_bytes);

/// The learner `gauss-newton`, for the stated number m of heads; with the option `student`, for that number
/// of heads alone. For each m it reads examples_for(m) examples (fitting.h), or as many as it is allowed, and
/// holds a tenth of them back. Where no m succeeds and it is allowed more, it begins again with 4 times as
/// many examples, then with 16 and with 64 times. (On parity layers, few examples are overfitted by every
/// start and more of them are learnt.)
///
/// Where m is not stated, it begins with as many heads as stand out of the noise (head_strengths.h), goes on
/// with more, for as long as they lower the held-back error, and then with fewer, until one number succeeds.
/// Where none or more than eight stand out, it fits half of `max_heads` and then all of them, since many
/// heads learn what few do not, and fewer only if these overfit. Heads that can be spared make a fit
/// singular. Once its error is 1e-4, heads whose absence the error does not show are therefore left out, and
/// fits with one head fewer are tried as long as they come as close. The fewest heads have a few steps to the
/// end. If these do not do, since few heads can be singular in their turn, the fit ends with as many as the
/// error asked for.
///
/// Restarts: at most `starts` for each m, all on the same examples, Theta_i from
/// start_thetas() (fitting.h) and W by least squares, until one predicts the held-back examples exactly; the
/// best on those is kept. A start that ends elsewhere goes on once with heads of the wrong sign turned
/// (head_signs.h), if it explains half of the held-back labels. A single start where the examples cannot
/// determine the layer: fewer fitted than pattern_bound, or a start that ended undetermined.
///
/// With the option `rank`, heads are fitted in factors, Theta_i = Q_i K_i^T and W_i = V_i O_i of this rank
/// (W_i of `value_rank`). The first start has the Q_i, K_i and V_i that the labels show to first order
/// (low_rank_heads.h), for which more examples are read than are fitted where d is large
/// (first_order_examples); the next ones have random ones; the O_i are by least squares. Where first order
/// leaves more than a third of the labels, twice as many examples are fitted: attention is far from linear
/// there, and many examples say little of it. Bounds on examples are those of such layers (factors.h). Heads
/// are neither turned nor left out.
///
/// With ranks=found, fits have heads of ranks d / m, twice that, .. (growing_ranks), until one predicts the
/// held-back examples exactly, each from the examples that such heads ask for. A rank larger than that of the
/// layer makes a fit singular, and slow in the end. Once its error is 1e-5, its heads are therefore cut to
/// the ranks that they have but for what such an error can add (without_spare_rank), and the fit goes on from
/// there. Where these heads do not predict exactly, since they have smaller singular values, it goes on with
/// those that were not cut, and cuts again at an error of 1e-8 and of 1e-11.
extern const Method gauss_newton_method;

}  // namespace hardhead::learner
