// A learner by values: the answer to a single token x is W_sum^T x, so d queries give W_sum, and heads that
// attend evenly are what it hands back. One file in learner/, and the line x(toy_values) in
// learner/registered_methods.h.
#include "learner/registered_methods.h"

namespace hardhead::learner {

using namespace attention;

namespace {

struct ToyValuesOptions {
  double scale = 1;
};

class ToyValues final : public ValueAlgorithm {
 public:
  explicit ToyValues(const ToyValuesOptions& options) : options_(options) {}

  Needs needs() const override { return {.tokens = 1, .real_tokens = true}; }

  void run(const ValueRun& run) const override {
    run.recorder.phase("w_sum", [&](Phase&) {
      const Index d = run.values->d();
      Block units(d, 1, d);
      units.x = options_.scale * RowMatrix::Identity(d, d);
      run.values->ask(units);
      Report& report = run.recorder.report();
      report.layer = Layer{d, {{Matrix::Zero(d, d), units.y.transpose() / options_.scale}}};
      report.message = "W_sum of all heads, which are taken to attend evenly.";
    });
  }

 private:
  ToyValuesOptions options_;
};

}  // namespace

const Method toy_values_method =
    method_of<ToyValues>("toy-values", "W_sum, by the value of each unit vector", "exact for Theta = 0",
                         OptionTable<ToyValuesOptions>().real("scale", &ToyValuesOptions::scale, 1e-6, 1e6,
                                                              "length of the tokens asked"));

}  // namespace hardhead::learner
