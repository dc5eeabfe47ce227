#pragma once
#include "attention/samples/sample_source.h"
#include "bench/bench_data.h"
#include "learner/gradient/descent.h"
#include "learner/objective/blocks.h"
#include "learner/recorder.h"

namespace hardhead::bench {

/// A descent whose steps are timed: the student's shape, and its batches.
struct StudentTask {
  Index d = 20, k = 2;                                    ///< features, tokens
  Index heads = 32;                                       ///< of the student
  learner::ThetaShape theta = learner::ThetaShape::full;  ///< what it assumes
  Index batch = 512;                                      ///< examples a step

  /// Operations of a step in student_loss.h, without those of softmax and of the update. With p = k (k - 1)
  /// pairs of a row and another token, and n examples: the stacked products with W_i, two of m d x d by d x
  /// (k - 1) n; with full Theta two more of them, with diagonal Theta two of m x d by d x p n; and sums of
  /// products of length d for every head and pair, three with W_i and two with full Theta.
  double flops() const {
    const auto m = static_cast<double>(heads), features = static_cast<double>(d);
    const auto others = static_cast<double>(k - 1), pairs = static_cast<double>(k * (k - 1));
    const double with_w = 4 * m * features * features * others + 6 * m * features * pairs;
    const double with_theta = theta == learner::ThetaShape::full
                                  ? 4 * m * features * features * others + 4 * m * features * pairs
                                  : 4 * m * features * pairs;
    return static_cast<double>(batch) * (with_w + with_theta);
  }
};

/// Examples of a layer of four Gaussian heads.
inline attention::SimulatedSource student_source(const StudentTask& task) {
  return {std::make_shared<attention::LayerTeacher>(gaussian_layer(task.d, 4)), task.d, task.k,
          attention::Inputs::boolean, Stream(Domain::samples, 1)};
}

/// Steps of Adam as `hardhead learn --method adam` takes them, on `distinct` examples: they are drawn where
/// they are first taken.
class TimedDescent {
 public:
  /// Nothing has been read before the first step.
  TimedDescent(const StudentTask& task, std::int64_t steps, std::int64_t distinct)
      : source_(student_source(task)),
        holdout_(learner::read_blocks(source_, distinct, 512, context_)),
        descent_(run_, {.d = task.d, .heads = task.heads, .theta = task.theta},
                 {.steps = steps, .batch = task.batch, .until = 0, .start = {}}, holdout_, distinct,
                 Stream(Domain::learner, 1)) {}
  TimedDescent(const TimedDescent&) = delete;
  TimedDescent& operator=(const TimedDescent&) = delete;

  /// All steps, and what a descent does between them.
  void descend() { descent_.descend_to(0); }

 private:
  RunContext context_;
  learner::Task task_;
  learner::Recorder recorder_{StopToken()};
  attention::SimulatedSource source_;
  learner::Run run_{source_, task_, context_, recorder_};
  std::vector<Block> holdout_;
  learner::Descent descent_;
};

}  // namespace hardhead::bench
