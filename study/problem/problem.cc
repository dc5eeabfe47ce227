#include "study/problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/files/layer_file.h"
#include "attention/samples/reduce_blocks.h"
#include "base/error.h"
#include "learner/cost.h"

namespace hardhead::study {
namespace {

using attention::SampleSource;

void set_null(Problem& problem, const hardness::NullPredictor& null, const SampleSource& fit,
              const RunContext& context) {
  NullError error = null_error(null, fit, null_fit_examples(problem.d, problem.k), *problem.test,
                               problem.test_count, context);
  problem.null_description = null.description;
  problem.null_error = error.value;
  problem.null_affine = std::move(error.affine);
}

/// Errors are sums of squares of labels: refuses labels, or weights that they are multiples of, whose squares
/// are too near to the end of the doubles on either side.
void check_scale(const Problem& problem, const std::string& what, double largest) {
  constexpr double least = 1e-140, most = 1e140;
  if (largest != 0 && !(largest >= least && largest <= most))
    throw InputError(
        fmt::format("'{}': {} of at most {:.3g}, whose squares are no doubles: multiply them by a factor "
                    "that brings them into {} .. {}",
                    problem.source, what, largest, least, most));
}

void open_instance(Problem& problem, const std::shared_ptr<const hardness::Instance>& made,
                   const ProblemOptions& options, const RunContext& context) {
  if (options.truth)
    throw InputError(
        fmt::format("truth '{}': '{}' brings its own layer; a layer to compare with is for data "
                    "files only",
                    *options.truth, problem.source));
  const hardness::Instance& instance = *made;
  double largest = 0;
  for (const attention::Head& head : instance.layer.heads)
    largest = std::max(largest, head.w.cwiseAbs().maxCoeff());
  check_scale(problem, "a layer with weights w", largest);
  problem.d = instance.layer.d;
  problem.k = instance.k;
  problem.inputs = instance.inputs;
  problem.training = examples_of(instance, Domain::samples, options.seed);
  problem.clean_training = exact_examples_of(instance, Domain::samples, options.seed);
  constexpr attention::Index enumerable_bits = 16;
  if (problem.inputs == attention::Inputs::boolean && problem.k * problem.d <= enumerable_bits) {
    problem.test = std::make_shared<attention::EnumerationSource>(instance.teacher, problem.d, problem.k);
    problem.test_count = problem.test->size();
    problem.test_is_exhaustive = true;
  } else {
    problem.test = examples_of(instance, Domain::test, options.seed);
    problem.test_count = test_examples(problem.d, problem.k, instance.layer.m());
  }
  set_null(problem, instance.null, *examples_of(instance, Domain::null_predictor, options.seed), context);
  problem.ceiling_error = round_to_nearest(instance.ceiling_error);
  problem.instance = made;
  problem.truth = {made, &made->layer};
  problem.m = instance.layer.m();
}

/// How many examples are worth this many operations each.
std::int64_t affordable_examples(double operations) {
  const double affordable = Problem::test_operations / operations;
  return std::clamp(static_cast<std::int64_t>(std::min(affordable, 1e9)), Problem::least_test_examples,
                    Problem::test_limit);
}

/// A range of a source that keeps it open.
struct OwnedRange {
  std::shared_ptr<const SampleSource> whole;
  attention::SourceRange range;

  static std::shared_ptr<const SampleSource> make(const std::shared_ptr<const SampleSource>& whole,
                                                  std::int64_t first, std::int64_t count) {
    auto owner = std::make_shared<OwnedRange>(OwnedRange{whole, {*whole, first, count}});
    return {owner, &owner->range};
  }
};

/// Largest |entry| of Y over examples 0 .. count - 1.
double largest_label(const SampleSource& source, std::int64_t count, const RunContext& context) {
  const auto add = [](double& largest, std::int64_t, const attention::Block& block) {
    largest = std::max(largest, block.y.cwiseAbs().maxCoeff());
  };
  const auto join = [](double& left, double right) { left = std::max(left, right); };
  return attention::reduce_blocks({source, 0, count}, Reduction{0.0, add, join}, context, "labels");
}

void open_data(Problem& problem, const std::shared_ptr<const SampleSource>& data,
               const ProblemOptions& options, const RunContext& context) {
  const std::int64_t size = data->size();
  if (!(options.holdout > 0 && options.holdout < 1))
    throw InputError(fmt::format("holdout {}: a fraction above 0 and below 1 is expected", options.holdout));
  const std::int64_t held_back =
      std::max<std::int64_t>(1, std::llround(options.holdout * static_cast<double>(size)));
  if (held_back >= size)
    throw InputError(fmt::format("'{}': holdout {} of {} examples leaves none to learn from", problem.source,
                                 options.holdout, size));
  problem.d = data->d();
  problem.k = data->k();
  problem.inputs = data->inputs();
  problem.holdout = options.holdout;
  problem.training = problem.clean_training = OwnedRange::make(data, 0, size - held_back);
  problem.test = OwnedRange::make(data, size - held_back, held_back);
  problem.test_count = std::min(held_back, Problem::test_limit);
  check_scale(problem, "labels", largest_label(*data, size, context));
  set_null(problem, {}, *problem.training, context);
  if (!options.truth) return;
  attention::Layer truth = attention::read_layer(*options.truth);
  if (truth.d != problem.d)
    throw InputError(fmt::format("truth '{}': its d = {} is not the d = {} of '{}'", *options.truth, truth.d,
                                 problem.d, problem.source));
  set_truth(problem, std::move(truth));
}

}  // namespace

Problem open_problem(const Source& source, const ProblemOptions& options, const RunContext& context) {
  const std::shared_ptr<const ResolvedSource> resolved = source.resolve();
  if (resolved->examples && resolved->examples->size() == SampleSource::unlimited)
    throw InputError("examples without end cannot be held back from: name the instance that they are of");
  Problem problem;
  problem.source = source.name();
  problem.spec = resolved->spec();
  problem.digest = source.digest(context);
  if (resolved->instance)
    open_instance(problem, resolved->instance, options, context);
  else
    open_data(problem, resolved->examples, options, context);
  return problem;
}

std::int64_t test_examples(attention::Index d, attention::Index k, attention::Index m) {
  return affordable_examples(learner::pass_operations(d, k, m));
}

std::int64_t null_fit_examples(attention::Index d, attention::Index k) {
  const auto features = static_cast<double>(1 + 2 * d);
  return affordable_examples(static_cast<double>(k) * features * features);
}

void set_truth(Problem& problem, attention::Layer truth) {
  if (problem.instance)
    throw InputError(fmt::format("'{}' brings its own layer; a truth is for examples only", problem.source));
  if (truth.d != problem.d)
    throw InputError(fmt::format("the truth has d = {}, the examples have d = {}", truth.d, problem.d));
  problem.m = truth.m();
  problem.truth = std::make_shared<attention::Layer>(std::move(truth));
}

}  // namespace hardhead::study
