#pragma once
#include <tbb/enumerable_thread_specific.h>

#include <limits>
#include <vector>

#include "learner/gradient/batches.h"
#include "learner/gradient/optimiser.h"
#include "learner/gradient/student_loss.h"
#include "learner/learner.h"

namespace hardhead::learner {

/// What a descent needs to know besides its examples.
struct DescentOptions {
  UpdateRule rule = UpdateRule::adam;            ///< how a step follows from a gradient
  LossKind loss = LossKind::squared;             ///< what it follows
  std::int64_t steps = 20000;                    ///< T, at most
  std::int64_t batch = 512;                      ///< examples a step
  double rate = 3e-3;                            ///< the first one
  RateSchedule schedule = RateSchedule::cosine;  ///< how it goes down
  double momentum = 0.9;                         ///< of sgd and sign-sgd
  double shrinkage = 0;                          ///< of full Theta_i off the diagonal, in rates
  std::int64_t patience = 0;                     ///< steps without a gain that end it; 0: it goes on
  double until = 1e-6;  ///< the relative held-back error at which it ends; single precision goes little lower
  StudentStart start;   ///< the sizes of its random parameters
};

/// Why a descent ended short of the error that was asked for.
enum class DescentEnding { steps_ran_out, stopped_falling, overfitted, overflowed };

constexpr auto enum_names(DescentEnding) {
  return std::to_array<EnumName<DescentEnding>>(
      {{DescentEnding::steps_ran_out, "steps ran out"},
       {DescentEnding::stopped_falling, "held-back error stopped falling"},
       {DescentEnding::overfitted, "the student fits its examples and no others"},
       {DescentEnding::overflowed, "parameters overflowed"}});
}

/// One descent from random parameters (gradient_descent.cc).
class Descent {
 public:
  /// Reads the examples 0 .. fitted - 1 of the run's source; `start` makes the random numbers. All that is
  /// handed over must outlive it.
  Descent(const Run& run, const StudentShape& shape, const DescentOptions& options,
          const std::vector<Block>& holdout, std::int64_t fitted, const Stream& start);

  /// Bytes that a descent takes at most on `fitted` examples of this shape, besides those held back.
  static double bytes(const StudentShape& student, const PassShape& examples, const DescentOptions& options,
                      std::int64_t fitted);

  /// Takes steps until the held-back error is at most `error` or another end is reached. Throws Stopped.
  void descend_to(double error);

  /// Steps taken.
  std::int64_t steps() const { return step_; }
  /// The held-back error of best().
  double error() const { return error_; }
  /// The best layer so far, if one has been judged.
  const std::optional<Layer>& best() const { return best_; }
  /// Why it ended, where it did not come down to the error that was asked for.
  DescentEnding ending() const { return ending_; }

 private:
  struct Buffers {
    Block read;
    FloatBlock block;
    StudentLoss::Scratch scratch;
  };

  void step();
  void judge();
  bool overfitted() const;

  const Run& run_;
  StudentShape shape_;
  DescentOptions options_;
  const std::vector<Block>& holdout_;
  std::int64_t fitted_;
  Batches batches_;
  FloatMatrix parameters_;
  Optimiser optimiser_;
  double scale_;  // batch times the mean loss of predicting 0
  tbb::enumerable_thread_specific<Buffers> buffers_;
  std::int64_t step_ = 0, last_gain_ = 0;
  double loss_since_ = 0, training_loss_ = 0;  // since the last judgement, and before it; relative
  std::int64_t judged_ = 0;                    // steps at the last judgement
  double error_ = std::numeric_limits<double>::infinity(), error_of_last_gain_ = error_;
  std::optional<Layer> best_;
  DescentEnding ending_ = DescentEnding::steps_ran_out;
};

}  // namespace hardhead::learner
