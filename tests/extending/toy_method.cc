// A learner: random Theta_i, the best W_i for them by least squares, and of some such layers the one that
// predicts held-back examples best. One file in learner/, and the line x(toy) in
// learner/registered_methods.h.
#include <fmt/format.h>

#include "learner/fits/fitting.h"
#include "learner/objective/blocks.h"
#include "learner/objective/linear_w.h"
#include "learner/registered_methods.h"

namespace hardhead::learner {

using namespace attention;

namespace {

struct ToyOptions {
  std::int64_t tries = 10;
};

class Toy final : public ExampleAlgorithm {
 public:
  explicit Toy(const ToyOptions& options) : options_(options) {}

  // Whatever ends the run, the report has the best layer so far.
  void run(const Run& run) const override {
    Report& report = run.recorder.report();
    run.recorder.phase("guess", run.examples(), [&](Phase& phase) {
      const Split parts = split(run.examples());
      const auto fitted = read_blocks(run.source, 0, parts.fitted, run.context);
      const auto held_back = read_blocks(run.source, parts.fitted, parts.held_back, run.context);
      const Stream stream(Domain::learner, run.task.seed, "toy");
      double best = INFINITY;
      for (std::int64_t i = 0; i < options_.tries; ++i) {
        run.context.stop.check();
        run.context.progress.report("guess", static_cast<double>(i) / static_cast<double>(options_.tries));
        const Layer guess = fit_w(fitted, random_thetas(stream, static_cast<std::uint64_t>(i), run.d(),
                                                        run.task.heads.value_or(1), 1));
        const double error = relative_error(held_back, guess);
        if (!(error < best)) continue;
        best = error;
        report.layer = guess;
      }
      phase.add("holdout_error", best);
      report.message = fmt::format("the best of {} guesses has held-back error {:.2g}", options_.tries, best);
      if (best > exact_prediction) throw Failed{report.message, phase.name};
    });
  }

 private:
  ToyOptions options_;
};

}  // namespace

const Method toy_method =
    method_of<Toy>("toy", "the best of some layers with random Theta_i", "heuristic: no guarantee",
                   OptionTable<ToyOptions>().integer("tries", &ToyOptions::tries, 1, 1e6, "random layers"));

}  // namespace hardhead::learner
