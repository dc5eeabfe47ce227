#include "learner/phase_one.h"

#include <fmt/format.h>

#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/linear_w.h"
#include "learner/w_sum.h"

namespace hardhead::learner {

using namespace attention;

namespace {

Report run(const SampleSource& source, const Task& task, const Parameters&, const RunControl& control,
           Observer* observer) {
  Report report;
  try {
    const Stopwatch watch;
    const Split parts = split(*task.examples);
    report.examples_used = *task.examples;
    report.phases.push_back({.name = "w_sum", .examples = *task.examples});
    const CrudeWSum crude = estimate_w_sum(source, parts.fitted, control);
    report.layer = Layer{source.d(), {{Matrix::Zero(source.d(), source.d()), crude.estimate}}};
    const double held =
        relative_error(read_blocks(source, parts.fitted, parts.held_back, control), *report.layer);
    Phase& phase = report.phases.back();
    phase.add("w_sum_norm", crude.estimate.norm());
    phase.add("explained", crude.explained);
    phase.add("explained_by_chance", crude.explained_by_chance);
    phase.add("holdout_error", held);
    phase.seconds = watch.seconds();
    if (observer != nullptr) {
      observer->w_sum(0, crude.estimate);
      observer->layer(0, *report.layer);
    }
    report.message = fmt::format(
        "uniform attention explains {:.3g} of the mean rows of Y (chance would {:.2g}) and leaves a held-back "
        "error of {:.3g}",
        crude.explained, crude.explained_by_chance, held);
    if (held <= exact_prediction) return report;
    report.ending = Ending::failed;
    report.failed_phase = "w_sum";
    if (crude.indistinguishable_from_zero())
      report.message += ": W_sum cannot be told from zero";
    else
      report.message += ": the rest is attention, which phase 1 does not learn";
  } catch (const Stopped& stopped) {
    report.ending = Ending::stopped;
    report.message = stopped.reason;
  }
  return report;
}

std::int64_t default_examples(Index, Index, const Task&, const Parameters&) {
  return 50'000;
}

// The held-back examples; the others are read block by block.
double predicted_bytes(Index d, Index k, const Task& task, const Parameters&) {
  return example_bytes(d, k, split(*task.examples).held_back);
}

std::optional<double> predicted_seconds(Index d, Index k, Index m, const Task& task, const Parameters&) {
  return 0.5 * pass_seconds(d, k, m, static_cast<double>(*task.examples));
}

}  // namespace

const Method phase_one_method{
    "phase1",
    "W_sum alone, by regression with uniform attention",
    "phase 1 of the algorithm that Chen and Li prove correct; a baseline that learns no attention",
    {},
    default_examples,
    predicted_bytes,
    predicted_seconds,
    run};

}  // namespace hardhead::learner
