#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "learner/fits/fitting.h"
#include "learner/fits/gauss_newton.h"
#include "learner/learner.h"

namespace hardhead::learner {

/// The best fit of all numbers of heads and examples: the one of least error, unless errors are as near to
/// each other as chance on held-back labels with noise brings them. Then more heads are no reason, and more
/// examples are one. The run's report has its layer.
struct BestFit {
  double error = std::numeric_limits<double>::infinity();         ///< held back
  std::int64_t examples = 0;                                      ///< that were fitted
  GaussNewtonEnding ending = GaussNewtonEnding::iteration_limit;  ///< why it ended
};

/// Fits by Gauss-Newton with the same number of heads, from several starts on the same examples.
class HeadFits {
 public:
  /// Fits of the phase `name` of `run`, with its heads in `factors` where these are given. What predicts
  /// better than `best` takes its place, and the place of the report's layer. If it `leaves_out` what can be
  /// spared, which only makes a fit singular, it does so once a fit is close, and then fits the rest to its
  /// end: whole heads, or of heads in factors what their rank is too large by.
  HeadFits(const Run& run, const std::optional<Factors>& factors, const GaussNewtonOptions& steps,
           std::string_view name, BestFit& best, bool leaves_out)
      : run_(run), factors_(factors), steps_(steps), name_(name), best_(best), leaves_out_(leaves_out) {}

  /// Reads the examples that are fitted, which come first, and those held back.
  void read(const Split& parts);
  /// The fitted examples.
  const std::vector<Block>& training() const { return training_; }

  /// A fit, and another from its end with the heads turned that have the wrong sign (turned_heads).
  void start(const Stacked& from);
  /// Calls of start().
  int starts() const { return starts_; }
  /// Whether another start may do better: none has predicted exactly or shown that the examples determine no
  /// layer, or barely one.
  bool go_on() const;
  /// Of the best fit, on held-back examples; infinity without one.
  double error() const;
  /// Whether the best fit has a much smaller error on fitted examples than on held-back ones. More examples
  /// may help then, and more heads do not.
  bool overfits() const;

  /// Leaves heads out of the best layer for as long as one with fewer predicts exactly.
  void leave_out_spare_heads();

  /// Reports all fits in `phase`. A fit that was stopped counts as it is.
  void finish(Phase& phase);

 private:
  FitProblem problem() const;
  GaussNewtonResult fit(const Stacked& from);
  GaussNewtonResult fit_without_spare_rank(const Stacked& from);
  Layer without_spare_heads(const GaussNewtonResult& close) const;
  Layer with_fewest_heads(Layer close, bool some_spared);
  GaussNewtonResult minimise(const Stacked& from, double target, int iterations);
  GaussNewtonResult keep();
  void take_in(const GaussNewtonResult& result);
  bool is_best() const;
  void take_best();

  const Run& run_;
  std::optional<Factors> factors_;  // of the fit under way
  GaussNewtonOptions steps_;
  std::string_view name_;
  BestFit& best_;
  bool leaves_out_;
  std::vector<Block> training_, holdout_;
  int starts_ = 0, iterations_ = 0, inner_steps_ = 0;
  Stopwatch watch_;
  std::vector<CurvePoint> curve_;
  double begun_ = 0;                        // seconds of watch_ when the fit under way began
  std::optional<GaussNewtonResult> least_;  // by held-back error
  std::optional<GaussNewton> fit_;          // under way
};

}  // namespace hardhead::learner
