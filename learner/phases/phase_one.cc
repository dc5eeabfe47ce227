#include <fmt/format.h>

#include <algorithm>

#include "learner/cost.h"
#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/phases/w_sum.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {
namespace {

struct PhaseOneOptions {};

// The learner `phase1`: phase 1 of the six alone (w_sum.h). Its layer is one head with Theta = 0 and W =
// W_sum, F(X) = (1/k) J X W_sum with J all ones: what uniform attention explains. A tenth of the examples is
// held back to judge it.
//
// `finished` where that is everything (held-back examples predicted exactly), which it is when all Theta_i
// are 0; else it fails in phase `w_sum` and says how much of the mean rows and of the held-back labels it
// explains.
class PhaseOne final : public ExampleAlgorithm {
 public:
  explicit PhaseOne(const PhaseOneOptions&) {}

  void run(const Run& run) const override {
    Report& report = run.recorder.report();
    run.recorder.phase("w_sum", run.examples(), [&](Phase& phase) {
      const Split parts = stream_split(run.examples());
      const CrudeWSum crude = estimate_w_sum(run.source, parts.fitted, run.context);
      report.layer = Layer{run.d(), {{Matrix::Zero(run.d(), run.d()), crude.estimate}}};
      const double held = relative_error(read_blocks(run.source, parts.fitted, parts.held_back, run.context),
                                         *report.layer, run.context.stop);
      phase.add("w_sum_norm", crude.estimate.norm());
      phase.add("explained", crude.explained);
      phase.add("explained_by_chance", crude.explained_by_chance);
      phase.add("holdout_error", held);
      phase.estimates = {WSumEstimate{crude.estimate}, *report.layer};
      report.message = fmt::format(
          "uniform attention explains {:.3g} of the mean rows of Y (chance would {:.2g}) and leaves a "
          "held-back error of {:.3g}",
          crude.explained, crude.explained_by_chance, held);
      if (held <= exact_prediction) return;
      const char* why = crude.indistinguishable_from_zero()
                            ? ": W_sum cannot be told from zero"
                            : ": the rest is attention, which phase 1 does not learn";
      throw Failed{report.message + why, phase.name};
    });
  }

  std::int64_t default_examples(ExampleShape, const Task&) const override { return 50'000; }

  // The held-back examples; the others are read block by block. The layer is in the report twice.
  RunMemory predicted_memory(ExampleShape shape, const Task& task) const override {
    const Split parts = stream_split(*task.examples);
    const double held_back = example_bytes(shape.d, shape.k, parts.held_back);
    return {.work = std::max(w_sum_bytes(shape.d, shape.k, parts.fitted),
                             held_back + relative_error_bytes(shape.of_heads(1))),
            .report = layer_bytes(shape.d, 3)};
  }

  std::optional<PredictedSeconds> predicted_seconds(ExampleShape shape, Index m,
                                                    const Task& task) const override {
    const double seconds = 0.5 * pass_seconds(shape.d, shape.k, m, static_cast<double>(*task.examples));
    return PredictedSeconds{seconds, seconds};
  }
};

}  // namespace

const Method phase_one_method = method_of<PhaseOne>(
    "phase1", "W_sum alone, by regression with uniform attention",
    "phase 1 of the algorithm that Chen and Li prove correct; a baseline that learns no attention",
    OptionTable<PhaseOneOptions>());

}  // namespace hardhead::learner
