// A learner: random Theta_i, the best W_i for them by least squares, and of some such layers the one that predicts held-back
// examples best. One file in learner/, and the line x(toy) in learner/registered_methods.h.
#include <fmt/format.h>

#include "learner/blocks.h"
#include "learner/cost.h"
#include "learner/fitting.h"
#include "learner/linear_w.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

using namespace attention;

namespace {

// Whatever ends the run, the report has the best layer so far and a message.
Report run(const SampleSource& source, const Task& task, const Parameters& options, const RunControl& control,
           Observer*) {
  Report report;
  try {
    const Stopwatch watch;
    const Split parts = split(*task.examples);
    report.examples_used = *task.examples;
    const auto fitted = read_blocks(source, 0, parts.fitted, control);
    const auto held_back = read_blocks(source, parts.fitted, parts.held_back, control);
    const Stream stream(Domain::learner, task.seed, "toy");
    const std::int64_t tries = options.integer("tries");
    double best = INFINITY;
    for (std::int64_t i = 0; i < tries; ++i) {
      control.check();
      control.progress("guess", static_cast<double>(i) / static_cast<double>(tries));
      const Layer guess = fit_w(fitted, random_thetas(stream, static_cast<std::uint64_t>(i), source.d(),
                                                      task.heads.value_or(1), 1));
      if (const double error = relative_error(held_back, guess); error < best)
        best = error, report.layer = guess;
    }
    report.phases.push_back({.name = "guess", .seconds = watch.seconds(), .examples = *task.examples});
    report.phases.back().add("holdout_error", best);
    report.message = fmt::format("the best of {} guesses has held-back error {:.2g}", tries, best);
    if (best > exact_prediction) report.ending = Ending::failed, report.failed_phase = "guess";
  } catch (const Stopped& stopped) {
    report.ending = Ending::stopped;
    report.message = stopped.reason;
  }
  return report;
}

std::int64_t default_examples(Index d, Index k, const Task& task, const Parameters&) {
  return examples_for(d, k, task.heads.value_or(1), 8);
}

double predicted_bytes(Index d, Index k, const Task& task, const Parameters&) {
  return example_bytes(d, k, *task.examples);
}

std::optional<double> predicted_seconds(Index d, Index k, Index, const Task& task,
                                        const Parameters& options) {
  return 0.5 * static_cast<double>(options.integer("tries")) *
         pass_seconds(d, k, task.heads.value_or(1), static_cast<double>(*task.examples));
}

}  // namespace

const Method toy_method{"toy",
                        "the best of some layers with random Theta_i",
                        "heuristic: no guarantee",
                        {Parameter::integer("tries", 10, 1, 1e6, "random layers")},
                        default_examples,
                        predicted_bytes,
                        predicted_seconds,
                        run};

}  // namespace hardhead::learner
